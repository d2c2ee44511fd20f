//! Rules on which the validator panics.

use super::Difference;
use crate::context::Context;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D22",
    name: "panic",
    summary: "the validator panics on a rule without a path, an object without a template, and an absent quantity read as an integer",
    applies,
};

/// Evaluation panics, and no rule rejects the object.
fn applies(context: &Context<'_>) -> bool {
    context.rule.is_none() && context.answer.panic.is_some() && !context.spec_denies
}
