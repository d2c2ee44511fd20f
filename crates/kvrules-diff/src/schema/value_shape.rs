//! Decides if rules see the same value on both sides: types, defaults and what is dropped do not differ.

use std::collections::HashSet;

use kvrules_generate::{PlaceStep, values_below};
use kvrules_ir::{Formula, Term};
use serde_json::Value;

use super::keyword::{
    EMBEDDED, INT_OR_STRING, LIST_KEYS, LIST_TYPE, PRESERVE, default_value, find_property, keyword_flag,
    keyword_text, keyword_texts, property_names,
};

/// The formats with a type of their own in CEL.
pub(super) const TYPED: [&str; 5] = ["byte", "date", "date-time", "datetime", "duration"];

/// True if a formula about the values at a place means the same on both sides, and the values are there in the same cases.
pub(super) fn see_same_values(
    (old, new): (&Value, &Value),
    place: &[PlaceStep],
    formula: &Formula,
    names: &HashSet<String>,
) -> bool {
    let (mut one, mut other) = (old, new);
    for (number, step) in place.iter().enumerate() {
        if number > 0 && !are_alike(one, other) {
            return false;
        }
        let below = |node| match step {
            PlaceStep::Field(name) => find_property(node, name),
            PlaceStep::Any => values_below(node),
        };
        let (Some(first), Some(second)) = (below(one), below(other)) else { return false };
        (one, other) = (first, second);
    }
    let names = if reads_whole_values(formula, one) { None } else { Some(names) };
    are_deeply_alike(one, other, names)
}

/// True if the two nodes have values of the same type, for which the server inserts the same.
fn are_alike(one: &Value, other: &Value) -> bool {
    let format = |node| Some(keyword_text(node, "format")).filter(|format| TYPED.contains(format));
    ["type", LIST_TYPE].iter().all(|key| keyword_text(one, key) == keyword_text(other, key))
        && ["nullable", PRESERVE, INT_OR_STRING, EMBEDDED]
            .iter()
            .all(|key| keyword_flag(one, key) == keyword_flag(other, key))
        && keyword_texts(one, LIST_KEYS) == keyword_texts(other, LIST_KEYS)
        && default_value(one) == default_value(other)
        && format(one) == format(other)
}

fn are_deeply_alike(one: &Value, other: &Value, names: Option<&HashSet<String>>) -> bool {
    let is_read = |name: &String| names.is_none_or(|names| names.contains(name));
    let mut properties = property_names(one, other).into_iter().filter(|name| is_read(name));
    are_alike(one, other)
        && properties.all(|name| match (find_property(one, name), find_property(other, name)) {
            (Some(one), Some(other)) => are_deeply_alike(one, other, names),
            _ => false,
        })
        && match (values_below(one), values_below(other)) {
            (Some(one), Some(other)) => are_deeply_alike(one, other, names),
            (None, None) => true,
            _ => false,
        }
}

/// True if a formula may compare values with parts, so that it sees fields without naming them.
pub(super) fn reads_whole_values(formula: &Formula, node: &Value) -> bool {
    let is_comparison = matches!(formula, Formula::Compare { .. });
    is_comparison && formula.terms().any(|term| is_whole_value(term, node))
        || formula.children().iter().any(|part| reads_whole_values(part, node))
}

fn is_whole_value(term: &Term, node: &Value) -> bool {
    match term {
        Term::Constant(_) => false,
        Term::Call(call) if call.function == "size" => call
            .arguments
            .first()
            .is_none_or(|of| !matches!(of, Term::Root(_) | Term::Field(..) | Term::Index(..))),
        Term::Call(call) => call.arguments.iter().any(|argument| is_whole_value(argument, node)),
        Term::Root(_) | Term::Field(..) | Term::Index(..) => node_of_term(term, node).is_none_or(|node| {
            !matches!(keyword_text(node, "type"), "string" | "integer" | "number" | "boolean")
        }),
        Term::Variable(_) | Term::List(_) | Term::Collect(_) | Term::Tally(_) => true,
    }
}

fn node_of_term<'s>(term: &Term, node: &'s Value) -> Option<&'s Value> {
    match term {
        Term::Root(_) => Some(node),
        Term::Field(of, name) => {
            let around = node_of_term(of, node)?;
            find_property(around, name).or_else(|| values_below(around))
        }
        Term::Index(of, _) => values_below(node_of_term(of, node)?),
        _ => None,
    }
}
