//! Predicates about objects as a server hands them to rules: with values of the API's types alone.
//!
//! Nothing of the meaning changes for such objects. What no value of a type passes is "never", also where the predicate, which
//! is about files as well, does not say so; a rule that nothing can keep is then plain, and cheap.

use kvrules_ir::{Interval, Operand, OperandRelation, Place, Predicate, Scalar, ValueTest, ValueType};
use kvrules_kubernetes::quantity::Quantity;

use super::constant;

/// The predicate for values of the API's types.
pub(crate) fn to_served(predicate: &Predicate) -> Predicate {
    changed_predicate(predicate).unwrap_or_else(|| predicate.clone())
}

/// The predicate as it becomes; nothing if it stays as it is.
fn changed_predicate(predicate: &Predicate) -> Option<Predicate> {
    match predicate {
        Predicate::All(parts) => {
            let whole = parts_changed(parts).or_else(|| pin_equal_bounds(parts)).map(Predicate::all_of);
            let never = match whole.as_ref().unwrap_or(predicate) {
                Predicate::All(parts) => is_contradiction(parts),
                _ => false,
            };
            if never { Some(Predicate::False) } else { whole }
        }
        Predicate::Any(parts) => parts_changed(parts).map(Predicate::any_of),
        Predicate::Not(inner) => changed_predicate(inner).map(Predicate::negation_of),
        Predicate::Each { list, holds } => {
            changed_predicate(holds).map(|holds| Predicate::each_element(list.clone(), holds))
        }
        Predicate::Some { list, holds } => {
            changed_predicate(holds).map(|holds| Predicate::some_element(list.clone(), holds))
        }
        Predicate::Test { place, test } => rewrite_test(place, test),
        _ => None,
    }
}

fn parts_changed(parts: &[Predicate]) -> Option<Vec<Predicate>> {
    let found: Vec<_> = parts.iter().map(changed_predicate).collect();
    if found.iter().all(Option::is_none) {
        return None;
    }
    Some(found.into_iter().zip(parts).map(|(found, part)| found.unwrap_or_else(|| part.clone())).collect())
}

/// A test that no value of the type passes.
fn rewrite_test(place: &Place, test: &ValueTest) -> Option<Predicate> {
    match (place.value_type, test) {
        (ValueType::Boolean, test) => {
            let passes = |truth| constant::passes_test(test, &Scalar::Boolean(truth), ValueType::Boolean);
            (!passes(true) && !passes(false)).then_some(Predicate::False)
        }
        (ValueType::Quantity, ValueTest::OneOf(texts)) => {
            let is_quantity = |text: &String| Quantity::parse_trimmed(text).is_ok();
            (!texts.iter().any(is_quantity)).then_some(Predicate::False)
        }
        (ValueType::Integer, ValueTest::OneOf(texts)) => {
            let is_integer =
                |text: &String| text.parse::<i64>().is_ok_and(|number| number.to_string() == *text);
            (!texts.iter().any(is_integer)).then_some(Predicate::False)
        }
        _ => None,
    }
}

/// Replaces "not less" and "not more" by "equal". A value that equals an integer needs no separate test for being
/// one.
fn pin_equal_bounds(parts: &[Predicate]) -> Option<Vec<Predicate>> {
    let compared = |wanted: OperandRelation| {
        parts.iter().filter_map(move |part| match part {
            Predicate::Compare { left, relation, right } if *relation == wanted => Some((left, right)),
            _ => None,
        })
    };
    let (left, right) = compared(OperandRelation::AtLeast)
        .find(|pair| compared(OperandRelation::AtMost).any(|other| other == *pair))?;
    let is_integer = |operand: &Operand| {
        matches!(operand, Operand::Length(_)) || operand.place().value_type == ValueType::Integer
    };
    let is_pinned = is_integer(left) || is_integer(right);
    let is_needless = |part: &Predicate| match part {
        Predicate::Compare { left: own, right: other, .. } => own == left && other == right,
        Predicate::Test { place, test: ValueTest::Integer(interval) } => {
            let is_compared = [left, right].iter().any(|operand| operand.place() == place);
            is_pinned && is_compared && *interval == Interval::default()
        }
        _ => false,
    };
    let equal =
        Predicate::Compare { left: left.clone(), relation: OperandRelation::Equal, right: right.clone() };
    Some(parts.iter().filter(|part| !is_needless(part)).cloned().chain([equal]).collect())
}

