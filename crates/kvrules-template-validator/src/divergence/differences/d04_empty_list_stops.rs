//! A [*] that stops at an empty list.

use kvrules_eval::EvaluatedValue;

use crate::divergence::context::{DifferenceContext, RuleContext};
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use kvrules_ir::Selector;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D4",
    name: "empty-list-stops",
    summary: "a wildcard over several lists stops at the first empty one, and later lists are not checked",
    applies,
    in_rule: Some(in_rule),
};

/// The validator sees fewer values than there are, and those that it does not see decide.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    if guard_stops(rule) {
        return true;
    }
    let Some((read, seen)) = rule.evaluated_values() else { return false };
    if seen.is_reference() || read.rule.requirement.subject.lists.len() < 2 {
        return false;
    }
    let values = &read.explanation.values;
    let count = seen.result_texts().len();
    let passing = |evaluated: &[EvaluatedValue]| {
        !evaluated.is_empty() && evaluated.iter().all(EvaluatedValue::passes_tests)
    };
    count < values.len() && values.get(..count).is_some_and(|prefix| passing(prefix) != passing(values))
}

/// The guard finds something behind the empty list, and the validator nothing before it.
fn guard_stops(rule: &RuleContext) -> bool {
    let Some((read, guard)) = rule.readable_rule().zip(rule.guard.as_ref()) else { return false };
    let lists = read.rule.requirement.guard.as_ref().map_or(0, |guard| guard.lists.len());
    let finds = read.explanation.guard.as_ref().is_some_and(|found| !found.is_empty());
    rule.is_sound() && lists >= 2 && finds && !guard.on_machine
}

/// The path or the guard has two wildcards.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let requirement = rule.evaluated_values()?;
    let is_long = |selector: &Selector| selector.lists.len() > 1;
    let key = match &requirement.guard {
        _ if is_long(&requirement.subject) => "path",
        Some(guard) if is_long(guard) => "valid",
        _ => return None,
    };
    let because = "it stops at the first empty inner list and does not check later ones";
    Some(DifferenceSign::new(DifferenceEffect::Differs, key, because))
}
