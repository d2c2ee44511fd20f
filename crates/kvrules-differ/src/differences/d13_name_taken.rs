//! Names that are not unique.

use super::Difference;
use crate::context::Context;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D13",
    name: "name-taken",
    summary: "the second rule of a name is judged by its meaning, and in error for the validator",
    applies,
};

/// A rule before has the name, where no name counts as one.
fn applies(context: &Context<'_>) -> bool {
    context.rule.is_some_and(|rule| rule.is_name_taken && rule.error_matters())
}