/// True if two parts contradict each other: one requires an element with a property, the other forbids it.
fn is_contradiction(parts: &[Predicate]) -> bool {
    parts.iter().any(|one| parts.iter().any(|other| are_exclusive(one, other)))
}

fn are_exclusive(one: &Predicate, other: &Predicate) -> bool {
    match (one, other) {
        (Predicate::Some { list, holds }, Predicate::Each { list: same, holds: refused }) => {
            list == same && are_exclusive(holds, refused)
        }
        (_, Predicate::False) => true,
        (holds, Predicate::Not(refused)) => holds.obviously_implies(refused),
        (Predicate::All(parts), other) => parts.iter().any(|part| are_exclusive(part, other)),
        (one, Predicate::All(parts)) => parts.iter().any(|part| are_exclusive(one, part)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kvrules_ir::{PlaceBase, PlaceStep, Presence, RegexPattern};

    use super::*;

    fn place(base: PlaceBase, name: &str, value_type: ValueType) -> Place {
        let step = PlaceStep::Field { name: name.to_owned(), presence: Presence::Optional };
        Place { base, steps: vec![step], value_type, default: None }
    }

    fn some_and_each(value_type: ValueType, test: ValueTest) -> Predicate {
        let (list, leaf) = (
            place(PlaceBase::Root, "disks", ValueType::List),
            place(PlaceBase::Element(0), "leaf", value_type),
        );
        let present = Predicate::presence_of(leaf.clone());
        let passes = Predicate::Test { place: leaf, test };
        Predicate::all_of([
            Predicate::some_element(list.clone(), present.clone()),
            Predicate::each_element(list, Predicate::implication_of(present, passes)),
        ])
    }

    #[test]
    fn what_no_value_of_the_type_passes_is_never() {
        let texts: BTreeSet<String> = ["sata".to_owned()].into();
        for value_type in [ValueType::Quantity, ValueType::Integer] {
            let predicate = some_and_each(value_type, ValueTest::OneOf(texts.clone()));
            assert_eq!(to_served(&predicate), Predicate::False);
        }
        let value = ValueTest::Matches(RegexPattern("Value".to_owned()));
        assert_eq!(to_served(&some_and_each(ValueType::Boolean, value)), Predicate::False);
    }

    #[test]
    fn not_less_and_not_more_is_equal() {
        let (cores, memory) = (
            place(PlaceBase::Root, "cores", ValueType::Integer),
            place(PlaceBase::Root, "guest", ValueType::Quantity),
        );
        let compare = |relation| Predicate::Compare {
            left: Operand::Integer(cores.clone()),
            relation,
            right: Operand::Integer(memory.clone()),
        };
        let whole = Predicate::Test { place: memory.clone(), test: ValueTest::Integer(Interval::default()) };
        let both =
            Predicate::all_of([whole, compare(OperandRelation::AtLeast), compare(OperandRelation::AtMost)]);
        assert_eq!(to_served(&both), compare(OperandRelation::Equal));
    }

    #[test]
    fn what_some_value_passes_stays() {
        let texts: BTreeSet<String> = ["sata".to_owned(), "1Gi".to_owned()].into();
        for (value_type, test) in [
            (ValueType::Quantity, ValueTest::OneOf(texts.clone())),
            (ValueType::String, ValueTest::OneOf(texts)),
            (ValueType::Boolean, ValueTest::Matches(RegexPattern("ue$".to_owned()))),
        ] {
            let predicate = some_and_each(value_type, test);
            assert_eq!(to_served(&predicate), predicate);
        }
    }
}
