//! Facts that hold of every object, each an instance of an axiom. A fact is checked on all values that make a difference to it.

use kvrules_ir::{Constant, Formula, Term, TermRelation};

use super::keys::term_key;
use super::theory::SchemaReader;

/// The most fields of a map that are counted.
const MOST_FIELDS: usize = 6;

/// The value of a term in a check: none, or this constant.
type Sample<'s> = &'s dyn Fn(&Term) -> Option<Option<Constant>>;

/// The name of the axiom that a fact is an instance of. `None` for no known one.
pub(super) fn axiom_of(fact: &Formula, schema: &SchemaReader<'_>) -> Option<&'static str> {
    let is_single = || single_term(fact).is_some_and(|term| holds_of_all_values(fact, term, schema));
    if is_single() {
        return Some("order of a value and constants");
    }
    if is_size_fact(fact, schema) {
        return Some("a value has at least as many entries as are named");
    }
    let Formula::Any(parts) = fact else { return None };
    let (first, rest) = parts.split_first()?;
    let Formula::Not(first) = first else { return None };
    let Formula::Compare { left, relation, right } = &**first else { return None };
    if *relation == TermRelation::Equal {
        let rest = Formula::any_of(rest.iter().cloned());
        if is_order_of(&rest, left, right) {
            return Some("equal values are not less than each other");
        }
        if fields_are_alike(&rest, left, right) {
            return Some("equal objects have equal fields");
        }
    }
    let is_quantity = rest.iter().any(|part| tests_quantity_of(part, [left, right]));
    is_quantity.then_some("a quantity that is compared is one")
}

/// The term that all comparisons of a formula are about, with constants.
fn single_term(fact: &Formula) -> Option<&Term> {
    let mut found: Option<&Term> = None;
    let mut is_single = true;
    fact.visit_formulas(&mut |part| {
        let term = match part {
            Formula::Defined(term)
            | Formula::Compare { left: term, right: Term::Constant(_), .. }
            | Formula::Compare { left: Term::Constant(_), right: term, .. } => term,
            Formula::Compare { .. } | Formula::Each(_) | Formula::Some(_) => return is_single = false,
            _ => return,
        };
        is_single &= found.is_none_or(|known| known == term);
        found = Some(term);
    });
    found.filter(|_| is_single)
}

fn constants_of(fact: &Formula) -> Vec<&Constant> {
    let mut constants = Vec::new();
    fact.visit_formulas(&mut |part| {
        constants.extend(part.terms().filter_map(|term| match term {
            Term::Constant(constant) => Some(constant),
            _ => None,
        }));
    });
    constants
}

fn integers_of(fact: &Formula) -> Option<Vec<i64>> {
    let integer = |constant: &Constant| match constant {
        Constant::Integer(number) => Some(*number),
        _ => None,
    };
    constants_of(fact).into_iter().map(integer).collect()
}

/// True if a fact about one term holds for no value and for all values, of which those next to constants stand for the others.
fn holds_of_all_values(fact: &Formula, term: &Term, schema: &SchemaReader<'_>) -> bool {
    let constants = constants_of(fact);
    let are_booleans = constants.iter().all(|it| matches!(it, Constant::Boolean(_)));
    let values: Vec<Constant> = if are_booleans {
        vec![Constant::Boolean(true), Constant::Boolean(false)]
    } else if let Some(integers) = integers_of(fact).filter(|_| schema.is_integer(term)) {
        let near = |number: i64| [number.saturating_sub(1), number, number.saturating_add(1)];
        integers.into_iter().flat_map(near).map(Constant::Integer).collect()
    } else {
        return false;
    };
    let values = values.into_iter().map(Some).chain([None]);
    values.into_iter().all(|value| holds_for(fact, &|of| (of == term).then(|| value.clone())) == Some(true))
}

/// The truth of a formula for sampled values. `None` if a term is not sampled.
fn holds_for(formula: &Formula, sample: Sample<'_>) -> Option<bool> {
    match formula {
        Formula::True => Some(true),
        Formula::False => Some(false),
        Formula::All(parts) => parts.iter().try_fold(true, |all, part| Some(holds_for(part, sample)? && all)),
        Formula::Any(parts) => {
            parts.iter().try_fold(false, |any, part| Some(holds_for(part, sample)? || any))
        }
        Formula::Not(inner) => holds_for(inner, sample).map(|holds| !holds),
        Formula::Defined(term) => sample(term).map(|value| value.is_some()),
        Formula::Compare { left, relation, right } => {
            let value = |term: &Term| match term {
                Term::Constant(constant) => Some(Some(constant.clone())),
                term => sample(term),
            };
            let (Some(left), Some(right)) = (value(left)?, value(right)?) else { return Some(false) };
            Some(match (relation, &left, &right) {
                (TermRelation::Equal, ..) => left == right,
                (TermRelation::NotEqual, ..) => left != right,
                (TermRelation::Less, Constant::Integer(left), Constant::Integer(right)) => left < right,
                (TermRelation::LessOrEqual, Constant::Integer(left), Constant::Integer(right)) => {
                    left <= right
                }
                _ => return None,
            })
        }
        Formula::Each(_) | Formula::Some(_) => None,
    }
}

/// True if a fact about a size and entries holds for every size that a value with some of the entries may have.
fn is_size_fact(fact: &Formula, schema: &SchemaReader<'_>) -> bool {
    let (mut size, mut entries) = (None, Vec::<&Term>::new());
    let mut is_known = true;
    fact.visit_formulas(&mut |part| match part {
        Formula::Defined(entry @ (Term::Field(..) | Term::Index(..))) => entries.push(entry),
        Formula::Compare { left: left @ Term::Call(call), right: Term::Constant(_), .. }
            if call.function == "size" && size.is_none_or(|size| size == left) =>
        {
            size = Some(left);
        }
        Formula::Compare { .. } | Formula::Defined(_) | Formula::Each(_) | Formula::Some(_) => {
            is_known = false;
        }
        _ => {}
    });
    let mut seen = Vec::<&Term>::new();
    entries.retain(|entry| {
        let is_new = !seen.contains(entry);
        seen.push(entry);
        is_new
    });
    let (Some(size @ Term::Call(call)), Some(numbers)) = (size, integers_of(fact)) else { return false };
    let Some(counted) = call.arguments.first() else { return false };
    let are_fields = entries.iter().all(|entry| matches!(entry, Term::Field(of, _) if **of == *counted));
    let is_index = matches!(entries.as_slice(), [Term::Index(of, _)] if **of == *counted);
    if !is_known || entries.len() > MOST_FIELDS || !(are_fields || is_index) {
        return false;
    }
    let least = |present: &[&Term]| match present {
        [Term::Index(of, at)] => match (&**at, schema.is_list(of)) {
            (Term::Constant(Constant::Integer(at)), true) => at.saturating_add(1).max(1),
            _ => 1,
        },
        present => i64::try_from(present.len()).unwrap_or(i64::MAX),
    };
    (0..1_usize << entries.len()).all(|chosen| {
        let present: Vec<&Term> = entries
            .iter()
            .enumerate()
            .filter(|(at, _)| chosen >> at & 1 == 1)
            .map(|(_, entry)| *entry)
            .collect();
        let least = least(&present);
        // A larger size than all constants stands for those beyond them.
        let sizes = numbers.iter().flat_map(|number| [*number, number.saturating_add(1)]).chain([least]);
        sizes.filter(|number| *number >= least).all(|number| {
            let sample = |term: &Term| match term {
                term if term == size => Some(Some(Constant::Integer(number))),
                term if entries.contains(&term) => {
                    Some(present.contains(&term).then_some(Constant::Boolean(true)))
                }
                _ => None,
            };
            holds_for(fact, &sample) == Some(true)
        })
    })
}

/// True for "not less" of two terms.
fn is_order_of(formula: &Formula, left: &Term, right: &Term) -> bool {
    let Formula::Not(inner) = formula else { return false };
    matches!(&**inner, Formula::Compare { left: one, relation: TermRelation::Less, right: other }
        if (one, other) == (left, right) || (one, other) == (right, left))
}

/// True if a formula holds where the fields of two objects are both absent, and where both are there and equal.
fn fields_are_alike(formula: &Formula, left: &Term, right: &Term) -> bool {
    let mut names = Vec::new();
    formula.visit_formulas(&mut |part| {
        names.extend(part.terms().map(|term| match term {
            Term::Field(of, name) if **of == *left || **of == *right => Some(name),
            _ => None,
        }));
    });
    let Some(Some(first)) = names.first() else { return false };
    let same = Constant::Boolean(true);
    names.iter().all(|name| name.is_some_and(|name| name == *first))
        && [None, Some(same)]
            .into_iter()
            .all(|value| holds_for(formula, &|_| Some(value.clone())) == Some(true))
}

/// True if a formula tests the text that one of some terms reads as a quantity.
fn tests_quantity_of(formula: &Formula, terms: [&Term; 2]) -> bool {
    let Formula::Compare {
        left: Term::Call(test),
        relation: TermRelation::Equal,
        right: Term::Constant(Constant::Boolean(true)),
    } = formula
    else {
        return false;
    };
    let [tested] = test.arguments.as_slice() else { return false };
    let reads = |term: &Term| {
        let mut found = false;
        term.visit_terms(&mut |inner| {
            found |= matches!(inner, Term::Call(call)
                if call.function == "quantity" && call.arguments.first().map(term_key) == Some(term_key(tested)));
        });
        found
    };
    test.function == "isQuantity" && terms.into_iter().any(reads)
}
