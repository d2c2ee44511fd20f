//! Rules without a message.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D12",
    name: "no-message",
    summary: "a rule without a message is evaluated by its meaning, and an error for the validator",
    applies,
    in_rule: Some(in_rule),
};

/// The kind is known and the message is missing or empty.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    rule.is_known_kind() && !rule.is_name_taken && rule.written.message.is_empty() && rule.error_matters()
}

/// The same; the guard is not examined.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let lacks = rule.written.is_known_kind() && rule.written.message.is_empty() && !rule.is_name_taken;
    (lacks && rule.decode_refusal().is_none()).then(|| {
        let because = "it fails with an error on a rule without a message";
        DifferenceSign::new(DifferenceEffect::Denies, "message", because)
    })
}
