//! Annotations that do not decode.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D21",
    name: "annotation-refused",
    summary: "the validator denies every object when one key of one rule does not decode",
    applies,
    in_rule: Some(in_rule),
};

/// The annotation does not decode, and none of the rules that can be read rejects the object.
fn applies(context: &DifferenceContext<'_>) -> bool {
    context.rule.is_none() && context.answer.parse_error.is_some() && !context.spec_denies
}

/// A key of this rule does not decode, so that none of the rules counts.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let refusal = rule.decode_refusal()?;
    let because = format!("it rejects all rules because of this one: {}", refusal.words);
    Some(DifferenceSign { effect: DifferenceEffect::Denies, key: refusal.key, because })
}
