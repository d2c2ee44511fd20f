//! Changes of an object in one place.

use serde_json::{Value, json};

use super::random::PseudoRandom;

/// Changes a value somewhere in an object.
pub(super) fn change_somewhere(object: &mut Value, chance: &mut PseudoRandom) {
    let mut places = Vec::new();
    collect_places(object, String::new(), &mut places);
    let Some(pointer) = chance.choose(&places).cloned() else { return };
    let (around, last) = pointer.rsplit_once('/').unwrap_or_default();
    let name = last.replace("~1", "/").replace("~0", "~");
    match (chance.below(4), object.pointer_mut(around)) {
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
pub(super) fn differing_value(value: Value, node: &Value, keyword: &str, attempt: usize) -> Value {
    let bound = || node.get(keyword).and_then(Value::as_u64).unwrap_or(1);
    let filled = |count: u64, filler: &dyn Fn(u64) -> Value| -> Value {
        (0..count).map(|index| (format!("unknown{index}"), filler(index))).collect()
    };
    match keyword {
        "x-kubernetes-list-map-keys" => match value {
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
        "maxProperties" => match (value, node.get("additionalProperties").filter(|it| it.is_object())) {
            (Value::Object(mut fields), Some(_)) => {
                let example = fields.values().next().cloned().unwrap_or_else(|| "a".into());
                let more = filled(bound() + 1, &|_| example.clone());
                fields.extend(more.as_object().cloned().unwrap_or_default());
                fields.insert("none".to_owned(), Value::Null);
                fields.into()
            }
            (value, _) => value,
        },
        "x-kubernetes-embedded-resource" => {
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

fn changed_value(value: &Value, chance: &mut PseudoRandom) -> Value {
    if chance.below(3) == 0 {
        return Value::Null;
    }
    let others =
        [json!(null), json!(true), json!(-1), json!("other value"), json!(1.5), json!({}), json!([])];
    match value {
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            let near =
                [number.saturating_add(1), number.saturating_sub(1), 0, -1, 70_000, i64::from(i32::MAX) + 1];
            match chance.below(9) {
                7 => json!(1e30),
                at @ 0..5 => near.get(at).copied().unwrap_or(0).into(),
                5 => "12".into(),
                6 => json!(f64::from(i32::try_from(number).unwrap_or(0))),
                _ => near.last().copied().unwrap_or(0).into(),
            }
        }
        Value::String(text) => match chance.below(6) {
            0 => "".into(),
            1 => format!("{text} ").into(),
            2 => format!("{text}{}", "x".repeat(300)).into(),
            3 => text.to_uppercase().into(),
            4 => json!(7),
            _ => "other value".into(),
        },
        Value::Object(fields) => match chance.below(4) {
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
            _ => chance.choose(&others).cloned().unwrap_or_default(),
        },
        Value::Array(items) => match chance.below(4) {
            0 => json!([]),
            1 => items.iter().chain(items).cloned().collect(),
            2 => json!([null]),
            _ => chance.choose(&others).cloned().unwrap_or_default(),
        },
        Value::Bool(_) | Value::Null => chance.choose(&others).cloned().unwrap_or_default(),
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
