//! Changes of an object in one place.

use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, LIST_MAP_KEYS};
use serde_json::{Value, json};

use crate::places::PlaceStep;
use crate::random::PseudoRandom;

/// Changes a value somewhere in an object.
pub(crate) fn change_somewhere(object: &mut Value, chance: &mut PseudoRandom) {
    let mut places = Vec::new();
    collect_places(object, String::new(), &mut places);
    let Some(pointer) = chance.choose_one(&places).cloned() else { return };
    let (around, last) = pointer.rsplit_once('/').unwrap_or_default();
    let name = last.replace("~1", "/").replace("~0", "~");
    match (chance.number_below(4), object.pointer_mut(around)) {
        (0, Some(Value::Object(fields))) => {
            fields.remove(&name);
            return;
        }
        (1, Some(Value::Array(items))) => {
            let copy = items.first().cloned();
            items.extend(copy);
            return;
        }
        _ => {}
    }
    if let Some(value) = object.pointer_mut(&pointer) {
        *value = changed_value(value, chance);
    }
}

/// A value of which server and schema may think differently because of a keyword.
pub(crate) fn differing_value(value: Value, node: &Value, keyword: &str, attempt: usize) -> Value {
    let bound = || node.get(keyword).and_then(Value::as_u64).unwrap_or(1);
    let filled = |count: u64, filler: &dyn Fn(u64) -> Value| -> Value {
        (0..count).map(|index| (format!("unknown{index}"), filler(index))).collect()
    };
    match keyword {
        LIST_MAP_KEYS => match value {
            Value::Array(items) if !items.is_empty() => items.iter().take(1).chain(&items).cloned().collect(),
            other => other,
        },
        "format" => {
            if attempt.is_multiple_of(2) {
                "not in the format".into()
            } else {
                json!([])
            }
        }
        "minProperties" => {
            filled(bound(), &|_| if attempt.is_multiple_of(2) { Value::Null } else { json!(1) })
        }
        "maxProperties" => {
            match (value, node.get("additionalProperties").filter(|it| **it != json!(false))) {
                (Value::Object(mut fields), Some(_)) => {
                    let example = fields.values().next().cloned().unwrap_or_else(|| "a".into());
                    let more = filled(bound() + 1, &|_| example.clone());
                    fields.extend(more.as_object().cloned().unwrap_or_default());
                    fields.insert("none".to_owned(), Value::Null);
                    fields.into()
                }
                (value, _) => value,
            }
        }
        EMBEDDED_RESOURCE => {
            let mut fields = value.as_object().cloned().unwrap_or_default();
            fields.insert("apiVersion".to_owned(), "v1".into());
            fields.insert("kind".to_owned(), "no kind".into());
            fields.into()
        }
        "multipleOf" | "minimum" | "maximum" => {
            let limit = node.get(keyword).and_then(Value::as_f64).unwrap_or_default();
            #[expect(clippy::cast_possible_truncation, reason = "a number near the limit")]
            let near = limit as i64;
            json!(near.saturating_add([0, 1, -1, 2].get(attempt % 4).copied().unwrap_or(0)))
        }
        _ => value,
    }
}

/// Values for a place: of every type, and next to every limit of its schema. `None` takes the field away.
pub fn value_variants(value: &Value, node: &Value) -> Vec<Option<Value>> {
    let mut made: Vec<Option<Value>> = vec![None];
    let of_types = [
        json!(null),
        json!(true),
        json!(""),
        json!("other value"),
        json!(-1),
        json!(1.5),
        json!(i64::from(i32::MAX) + 1),
        json!(1e30),
        json!({}),
        json!({ "unknownField": 1 }),
        json!([]),
        json!([null]),
    ];
    made.extend(of_types.into_iter().map(Some));
    let limit = |keyword: &str| node.get(keyword).and_then(Value::as_i64);
    for limit in ["minimum", "maximum"].into_iter().filter_map(limit) {
        made.extend([-1, 0, 1].map(|step| Some(limit.saturating_add(step).into())));
    }
    for limit in ["minLength", "maxLength"].into_iter().filter_map(limit) {
        let lengths = [limit.saturating_sub(1), limit, limit.saturating_add(1)];
        let lengths = lengths.iter().filter_map(|length| usize::try_from(*length).ok());
        made.extend(lengths.filter(|length| *length < 10_000).map(|length| Some("a".repeat(length).into())));
    }
    if let Some(items) = value.as_array() {
        let longer = limit("maxItems").and_then(|most| usize::try_from(most).ok()).filter(|most| *most < 300);
        let count = longer.map_or(items.len() * 2, |most| most + 1);
        made.push(Some(
            items.iter().cycle().take(if items.is_empty() { 0 } else { count }).cloned().collect(),
        ));
    }
    if let Value::String(text) = value {
        made.push(Some(format!("{text} ").into()));
    }
    made.extend(node.get("enum").and_then(Value::as_array).into_iter().flatten().take(3).cloned().map(Some));
    made
}

