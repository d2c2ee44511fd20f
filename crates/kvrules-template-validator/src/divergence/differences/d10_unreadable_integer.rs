//! Integers of types that the validator cannot read.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::paths::is_unreadable;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D10",
    name: "unreadable-integer",
    summary: "an optional integer, or one that may be a string, cannot be read by an integer rule",
    applies,
    in_rule: Some(in_rule),
};

/// An integer rule evaluates a value whose type is not a plain integer and no quantity, and the error denies what the meaning
/// does not reject.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let Some((_, seen)) = rule.evaluated_values() else { return false };
    let is_other = seen.no_integer.as_deref().is_some_and(|name| !name.ends_with("resource.Quantity"));
    rule.written.kind == "integer" && is_other && seen.on_machine && rule.error_matters()
}

/// The values are optional integers, or may be strings.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let subject = &rule.evaluated_values().filter(|_| rule.written.kind == "integer")?.subject;
    is_unreadable(subject).then(|| {
        let because = "it cannot read an optional integer, or one that may be a string";
        DifferenceSign::new(DifferenceEffect::Denies, "path", because)
    })
}
