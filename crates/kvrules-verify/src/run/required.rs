//! Adds what a definition requires beyond the rules: an object that lacks it is rejected whatever the rules are, so it
//! is put in before the rules run.

use serde_json::{Map, Value, json};

/// Puts in the smallest value of each field that a structural schema requires and that is missing.
pub(super) fn add_required_fields(object: &mut Value, schema: &Value) {
    match object {
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, schema) in missing_fields(fields, schema, properties) {
                fields.insert(name, smallest_value(&schema));
            }
            let values = schema.get("additionalProperties");
            for (name, value) in fields.iter_mut() {
                let below = properties.and_then(|properties| properties.get(name)).or(values);
                if let Some(schema) = below {
                    add_required_fields(value, schema);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    add_required_fields(item, schema);
                }
            }
        }
        _ => {}
    }
}

/// The required fields that are missing and have no default, with their schemas.
fn missing_fields(
    fields: &Map<String, Value>,
    schema: &Value,
    properties: Option<&Map<String, Value>>,
) -> Vec<(String, Value)> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let names = required.filter_map(Value::as_str).filter(|name| !fields.contains_key(*name));
    let with_schema = names.filter_map(|name| Some((name.to_owned(), properties?.get(name)?.clone())));
    with_schema.filter(|(_, schema)| schema.get("default").is_none()).collect()
}

fn smallest_value(schema: &Value) -> Value {
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|values| values.first()) {
        return first.clone();
    }
    let number = |keyword: &str| schema.get(keyword).and_then(Value::as_u64).unwrap_or_default();
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => "a".repeat(usize::try_from(number("minLength")).unwrap_or_default()).into(),
        Some("boolean") => false.into(),
        Some("array") => {
            let item = schema.get("items").map_or(Value::Null, smallest_value);
            (0..number("minItems")).map(|_| item.clone()).collect()
        }
        Some("object") => {
            let mut object = json!({});
            add_required_fields(&mut object, schema);
            object
        }
        _ => number("minimum").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_put_in_and_nothing_else() {
        let schema = json!({"type": "object", "required": ["disks"], "properties": {
            "disks": {"type": "array", "minItems": 1, "items": {
                "type": "object", "required": ["name", "order"], "properties": {
                    "name": {"type": "string", "minLength": 2}, "order": {"type": "integer", "minimum": 1},
                    "bus": {"type": "string"}
                }
            }},
            "note": {"type": "string"}
        }});
        let mut object = json!({});
        add_required_fields(&mut object, &schema);
        assert_eq!(object, json!({"disks": [{"name": "aa", "order": 1}]}));
        let mut object = json!({"disks": [{"name": "x", "order": 5, "bus": "sata"}]});
        let before = object.clone();
        add_required_fields(&mut object, &schema);
        assert_eq!(object, before);
    }
}
