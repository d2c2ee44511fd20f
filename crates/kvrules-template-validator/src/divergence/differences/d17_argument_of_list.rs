//! Arguments whose paths run through a list.

use kvrules_ir::OmissionKind;

use crate::divergence::context::{DifferenceContext, RuleContext};
use crate::divergence::difference::Difference;
use crate::divergence::paths::{KeyedPath, argument_paths};
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D17",
    name: "argument-of-list",
    summary: "an argument that can yield several values is left out by kvrules, and accepted by the validator if it yields one",
    applies,
    in_rule: Some(in_rule),
};

/// An argument runs through a list, and the rule is not skipped.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(OmissionKind::ManyValues)
}

/// An argument runs through a list.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    if !rule.is_left_out(OmissionKind::ManyValues) {
        return None;
    }
    let many = |path: &KeyedPath<'_>| path.resolve_path().is_ok_and(|selector| !selector.lists.is_empty());
    let key = argument_paths(&rule.written).find(many)?.key;
    let because = "it accepts this argument if it yields one value, and kvrules leaves the rule out";
    Some(DifferenceSign::new(DifferenceEffect::Differs, key, because))
}
