//! Paths to fields that are not in the API.

use kvrules_ir::OmissionKind;

use crate::divergence::context::{DifferenceContext, RuleContext};
use crate::divergence::difference::Difference;
use crate::divergence::paths::rule_paths;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D15",
    name: "unknown-field",
    summary: "a rule on an unknown field is left out by kvrules, and an error for the validator, or found by its Go name",
    applies,
    in_rule: Some(in_rule),
};

/// A path names a field that its object has not, or indexes what is not a list, and the rule is not skipped.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(OmissionKind::UnknownField)
}

/// The path or an argument names such a field; behind a guard that does, the validator skips the rule. A name of Go may be
/// found.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    if !rule.is_left_out(OmissionKind::UnknownField) {
        return None;
    }
    if let Some(path) = rule.path_with_fault(OmissionKind::UnknownField) {
        return Some(if path.has_go_name() || guard_is_faulty(rule) {
            let because = "it finds fields by their names in Go, and kvrules leaves the rule out";
            DifferenceSign::new(DifferenceEffect::Differs, path.key, because)
        } else {
            let because = "it finds no such field and fails with an error on the rule";
            DifferenceSign::new(DifferenceEffect::Denies, path.key, because)
        });
    }
    None
}

fn guard_is_faulty(rule: &StandaloneRule<'_>) -> bool {
    let mut paths = rule_paths(&rule.written).filter(|path| path.key == "valid");
    paths.any(|path| path.resolve_path().is_err())
}
