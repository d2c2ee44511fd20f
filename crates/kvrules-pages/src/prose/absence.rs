//! Effect of missing values on a rule, derived from the predicate.

use kvrules_ir::{
    ElaboratedRule, Operand, Place, PlaceBase, Predicate, Presence, Scalar, ValueTest, ValueType,
};
use num_bigint::BigInt;

use super::clause::predicate_clause;
use super::inline::Prose;
use super::noun::{ElementNoun, path_of, required_prefix};
use super::phrase::VerbMood;
use super::scope::SentenceScope;
use super::value::scalar_code;

/// Returns the effect if no value is found; `None` if there is always one.
pub(crate) fn if_absent(rule: &ElaboratedRule) -> Option<Prose> {
    let subject = &rule.requirement.subject;
    let lists = &subject.lists;
    if lists.is_empty() && required_prefix(&subject.leaf).is_none() {
        return None;
    }
    let outcome = absence_outcome(rule, lists);
    let Some(list) = lists.last() else {
        let parent =
            required_prefix(&subject.leaf).filter(|needed| needed.steps.len() < subject.leaf.steps.len());
        return Some(match parent {
            Some(parent) => Prose::from("without ").code(path_of(&parent)).text(", ").add_prose(&outcome),
            None => outcome,
        });
    };
    let noun = ElementNoun::of(list);
    let Some(own) = required_prefix(&subject.leaf) else {
        return Some(Prose::from("without any ").add_prose(&noun.singular()).text(", ").add_prose(&outcome));
    };
    let element = of_one_element(rule, &subject.leaf, lists);
    let element = element.map(|wording| {
        let article = noun_article(&noun);
        Prose::from(article)
            .add_prose(&noun.singular())
            .text(" without ")
            .code(path_of(&own))
            .text(wording)
            .text("; ")
    });
    let none = Prose::from("if no ").add_prose(&noun.singular()).text(" has it, ").add_prose(&outcome);
    Some(element.unwrap_or_default().add_prose(&none))
}

fn noun_article(noun: &ElementNoun) -> &'static str {
    let vowel = |word: &String| word.starts_with(['a', 'e', 'i', 'o', 'u']);
    match noun {
        ElementNoun::Word(one, _) if !vowel(one) => "a ",
        _ => "an ",
    }
}

/// The verdict if no value exists.
fn absence_outcome(rule: &ElaboratedRule, lists: &[Place]) -> Prose {
    let leaf = &rule.requirement.subject.leaf;
    let predicate = remaining_predicate(&rule.predicate, leaf, lists.last(), None);
    let applies = remaining_predicate(&rule.applies, leaf, lists.last(), None);
    let scope = SentenceScope::root(VerbMood::Is);
    match (&predicate, &applies) {
        (Predicate::True, Predicate::False) => "the rule does not apply".into(),
        (Predicate::True, _) => "the rule is satisfied".into(),
        (Predicate::False, _) => "the rule is violated".into(),
        (_, applies) if predicate == Predicate::negation_of(applies.clone()) => {
            "the rule is violated wherever it applies".into()
        }
        (predicate, _) => {
            Prose::from("the rule is satisfied only if ").add_prose(&predicate_clause(predicate, &scope))
        }
    }
}

/// Returns the effect of a single element without the value on the rule, if that is plain.
fn of_one_element(rule: &ElaboratedRule, leaf: &Place, lists: &[Place]) -> Option<&'static str> {
    let holds = innermost_predicate(&rule.predicate, lists)?;
    match remaining_predicate(holds, leaf, lists.last(), lists.last()) {
        Predicate::True => Some(" is not checked"),
        Predicate::False => Some(" violates the rule"),
        _ => None,
    }
}

/// Returns the predicate for each element of the last of these lists.
fn innermost_predicate<'p>(predicate: &'p Predicate, lists: &[Place]) -> Option<&'p Predicate> {
    let Some((list, deeper)) = lists.split_first() else { return Some(predicate) };
    match predicate {
        Predicate::Each { list: own, holds } if own == list => innermost_predicate(holds, deeper),
        Predicate::All(parts) | Predicate::Any(parts) => {
            parts.iter().find_map(|part| innermost_predicate(part, lists))
        }
        _ => None,
    }
}

