//! Absent optional fields that count as there.

use kvrules_ir::{PlaceStep, Presence, Selector};

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::paths::optional_end;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use crate::divergence::text_tests::TextTests;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D8",
    name: "absent-pointer",
    summary: "an absent pointer below a present parent is a result for the validator, and absent by its meaning",
    applies,
    in_rule: Some(in_rule),
};

/// The guard ends at a field, finds nothing by its meaning and an absent pointer for the validator; or the path does, and
/// the text that the validator takes it for passes.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let Some(read) = rule.readable_rule().filter(|_| rule.is_sound()) else { return false };
    let requirement = &read.rule.requirement;
    if let (Some(guard), Some(selector)) = (&rule.guard, &requirement.guard)
        && ends_at_field(selector)
        && guard.on_machine
        && read.explanation.guard.as_ref().is_some_and(Vec::is_empty)
    {
        return true;
    }
    let Some((_, seen)) = rule.evaluated_values() else { return false };
    let is_absent =
        read.explanation.values.is_empty() && seen.on_machine && ends_at_field(&requirement.subject);
    let passes = || TextTests::from_rule(read).all_pass(seen.result_texts().iter().map(String::as_str));
    rule.written.kind != "integer" && is_absent && passes()
}

fn ends_at_field(selector: &Selector) -> bool {
    matches!(selector.leaf.steps.last(), Some(PlaceStep::Field { presence: Presence::Optional, .. }))
}

/// The guard ends at a field that objects may lack.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let name = optional_end(rule.evaluated_values()?.guard.as_ref()?)?;
    let because = format!("its guard finds `{name}` even if that is absent");
    Some(DifferenceSign::new(DifferenceEffect::Differs, "valid", because))
}
