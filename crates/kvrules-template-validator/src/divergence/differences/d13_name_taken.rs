//! Names that are not unique.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D13",
    name: "name-taken",
    summary: "the second rule with the same name is evaluated by its meaning, and an error for the validator",
    applies,
    in_rule: Some(in_rule),
};

/// A rule before has the name, where no name counts as one.
fn applies(context: &DifferenceContext<'_>) -> bool {
    context.rule.is_some_and(|rule| rule.is_name_taken && rule.error_matters())
}

/// The same; nothing else of the rule is examined.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    (rule.is_name_taken && rule.decode_refusal().is_none()).then(|| {
        let because = "it fails with an error on the second rule with the same name";
        DifferenceSign::new(DifferenceEffect::Denies, "name", because)
    })
}
