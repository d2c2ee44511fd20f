//! Nulls: where the server compares them with the schema, drops them, or replaces them by a default.

use serde_json::{Map, Value, json};

use super::{Converter, NullTreatment, OptionalNulls, is_true};

/// Keywords that a server does not apply to null, and JSON Schema does.
const OF_ANY_VALUE: [&str; 6] = ["enum", "const", "allOf", "anyOf", "oneOf", "not"];

impl Converter {
    /// Lets null into a schema where the server accepts it.
    pub(super) fn with_null(
        &self,
        made: Map<String, Value>,
        node: &Map<String, Value>,
        null: NullTreatment,
    ) -> Map<String, Value> {
        let is_nullable = is_true(node, "nullable");
        let is_untyped = !made.contains_key("type");
        let is_replaced = null == NullTreatment::Replaced && self.options.nulls == OptionalNulls::Accept;
        let is_accepted = match null {
            // kube-openapi validate/schema.go, (*SchemaValidator).Validate: type and `enum`, and no listed value equals null.
            _ if is_nullable => node.get("enum").is_none_or(|values| *values == json!([])),
            NullTreatment::Kept => is_untyped && node.get("enum").is_none_or(|values| *values == json!([])),
            NullTreatment::Replaced => is_replaced,
            NullTreatment::DroppedRequired => false,
        };
        let has_others = OF_ANY_VALUE.iter().any(|keyword| made.contains_key(*keyword));
        match (is_accepted, is_untyped) {
            (true, true) if !has_others => made,
            (true, _) if has_others => alternatives_with_null(made),
            (true, _) => with_null_type(made),
            // The types of the schema exclude null.
            (false, false) => made,
            (false, true) => without_null(made),
        }
    }
}

fn with_null_type(mut made: Map<String, Value>) -> Map<String, Value> {
    match made.get_mut("type") {
        Some(Value::Array(types)) => types.push("null".into()),
        Some(kind) => *kind = json!([kind.clone(), "null"]),
        None => {}
    }
    made
}

/// Null, or a value that the schema accepts. Descriptions stay outside, where editors look for them.
fn alternatives_with_null(mut made: Map<String, Value>) -> Map<String, Value> {
    let mut outer = Map::new();
    for keyword in ["title", "description", "default", "examples"] {
        if let Some(value) = made.remove(keyword) {
            outer.insert(keyword.to_owned(), value);
        }
    }
    outer.insert("anyOf".to_owned(), json!([{ "type": "null" }, made]));
    outer
}

fn without_null(mut made: Map<String, Value>) -> Map<String, Value> {
    let excluded = json!({ "not": { "type": "null" } });
    match made.get_mut("allOf") {
        Some(Value::Array(parts)) => parts.push(excluded),
        _ => {
            made.insert("allOf".to_owned(), json!([excluded]));
        }
    }
    made
}
