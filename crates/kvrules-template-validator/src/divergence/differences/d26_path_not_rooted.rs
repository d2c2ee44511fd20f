//! Paths that do not begin with a dot.

use kvrules_ir::OmissionKind;

use crate::divergence::context::{DifferenceContext, RuleContext};
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D26",
    name: "path-not-rooted",
    summary: "after the prefix, a path without its first dot changes the preceding name: kvrules leaves the rule out, and it is an error for the validator",
    applies,
    in_rule: Some(in_rule),
};

/// A path of the rule does not parse below the template, and the rule is not skipped.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(OmissionKind::PathSyntax)
}

/// The path or an argument does not begin at the template's fields; behind such a guard, the validator skips the rule.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    if !rule.is_left_out(OmissionKind::PathSyntax) {
        return None;
    }
    let path = rule.path_with_fault(OmissionKind::PathSyntax)?;
    let because = "it searches next to the template for a path that does not begin with a dot";
    Some(DifferenceSign::new(DifferenceEffect::Denies, path.key, because))
}
