//! Arguments whose paths run through a list.

use kvrules_ir::CauseKind;

use super::Difference;
use crate::context::{Context, RuleContext};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D17",
    name: "argument-of-list",
    summary: "an argument that can yield several values is left out by kvrules, and taken by the validator when it yields one",
    applies,
};

/// An argument runs through a list, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(CauseKind::ManyValues)
}
