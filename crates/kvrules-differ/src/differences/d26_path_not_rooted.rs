//! Paths that do not begin with a dot.

use super::Difference;
use crate::context::Context;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D26",
    name: "path-not-rooted",
    summary: "behind the prefix, a path without its first dot changes the name before it: kvrules leaves the rule out, and for the validator it is in error",
    applies,
};

/// A path of the rule does not parse below the template, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let cause = context.rule.and_then(|rule| rule.left_out_alone());
    cause.is_some_and(|cause| cause.contains("` does not parse: "))
}
