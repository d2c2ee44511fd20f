//! An index that one item lacks.

use kvrules_ir::PlaceStep;

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D27",
    name: "index-fails-walk",
    summary: "an index past the end of one list fails the whole walk, so that the guard finds nothing",
    applies,
    in_rule: Some(in_rule),
};

/// The guard indexes a list, finds something by its meaning, and its walk is an error for the validator.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| rule.is_sound()) else { return false };
    let Some((read, guard)) = rule.readable_rule().zip(rule.guard.as_ref()) else { return false };
    let Some(selector) = &read.rule.requirement.guard else { return false };
    let steps = selector.lists.iter().flat_map(|list| &list.steps).chain(&selector.leaf.steps);
    let indexes = steps.into_iter().any(|step| matches!(step, PlaceStep::Item(_)));
    let finds = read.explanation.guard.as_ref().is_some_and(|found| !found.is_empty());
    indexes && !selector.lists.is_empty() && finds && !guard.on_machine
}

/// The guard indexes a list behind a wildcard.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let guard = rule.evaluated_values()?.guard.as_ref().filter(|guard| !guard.lists.is_empty())?;
    let steps = guard.lists.iter().flat_map(|list| &list.steps).chain(&guard.leaf.steps);
    let indexes = steps.into_iter().any(|step| matches!(step, PlaceStep::Item(_)));
    indexes.then(|| {
        let because = "its guard finds nothing if one item lacks the index";
        DifferenceSign::new(DifferenceEffect::Differs, "valid", because)
    })
}
