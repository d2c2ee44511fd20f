//! Prepares an object as an API server does before validation by a structural schema: undeclared fields are dropped,
//! and defaults are set.

use kvrules_kubernetes::keywords::PRESERVE_UNKNOWN_FIELDS;
use serde_json::{Map, Value};

/// The object as the schema's rules see it. `is_root` says that the fields of every object are there as well.
pub(super) fn to_served(object: &Value, schema: &Value, is_root: bool) -> Value {
    match object {
        Value::Object(fields) => of_object(fields, schema, is_root),
        Value::Array(items) => match schema.get("items") {
            Some(schema) => items.iter().map(|item| to_served(item, schema, false)).collect(),
            None => object.clone(),
        },
        other => other.clone(),
    }
}

fn of_object(fields: &Map<String, Value>, schema: &Value, is_root: bool) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let values = schema.get("additionalProperties").filter(|values| values.is_object());
    let is_open = schema.get(PRESERVE_UNKNOWN_FIELDS) == Some(&Value::Bool(true));
    let always = |name: &str| is_root && matches!(name, "apiVersion" | "kind" | "metadata");
    let mut kept = Map::new();
    for (name, value) in fields {
        let schema = properties.and_then(|properties| properties.get(name)).or(values);
        match schema {
            Some(schema) => _ = kept.insert(name.clone(), to_served(value, schema, false)),
            None if is_open || always(name) => _ = kept.insert(name.clone(), value.clone()),
            None => {}
        }
    }
    for (name, schema) in properties.into_iter().flatten() {
        if let Some(default) = schema.get("default").filter(|_| !kept.contains_key(name)) {
            kept.insert(name.clone(), to_served(default, schema, false));
        }
    }
    kept.into()
}
