//! Objects that two schemas are asked about.

use std::collections::HashSet;

use kvrules_diff::schema::generate_objects as made;
use serde_json::{Value, json};

use super::Seeds;

/// Objects made from both schemas, and each of them spoilt in some way.
pub(crate) fn many(old: &Value, new: &Value, seeds: &mut Seeds) -> Vec<Value> {
    let mut all = made(old, 40);
    all.extend(made(new, 40));
    let spoilt: Vec<Value> = all.iter().map(|object| spoil(object.clone(), seeds)).collect();
    all.extend(spoilt);
    all.push(json!({}));
    let mut known = HashSet::new();
    all.retain(|object| known.insert(object.to_string()));
    all
}

/// The object with another value somewhere, or without a field, or with one more.
fn spoil(object: Value, seeds: &mut Seeds) -> Value {
    let texts = ["", "a", "b", "abc", "A", "zz", "aaaaa", "192.0.2.1", "YQ=="].map(|text| json!(text));
    let others = json!([null, 0, 1, 2, 3, 4, 5, 1.5, 9, true, false, [], {}, ["a", "a"], ["a", "b"], [1]]);
    let values: Vec<Value> = texts.into_iter().chain(others.as_array().unwrap().clone()).collect();
    match object {
        Value::Object(mut fields) if !fields.is_empty() && !seeds.often(12) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = seeds.one(&names).clone();
            let value = fields.remove(&name).unwrap();
            if seeds.often(6) {
                return Value::Object(fields);
            }
            fields.insert(name, spoil(value, seeds));
            if seeds.often(8) {
                fields.insert(
                    (*seeds.one(&["a", "b", "c", "d", "x", "status"])).to_owned(),
                    seeds.one(&values).clone(),
                );
            }
            Value::Object(fields)
        }
        Value::Array(mut items) if !items.is_empty() && !seeds.often(4) => {
            let last = items.pop().unwrap();
            items.push(spoil(last, seeds));
            Value::Array(items)
        }
        _ => seeds.one(&values).clone(),
    }
}
