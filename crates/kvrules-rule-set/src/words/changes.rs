//! Small changes of the values of words, each of which a test should notice.

use kvrules_kubernetes::quantity::Quantity;
use serde_json::{Number, Value as Json};

/// A change of a word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WordChange {
    /// Description, after the name of the word.
    pub(crate) description: String,
    /// The word, if it is another one.
    pub(crate) word: Option<&'static str>,
    /// The value.
    pub(crate) value: Json,
}

/// A word whose value has no small changes: a test notices if the word is dropped.
pub(super) fn none(_: &Json) -> Vec<WordChange> {
    Vec::new()
}

fn change(description: String, value: Json) -> WordChange {
    WordChange { description, word: None, value }
}

fn swap(word: &'static str, value: &Json) -> WordChange {
    WordChange { description: format!("becomes `{word}`"), word: Some(word), value: value.clone() }
}

pub(super) fn swap_with_forbidden(value: &Json) -> Vec<WordChange> {
    vec![swap("forbidden", value)]
}

pub(super) fn swap_with_required(value: &Json) -> Vec<WordChange> {
    vec![swap("required", value)]
}

pub(super) fn swap_with_at_most(value: &Json) -> Vec<WordChange> {
    vec![swap("atMost", value)]
}

pub(super) fn swap_with_at_least(value: &Json) -> Vec<WordChange> {
    vec![swap("atLeast", value)]
}

pub(super) fn swap_with_equals(value: &Json) -> Vec<WordChange> {
    vec![swap("equals", value)]
}

/// Lists of texts without one of them.
pub(super) fn change_texts(value: &Json) -> Vec<WordChange> {
    drop_items(value, 1)
}

pub(super) fn change_exactly_one(value: &Json) -> Vec<WordChange> {
    let swaps = [swap("atMostOneOf", value), swap("atLeastOneOf", value)];
    swaps.into_iter().chain(drop_paths(value)).collect()
}

pub(super) fn change_at_most_one(value: &Json) -> Vec<WordChange> {
    std::iter::once(swap("exactlyOneOf", value)).chain(drop_paths(value)).collect()
}

pub(super) fn change_at_least_one(value: &Json) -> Vec<WordChange> {
    std::iter::once(swap("exactlyOneOf", value)).chain(drop_paths(value)).collect()
}

/// Lists without one of their paths; two have to be left.
pub(super) fn drop_paths(value: &Json) -> Vec<WordChange> {
    drop_items(value, 2)
}

/// Lists without one of their keys.
pub(super) fn drop_keys(value: &Json) -> Vec<WordChange> {
    drop_items(value, 1)
}

fn drop_items(value: &Json, least: usize) -> Vec<WordChange> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    if items.len() <= least {
        return Vec::new();
    }
    let without = |index: usize| {
        let mut kept = items.to_vec();
        let dropped = kept.remove(index);
        change(format!("{dropped} is removed from the list"), kept.into())
    };
    (0..items.len()).map(without).collect()
}

/// Both bounds, with one of them changed.
fn change_bounds(value: &Json, nearest: impl Fn(&Json) -> Vec<Json>) -> Vec<WordChange> {
    let mut changes = Vec::new();
    for name in ["min", "max", "above", "below"] {
        let Some(bound) = value.get(name) else { continue };
        for next in nearest(bound) {
            let mut whole = value.clone();
            let description = format!("`{name}` becomes {next}");
            if let Some(fields) = whole.as_object_mut() {
                fields.insert(name.to_owned(), next);
            }
            changes.push(change(description, whole));
        }
    }
    changes.extend(exclude_bounds(value));
    changes
}

/// Numbers and quantities with a bound that is excluded in place of one that is included, or the other way round.
fn exclude_bounds(value: &Json) -> Vec<WordChange> {
    let pairs = [("above", "min"), ("below", "max")];
    let exchanged = pairs.into_iter().filter_map(|(excluded, included)| {
        let bound = value.get(excluded)?.clone();
        let mut whole = value.clone();
        let fields = whole.as_object_mut()?;
        fields.shift_remove(excluded);
        fields.insert(included.to_owned(), bound);
        Some(change(format!("`{excluded}` becomes `{included}`"), whole))
    });
    exchanged.collect()
}

fn next_integers(value: &Json) -> Vec<i64> {
    let value = value.as_i64();
    [value.and_then(|it| it.checked_add(1)), value.and_then(|it| it.checked_sub(1))]
        .into_iter()
        .flatten()
        .collect()
}

