//! Names that are not unique.

use crate::alone::{Effect, RuleAlone, Sign};
use crate::context::Context;
use crate::difference::Difference;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D13",
    name: "name-taken",
    summary: "the second rule with the same name is evaluated by its meaning, and an error for the validator",
    applies,
    in_rule: Some(in_rule),
};

/// A rule before has the name, where no name counts as one.
fn applies(context: &Context<'_>) -> bool {
    context.rule.is_some_and(|rule| rule.is_name_taken && rule.error_matters())
}

/// The same; nothing else of the rule is examined.
fn in_rule(rule: &RuleAlone<'_>) -> Option<Sign> {
    (rule.is_name_taken && rule.refusal().is_none()).then(|| {
        let because = "it fails with an error on the second rule with the same name";
        Sign::new(Effect::Denies, "name", because)
    })
}