/// Returns the rest of a predicate if `leaf` exists nowhere. `list` is the list that the leaf is seen from, `inside`
/// the one whose element the predicate is about.
fn remaining_predicate(
    predicate: &Predicate,
    leaf: &Place,
    list: Option<&Place>,
    inside: Option<&Place>,
) -> Predicate {
    let here = inside == list;
    let is_gone = |place: &Place| here && place.implies_existence_of(leaf) && base_fits(place, list);
    let deeper = |own: &Place, holds: &Predicate| remaining_predicate(holds, leaf, list, Some(own));
    // A value that exists in every element is missing only if the list is empty.
    let has_none = |own: &Place| Some(own) == list && required_prefix(leaf).is_none();
    match predicate {
        Predicate::True => Predicate::True,
        Predicate::False => Predicate::False,
        Predicate::All(parts) => {
            Predicate::all_of(parts.iter().map(|part| remaining_predicate(part, leaf, list, inside)))
        }
        Predicate::Any(parts) => {
            Predicate::any_of(parts.iter().map(|part| remaining_predicate(part, leaf, list, inside)))
        }
        Predicate::Not(inner) => Predicate::negation_of(remaining_predicate(inner, leaf, list, inside)),
        Predicate::Each { list: own, .. } if has_none(own) => Predicate::True,
        Predicate::Some { list: own, .. } if has_none(own) => Predicate::False,
        Predicate::Each { list: own, holds } => Predicate::each_element(own.clone(), deeper(own, holds)),
        Predicate::Some { list: own, holds } => Predicate::some_element(own.clone(), deeper(own, holds)),
        Predicate::Present(place) | Predicate::Test { place, .. } if is_gone(place) => Predicate::False,
        Predicate::Compare { left, right, .. } if is_gone(left.place()) || is_gone(right.place()) => {
            Predicate::False
        }
        other => other.clone(),
    }
}

fn base_fits(place: &Place, list: Option<&Place>) -> bool {
    place.base == if list.is_some() { PlaceBase::Element(0) } else { PlaceBase::Root }
}

/// Returns the default of a value if its parent is present but does not spell it out.
pub(crate) fn default_of(place: &Place) -> Option<Scalar> {
    let presence = place.steps.last().map(kvrules_ir::PlaceStep::presence)?;
    if presence != Presence::Defaulted {
        return None;
    }
    place.implicit_value()
}

/// Returns the default, and whether the rule accepts it.
pub(crate) fn if_defaulted(rule: &ElaboratedRule) -> Option<Prose> {
    let requirement = &rule.requirement;
    let default = default_of(&requirement.subject.leaf)?;
    let parent = required_prefix(&requirement.subject.leaf).map(|parent| path_of(&parent));
    let wording = Prose::of_code(scalar_code(&default));
    let wording = match parent {
        Some(parent) if !parent.is_empty() => wording.text(" if ").code(parent).text(" does not set it"),
        _ => wording.text(" if it is not set"),
    };
    let applies = if always_applies(rule) { "" } else { " if it applies" };
    let passes: Option<Vec<bool>> =
        requirement.tests.iter().map(|test| passes_test(&default, test, &requirement.subject.leaf)).collect();
    Some(match passes {
        Some(passes) if passes.contains(&false) && !may_be_compared(rule) => {
            wording.text("; that violates the rule").text(applies)
        }
        Some(passes) if !passes.contains(&false) && requirement.compared_with.is_empty() => {
            wording.text("; that is allowed")
        }
        _ => wording,
    })
}

/// True if the rule applies wherever there is a value.
fn always_applies(rule: &ElaboratedRule) -> bool {
    let subject = &rule.requirement.subject;
    match &rule.requirement.guard {
        _ if rule.applies == Predicate::True => true,
        Some(guard) => guard.lists == subject.lists && subject.leaf.implies_existence_of(&guard.leaf),
        None => false,
    }
}

/// True if a value may pass by being equal to another one.
fn may_be_compared(rule: &ElaboratedRule) -> bool {
    let has_choice = rule.requirement.tests.iter().any(|test| matches!(test, ValueTest::OneOf(_)));
    has_choice && !rule.requirement.compared_with.is_empty()
}

/// Returns true if a constant passes a test; `None` if that is not plain.
fn passes_test(value: &Scalar, test: &ValueTest, place: &Place) -> Option<bool> {
    let written = match value {
        Scalar::Integer(number) => number.to_string(),
        Scalar::Text(written) => written.clone(),
        Scalar::Boolean(truth) => truth.to_string(),
    };
    match test {
        ValueTest::Integer(interval) => match value {
            Scalar::Integer(number) => Some(interval.contains(number)),
            Scalar::Text(written) if place.value_type == ValueType::Quantity => {
                let number = kvrules_kubernetes::quantity::Quantity::parse(written).ok()?.to_integer();
                Some(number.is_some_and(|number| interval.contains(&number)))
            }
            Scalar::Text(_) | Scalar::Boolean(_) => Some(false),
        },
        ValueTest::Length(interval) => Some(interval.contains(&BigInt::from(written.chars().count()))),
        ValueTest::OneOf(values) => Some(values.contains(&written)),
        ValueTest::Matches(pattern) => {
            let matcher = kvrules_regex::compile_matcher(&pattern.0).ok()?;
            Some(matcher.is_match(&written))
        }
    }
}

/// The places that take part in a comparison with the value of a rule.
pub(crate) fn collect_comparisons(
    predicate: &Predicate,
) -> Vec<(&Operand, kvrules_ir::OperandRelation, &Operand)> {
    match predicate {
        Predicate::All(parts) | Predicate::Any(parts) => parts.iter().flat_map(collect_comparisons).collect(),
        Predicate::Each { holds, .. } => collect_comparisons(holds),
        Predicate::Compare { left, relation, right } => vec![(left, *relation, right)],
        _ => Vec::new(),
    }
}
