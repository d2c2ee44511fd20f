//! Regular expressions that are none.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use kvrules_ir::OmissionKind;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D18",
    name: "bad-regex",
    summary: "a rule whose expression RE2 does not support is left out by kvrules, and an error for the validator",
    applies,
    in_rule: Some(in_rule),
};

/// The expression does not compile, and the rule is not skipped.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| rule.written.kind == "regex") else { return false };
    let compiles = kvrules_regex::compile_matcher(&rule.written.regex).is_ok();
    !compiles && rule.left_out_alone().is_some()
}

/// The expression does not compile.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    if rule.written.kind != "regex" || !rule.is_left_out(OmissionKind::Regex) {
        return None;
    }
    let because = "it cannot compile this expression and fails with an error on the rule";
    Some(DifferenceSign::new(DifferenceEffect::Denies, "regex", because))
}
