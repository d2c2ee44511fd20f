//! Kinds of rules that are not known.

use super::Difference;
use crate::context::Context;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D6",
    name: "unknown-kind",
    summary: "a rule of an unknown or missing kind is skipped by its meaning, and denies in the validator",
    applies,
};

/// The kind is none of the four.
fn applies(context: &Context<'_>) -> bool {
    context.rule.is_some_and(|rule| !rule.is_name_taken && !rule.is_known_kind() && rule.error_matters())
}
