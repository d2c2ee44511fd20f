//! Values as JSON that keeps their types.

use kvrules_cel::types::escape_property;
use kvrules_cel::value::{Key, Value as CelValue};
use serde_json::{Value, json};

/// The value as JSON, in which numbers and bytes say what they are; or why it is not for another engine.
pub(super) fn typed_json(value: &CelValue) -> Result<Value, &'static str> {
    Ok(match value {
        CelValue::Null => Value::Null,
        CelValue::Bool(value) => Value::Bool(*value),
        CelValue::Int(value) => json!({"int": value.to_string()}),
        CelValue::Uint(value) => json!({"uint": value.to_string()}),
        // As bits, so that no digit is lost on the way.
        CelValue::Double(value) => json!({"double": value.to_bits().to_string()}),
        CelValue::String(text) => Value::String(text.to_string()),
        CelValue::Bytes(bytes) => json!({"bytes": bytes.to_vec()}),
        CelValue::Type(name) => json!({"type": name.to_string()}),
        CelValue::List(list) => {
            let items: Result<Vec<_>, _> = list.items.iter().map(typed_json).collect();
            json!({"list": items?})
        }
        CelValue::Map(entries) => {
            let entries: Result<Vec<_>, _> =
                entries.iter().map(|(name, value)| typed_entry(name, value)).collect();
            json!({"map": entries?})
        }
        CelValue::Object(object) => {
            let mut entries = Vec::new();
            for (name, value) in &object.fields {
                // Expressions cannot refer to a field whose name cannot be escaped.
                if let Some(name) = escape_property(name) {
                    entries.push(json!([name, typed_json(value)?]));
                }
            }
            json!({"map": entries})
        }
        CelValue::Timestamp(_) | CelValue::Duration(_) => {
            return Err("a moment or a duration, which the other engine does not take or give");
        }
        CelValue::Invalid(_) => return Err("data that its schema refuses"),
        CelValue::Optional(_) => {
            return Err("an optional value, which the other engine does not take or give");
        }
        _ => return Err("a value of a type of Kubernetes"),
    })
}

fn typed_entry(name: &Key, value: &CelValue) -> Result<Value, &'static str> {
    let name = match name {
        Key::Bool(name) => json!(name),
        Key::Int(name) => json!({"int": name.to_string()}),
        Key::Uint(name) => json!({"uint": name.to_string()}),
        Key::Double(_) => return Err("a double for a key, which the other engine does not take"),
        Key::String(name) => json!(name.to_string()),
    };
    Ok(json!([name, typed_json(value)?]))
}
