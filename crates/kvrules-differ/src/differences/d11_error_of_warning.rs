//! Errors of rules that only warn.

use super::Difference;
use crate::context::{Context, SspOutcome};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D11",
    name: "error-of-warning",
    summary: "a rule with justWarning never rejects by its meaning, and denies in the validator when it is in error",
    applies,
};

/// A rule that only warns applies, and the validator finds an error in it: no value, no such path, no readable argument.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    rule.both_apply() && rule.written.just_warning && matches!(rule.ssp, SspOutcome::Error(_))
}
