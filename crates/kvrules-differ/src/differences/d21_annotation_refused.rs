//! Annotations that do not decode.

use super::Difference;
use crate::context::Context;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D21",
    name: "annotation-refused",
    summary: "the validator denies every object when one key of one rule does not decode",
    applies,
};

/// The annotation does not decode, and none of the rules that can be read rejects the object.
fn applies(context: &Context<'_>) -> bool {
    context.rule.is_none() && context.answer.parse_error.is_some() && !context.spec_denies
}
