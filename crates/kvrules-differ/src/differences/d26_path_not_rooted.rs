//! Paths that do not begin with a dot.

use kvrules_ir::CauseKind;

use super::Difference;
use crate::context::{Context, RuleContext};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D26",
    name: "path-not-rooted",
    summary: "behind the prefix, a path without its first dot changes the name before it: kvrules leaves the rule out, and for the validator it is in error",
    applies,
};

/// A path of the rule does not parse below the template, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(CauseKind::PathSyntax)
}
