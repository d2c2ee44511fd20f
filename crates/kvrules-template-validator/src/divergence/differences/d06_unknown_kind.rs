//! Kinds of rules that are not known.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D6",
    name: "unknown-kind",
    summary: "a rule of an unknown or missing kind is skipped by its meaning, and denies in the validator",
    applies,
    in_rule: Some(in_rule),
};

/// The kind is not one of the four.
fn applies(context: &DifferenceContext<'_>) -> bool {
    context.rule.is_some_and(|rule| !rule.is_name_taken && !rule.is_known_kind() && rule.error_matters())
}

/// The kind is not one of the four; the guard is not examined.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let kind = &rule.written.kind;
    let is_unknown = !rule.written.is_known_kind() && !kind.contains("${");
    if !is_unknown || rule.is_name_taken || rule.decode_refusal().is_some() {
        return None;
    }
    let because = if kind.is_empty() {
        "it fails with an error on a rule without a kind".to_owned()
    } else {
        format!("it fails with an error on the unknown kind `{kind}`")
    };
    Some(DifferenceSign::new(DifferenceEffect::Denies, "rule", because))
}