pub(super) fn change_integers(value: &Json) -> Vec<WordChange> {
    change_bounds(value, |bound| next_integers(bound).into_iter().map(Json::from).collect())
}

pub(crate) fn change_counts(value: &Json) -> Vec<WordChange> {
    let counts =
        |bound: &Json| next_integers(bound).into_iter().filter(|it| *it >= 0).map(Json::from).collect();
    change_bounds(value, counts)
}

pub(super) fn change_numbers(value: &Json) -> Vec<WordChange> {
    let next = |bound: &Json| {
        let bound = bound.as_f64();
        let all = [bound.map(|it| it + 1.0), bound.map(|it| it - 1.0)];
        all.into_iter().flatten().filter_map(Number::from_f64).map(Json::from).collect()
    };
    change_bounds(value, next)
}

/// Quantities with the number before their unit changed by one.
pub(super) fn change_quantities(value: &Json) -> Vec<WordChange> {
    let next = |bound: &Json| {
        let text = bound.as_str().map_or_else(|| bound.to_string(), str::to_owned);
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let Some((digits, unit)) = text.split_at_checked(end) else { return Vec::new() };
        let Ok(number) = digits.parse::<i64>() else { return Vec::new() };
        let changed = [number.checked_add(1), number.checked_sub(1)].into_iter().flatten();
        let texts = changed.map(|number| format!("{number}{unit}"));
        texts.filter(|text| Quantity::parse(text).is_ok()).map(Json::from).collect()
    };
    change_bounds(value, next)
}

/// Choices with a value less, and with one more.
pub(super) fn change_choice(value: &Json) -> Vec<WordChange> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut changes = drop_items(value, 1);
    if !items.is_empty() && items.iter().all(Json::is_string) {
        let mut all = items.to_vec();
        all.push("kvrules-added".into());
        changes.push(change("`kvrules-added` is added to the list".to_owned(), all.into()));
    }
    if let [Json::Bool(only)] = items {
        changes.push(change(format!("`{only}` becomes `{}`", !only), Json::from(vec![!only])));
    }
    changes
}

/// Patterns without the anchor at their beginning or end.
pub(super) fn drop_anchors(value: &Json) -> Vec<WordChange> {
    let Some(pattern) = value.as_str() else { return Vec::new() };
    let start = pattern.strip_prefix('^').map(|rest| ("^", rest));
    let end = pattern.strip_suffix('$').filter(|rest| !rest.ends_with('\\')).map(|rest| ("$", rest));
    let anchors = start.into_iter().chain(end);
    anchors.map(|(anchor, rest)| change(format!("`{anchor}` is dropped"), rest.into())).collect()
}

pub(super) fn change_immutable(value: &Json) -> Vec<WordChange> {
    let others = ["always", "onceSet", "whileSet"].into_iter().filter(|other| value.as_str() != Some(other));
    others.map(|other| change(format!("becomes `{other}`"), other.into())).collect()
}

/// Transitions without one of the next values.
pub(super) fn drop_transitions(value: &Json) -> Vec<WordChange> {
    let mut changes = Vec::new();
    for (from, next) in value.as_object().into_iter().flatten() {
        let next = next.as_array().map(Vec::as_slice).unwrap_or_default();
        for index in 0..next.len() {
            let mut kept = next.to_vec();
            let dropped = kept.remove(index);
            let mut whole = value.clone();
            if let Some(fields) = whole.as_object_mut() {
                fields.insert(from.clone(), kept.into());
            }
            changes.push(change(format!("the step from \"{from}\" to {dropped} is dropped"), whole));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bounds_change_by_one_and_counts_stay_possible() {
        let values = |changes: Vec<WordChange>| changes.into_iter().map(|it| it.value).collect::<Vec<_>>();
        assert_eq!(values(change_integers(&json!({"min": 0}))), [json!({"min": 1}), json!({"min": -1})]);
        assert_eq!(values(change_counts(&json!({"min": 0}))), [json!({"min": 1})]);
        assert_eq!(
            values(change_quantities(&json!({"max": "2Gi"}))),
            [json!({"max": "3Gi"}), json!({"max": "1Gi"})]
        );
        assert_eq!(values(drop_anchors(&json!("^a\\$"))), [json!("a\\$")]);
        assert_eq!(values(drop_transitions(&json!({"a": ["b"]}))), [json!({"a": []})]);
    }
}
