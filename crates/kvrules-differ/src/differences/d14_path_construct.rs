//! Paths that cannot be expressed as predicates.

use kvrules_ir::CauseKind;

use crate::alone::{Effect, RuleAlone, Sign};
use crate::context::{Context, RuleContext};
use crate::difference::Difference;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D14",
    name: "path-construct",
    summary: "slices, unions, filters, recursive descent and constants are evaluated by the validator, and left out by kvrules",
    applies,
    in_rule: Some(in_rule),
};

/// A path of the rule uses such a construct, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(CauseKind::PathConstruct)
}

/// The path or an argument uses such a construct, or the guard does.
fn in_rule(rule: &RuleAlone<'_>) -> Option<Sign> {
    if !rule.is_left_out(CauseKind::PathConstruct) {
        return None;
    }
    let key = rule.faulty(CauseKind::PathConstruct).map_or("valid", |path| path.key);
    Some(Sign::new(Effect::Differs, key, "it evaluates this path, and kvrules leaves the rule out"))
}
