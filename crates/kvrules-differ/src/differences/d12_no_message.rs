//! Rules without a message.

use super::Difference;
use crate::context::Context;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D12",
    name: "no-message",
    summary: "a rule without a message is judged by its meaning, and in error for the validator",
    applies,
};

/// The kind is known and the message is missing or empty.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    rule.is_known_kind() && !rule.is_name_taken && rule.written.message.is_empty() && rule.error_matters()
}
