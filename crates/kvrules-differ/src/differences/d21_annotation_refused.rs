//! Annotations that do not decode.

use crate::alone::{Effect, RuleAlone, Sign};
use crate::context::Context;
use crate::difference::Difference;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D21",
    name: "annotation-refused",
    summary: "the validator denies every object when one key of one rule does not decode",
    applies,
    in_rule: Some(in_rule),
};

/// The annotation does not decode, and none of the rules that can be read rejects the object.
fn applies(context: &Context<'_>) -> bool {
    context.rule.is_none() && context.answer.parse_error.is_some() && !context.spec_denies
}

/// A key of this rule does not decode, so that none of the rules counts.
fn in_rule(rule: &RuleAlone<'_>) -> Option<Sign> {
    let refusal = rule.refusal()?;
    let because = format!("it rejects all rules because of this one: {}", refusal.words);
    Some(Sign { effect: Effect::Denies, key: refusal.key, because })
}
