//! Null among the values of an enumeration.

use super::Difference;
use crate::context::Context;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D25",
    name: "null-in-values",
    summary: "a null in values is the empty text for the validator, and a mistake by its meaning, so that the rule is left out",
    applies,
};

/// A member of `values` is null, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    context.rule.is_some_and(|rule| rule.left_out_alone().is_some() && rule.written.has_null_value)
}
