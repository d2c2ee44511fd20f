//! Null among the values of an enumeration.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D25",
    name: "null-in-values",
    summary: "a null in values is the empty string for the validator, and an error by its meaning, so the rule is left out",
    applies,
    in_rule: Some(in_rule),
};

/// A member of `values` is null, and the rule is not skipped.
fn applies(context: &DifferenceContext<'_>) -> bool {
    context.rule.is_some_and(|rule| rule.left_out_alone().is_some() && rule.written.has_null_value)
}

/// A member of `values` is null.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    (rule.written.has_null_value && rule.left_out.is_some() && rule.is_sound()).then(|| {
        let because = "it reads null as the empty string, and kvrules leaves the rule out";
        DifferenceSign::new(DifferenceEffect::Differs, "values", because)
    })
}
