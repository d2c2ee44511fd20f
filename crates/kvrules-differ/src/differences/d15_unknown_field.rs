//! Paths to fields that are not in the API.

use kvrules_ir::CauseKind;

use super::Difference;
use crate::context::{Context, RuleContext};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D15",
    name: "unknown-field",
    summary: "a rule on a field that is not known is left out by kvrules, and in error for the validator, or found by its Go name",
    applies,
};

/// A path names a field that its object has not, or indexes what is no list, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(CauseKind::UnknownField)
}
