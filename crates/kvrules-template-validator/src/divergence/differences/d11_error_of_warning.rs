//! Errors of rules that only warn.

use crate::divergence::context::{DifferenceContext, SspOutcome};
use crate::divergence::difference::Difference;
use crate::divergence::paths::{is_in_domain, optional_way};
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use kvrules_ir::{Selector, ValueType};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D11",
    name: "error-of-warning",
    summary: "a rule with justWarning never rejects by its meaning, and denies in the validator if it fails with an error",
    applies,
    in_rule: Some(in_rule),
};

/// A rule that only warns applies, and the validator finds an error in it: no value, no such path, no readable argument.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    rule.both_apply() && rule.written.just_warning && matches!(rule.ssp, SspOutcome::Error(_))
}

/// The values are of a type that no integer rule can read, or there may be none at all. Both are errors.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let requirement = rule.evaluated_values().filter(|_| rule.written.just_warning)?;
    let subject = &requirement.subject;
    let deny = "which denies the object though the rule only warns";
    let is_readable = matches!(subject.leaf.value_type, ValueType::Integer | ValueType::Quantity);
    if rule.written.kind == "integer" && !is_readable {
        let because = format!("it cannot read this value as an integer, {deny}");
        return Some(DifferenceSign::new(DifferenceEffect::Denies, "path", because));
    }
    let lists = |selector: &Selector| selector.lists.first().cloned();
    let guard = requirement.guard.as_ref();
    let may_be_empty = !subject.lists.is_empty() && guard.and_then(lists) != lists(subject);
    let may_end = guard.is_none() && !is_in_domain(subject) && optional_way(subject).is_some();
    (may_be_empty || may_end).then(|| {
        let because = format!("it fails with an error if the path finds nothing, {deny}");
        DifferenceSign::new(DifferenceEffect::Differs, "justWarning", because)
    })
}
