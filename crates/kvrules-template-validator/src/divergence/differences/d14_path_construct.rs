//! Paths that cannot be expressed as predicates.

use kvrules_ir::OmissionKind;

use crate::divergence::context::{DifferenceContext, RuleContext};
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D14",
    name: "path-construct",
    summary: "slices, unions, filters, recursive descent and constants are evaluated by the validator, and left out by kvrules",
    applies,
    in_rule: Some(in_rule),
};

/// A path of the rule uses such a construct, and the rule is not skipped.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(OmissionKind::PathConstruct)
}

/// The path or an argument uses such a construct, or the guard does.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    if !rule.is_left_out(OmissionKind::PathConstruct) {
        return None;
    }
    let key = rule.path_with_fault(OmissionKind::PathConstruct).map_or("valid", |path| path.key);
    Some(DifferenceSign::new(
        DifferenceEffect::Differs,
        key,
        "it evaluates this path, and kvrules leaves the rule out",
    ))
}
