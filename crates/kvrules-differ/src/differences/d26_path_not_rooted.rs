//! Paths that do not begin with a dot.

use kvrules_ir::CauseKind;

use crate::alone::{Effect, RuleAlone, Sign};
use crate::context::{Context, RuleContext};
use crate::difference::Difference;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D26",
    name: "path-not-rooted",
    summary: "after the prefix, a path without its first dot changes the preceding name: kvrules leaves the rule out, and it is an error for the validator",
    applies,
    in_rule: Some(in_rule),
};

/// A path of the rule does not parse below the template, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(CauseKind::PathSyntax)
}

/// The path or an argument does not begin at the template's fields; behind such a guard, the validator skips the rule.
fn in_rule(rule: &RuleAlone<'_>) -> Option<Sign> {
    if !rule.is_left_out(CauseKind::PathSyntax) {
        return None;
    }
    let path = rule.faulty(CauseKind::PathSyntax)?;
    let because = "it searches next to the template for a path that does not begin with a dot";
    Some(Sign::new(Effect::Denies, path.key, because))
}