/// An object with a value in place of that at the end of some steps; `None` takes the field or the item away.
pub fn with_value_at(object: &Value, steps: &[PlaceStep], value: Option<&Value>) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else { return value.cloned() };
    let mut object = object.clone();
    match (step, &mut object) {
        (PlaceStep::Field(name), Value::Object(fields)) => {
            let inner = with_value_at(fields.get(name)?, rest, value);
            match inner {
                Some(inner) => drop(fields.insert(name.clone(), inner)),
                None => drop(fields.remove(name)),
            }
        }
        (PlaceStep::Any, Value::Object(fields)) => match with_value_at(fields.get("a")?, rest, value) {
            Some(inner) => drop(fields.insert("a".to_owned(), inner)),
            None => drop(fields.remove("a")),
        },
        (PlaceStep::Any, Value::Array(items)) => {
            let last = items.pop()?;
            items.extend(with_value_at(&last, rest, value));
        }
        _ => return None,
    }
    Some(object)
}

/// The value at the end of some steps.
pub fn value_at<'v>(object: &'v Value, steps: &[PlaceStep]) -> Option<&'v Value> {
    steps.iter().try_fold(object, |value, step| match step {
        PlaceStep::Field(name) => value.get(name),
        PlaceStep::Any => value.as_array().map_or_else(|| value.get("a"), |items| items.last()),
    })
}

fn changed_value(value: &Value, chance: &mut PseudoRandom) -> Value {
    if chance.number_below(3) == 0 {
        return Value::Null;
    }
    let others =
        [json!(null), json!(true), json!(-1), json!("other value"), json!(1.5), json!({}), json!([])];
    match value {
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            let near =
                [number.saturating_add(1), number.saturating_sub(1), 0, -1, 70_000, i64::from(i32::MAX) + 1];
            match chance.number_below(9) {
                7 => json!(1e30),
                at @ 0..5 => near.get(at).copied().unwrap_or(0).into(),
                5 => "12".into(),
                6 => json!(f64::from(i32::try_from(number).unwrap_or(0))),
                _ => near.last().copied().unwrap_or(0).into(),
            }
        }
        Value::String(text) => match chance.number_below(6) {
            0 => "".into(),
            1 => format!("{text} ").into(),
            2 => format!("{text}{}", "x".repeat(300)).into(),
            3 => text.to_uppercase().into(),
            4 => json!(7),
            _ => "other value".into(),
        },
        Value::Object(fields) => match chance.number_below(4) {
            0 => json!({}),
            1 => {
                let mut fields = fields.clone();
                fields.insert("unknownField".to_owned(), 1.into());
                fields.into()
            }
            2 => {
                let mut fields = fields.clone();
                if let Some(value) = fields.values_mut().next() {
                    *value = Value::Null;
                }
                fields.into()
            }
            _ => chance.choose_one(&others).cloned().unwrap_or_default(),
        },
        Value::Array(items) => match chance.number_below(4) {
            0 => json!([]),
            1 => items.iter().chain(items).cloned().collect(),
            2 => json!([null]),
            _ => chance.choose_one(&others).cloned().unwrap_or_default(),
        },
        Value::Bool(_) | Value::Null => chance.choose_one(&others).cloned().unwrap_or_default(),
    }
}

fn collect_places(value: &Value, pointer: String, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect_places(value, format!("{pointer}/{name}"), places);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect_places(value, format!("{pointer}/{index}"), places);
            }
        }
        _ => {}
    }
    if !pointer.is_empty() {
        places.push(pointer);
    }
}
