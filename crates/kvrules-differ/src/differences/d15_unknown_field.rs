//! Paths to fields that are not in the API.

use kvrules_ir::CauseKind;

use crate::alone::{Effect, RuleAlone, Sign};
use crate::context::{Context, RuleContext};
use crate::difference::Difference;
use crate::paths::paths;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D15",
    name: "unknown-field",
    summary: "a rule on an unknown field is left out by kvrules, and an error for the validator, or found by its Go name",
    applies,
    in_rule: Some(in_rule),
};

/// A path names a field that its object has not, or indexes what is not a list, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let cause = context.rule.and_then(RuleContext::left_out_alone);
    cause == Some(CauseKind::UnknownField)
}

/// The path or an argument names such a field; behind a guard that does, the validator skips the rule. A name of Go may be
/// found.
fn in_rule(rule: &RuleAlone<'_>) -> Option<Sign> {
    if !rule.is_left_out(CauseKind::UnknownField) {
        return None;
    }
    if let Some(path) = rule.faulty(CauseKind::UnknownField) {
        return Some(if path.has_go_name() || guard_is_faulty(rule) {
            let because = "it finds fields by their names in Go, and kvrules leaves the rule out";
            Sign::new(Effect::Differs, path.key, because)
        } else {
            let because = "it finds no such field and fails with an error on the rule";
            Sign::new(Effect::Denies, path.key, because)
        });
    }
    None
}

fn guard_is_faulty(rule: &RuleAlone<'_>) -> bool {
    let mut paths = paths(&rule.written).filter(|path| path.key == "valid");
    paths.any(|path| path.resolved().is_err())
}
