//! Null items of lists and null values of maps.

use kvrules_eval::EvaluatedValue;
use kvrules_ir::{PlaceStep, Selector};
use serde_json::Value;

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::text_tests::TextTests;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D9",
    name: "null-item",
    summary: "a null in a list or a map is a zero value for the validator, and absent by its meaning",
    applies,
    in_rule: None,
};

/// On the way of the path stands a null in a list or a map, the validator evaluates a value more than there are by their
/// meaning, and that decides; or the guard finds no more than such a null.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| rule.is_sound()) else { return false };
    let Some(read) = rule.readable_rule().filter(|_| has_null_item(context.object)) else { return false };
    let requirement = &read.rule.requirement;
    if let (Some(guard), Some(selector)) = (&rule.guard, &requirement.guard)
        && goes_through_items(selector)
        && guard.on_machine
        && read.explanation.guard.as_ref().is_some_and(Vec::is_empty)
    {
        return true;
    }
    let Some((_, seen)) = rule.evaluated_values().filter(|_| goes_through_items(&requirement.subject)) else {
        return false;
    };
    let values = &read.explanation.values;
    let passes = !values.is_empty() && values.iter().all(EvaluatedValue::passes_tests);
    let texts = seen.result_texts().iter().map(String::as_str);
    let validator_passes = match rule.written.kind.as_str() {
        "integer" => rule.ssp_satisfied(),
        _ => TextTests::from_rule(read).all_pass(texts),
    };
    seen.on_machine && seen.result_texts().len() > values.len() && passes != validator_passes
}

/// True if a path runs through the items of a list or the values of a map.
fn goes_through_items(selector: &Selector) -> bool {
    let is_item = |step: &PlaceStep| matches!(step, PlaceStep::Item(_) | PlaceStep::Key(_));
    !selector.lists.is_empty() || selector.leaf.steps.iter().any(is_item)
}

/// True if a null is in a list, or in an object, which may be a map.
fn has_null_item(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| item.is_null() || has_null_item(item)),
        Value::Object(fields) => fields.values().any(|item| item.is_null() || has_null_item(item)),
        _ => false,
    }
}
