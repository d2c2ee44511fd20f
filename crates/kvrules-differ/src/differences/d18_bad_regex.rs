//! Regular expressions that are none.

use super::Difference;
use crate::context::Context;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D18",
    name: "bad-regex",
    summary: "a rule whose expression RE2 does not know is left out by kvrules, and in error for the validator",
    applies,
};

/// The expression does not compile, and the rule is not skipped.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| rule.written.kind == "regex") else { return false };
    let compiles = kvrules_regex::parse(&rule.written.regex).is_ok_and(|regex| regex.matcher().is_ok());
    !compiles && rule.left_out_alone().is_some()
}
