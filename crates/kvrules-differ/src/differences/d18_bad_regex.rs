//! Regular expressions that are none.

use crate::alone::{Effect, RuleAlone, Sign};
use crate::context::Context;
use crate::difference::Difference;
use kvrules_ir::CauseKind;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D18",
    name: "bad-regex",
    summary: "a rule whose expression RE2 does not support is left out by kvrules, and an error for the validator",
    applies,
    in_rule: Some(in_rule),
};

/// The expression does not compile, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| rule.written.kind == "regex") else { return false };
    let compiles = kvrules_regex::compile_matcher(&rule.written.regex).is_ok();
    !compiles && rule.left_out_alone().is_some()
}

/// The expression does not compile.
fn in_rule(rule: &RuleAlone<'_>) -> Option<Sign> {
    if rule.written.kind != "regex" || !rule.is_left_out(CauseKind::Regex) {
        return None;
    }
    let because = "it cannot compile this expression and fails with an error on the rule";
    Some(Sign::new(Effect::Denies, "regex", because))
}
