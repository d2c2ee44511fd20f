//! Paths that cannot be said as predicates.

use kvrules_ir::CauseKind;

use super::Difference;
use crate::context::{Context, RuleContext};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D14",
    name: "path-construct",
    summary: "slices, unions, filters, recursive descent and constants are walked by the validator, and left out by kvrules",
    applies,
};

/// A path of the rule uses such a construct, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(CauseKind::PathConstruct)
}
