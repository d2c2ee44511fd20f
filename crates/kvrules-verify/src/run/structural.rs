//! A structural schema for the objects of some rules, for CEL rules that come without one.

use kvrules_ir::{Presence, ValueType};
use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS};
use serde_json::{Map, Value, json};

use crate::synthesise::{PlaceNode, PlaceTree};

/// The schema of what the predicates refer to, without any demand but types. Below `hidden` nothing is declared.
pub(super) fn structural_schema(tree: &PlaceTree, hidden: &[&[&str]]) -> Value {
    node_schema(&tree.root, hidden)
}

fn node_schema(node: &PlaceNode, hidden: &[&[&str]]) -> Value {
    if hidden.iter().any(|way| way.is_empty()) {
        return json!({"type": "object", PRESERVE_UNKNOWN_FIELDS: true});
    }
    if let Some(element) = &node.element {
        return json!({"type": "array", "items": node_schema(element, &[])});
    }
    if let (true, Some((_, value))) = (node.is_map, node.fields.values().next()) {
        return json!({"type": "object", "additionalProperties": node_schema(value, &[])});
    }
    if !node.fields.is_empty() {
        return object_schema(node, hidden);
    }
    match node.value_type {
        ValueType::Integer => json!({"type": "integer"}),
        ValueType::Number => json!({"type": "number"}),
        ValueType::Boolean => json!({"type": "boolean"}),
        ValueType::String => json!({"type": "string"}),
        ValueType::Time => json!({"type": "string", "format": "date-time"}),
        ValueType::Quantity | ValueType::IntOrString => {
            json!({"anyOf": [{"type": "integer"}, {"type": "string"}], INT_OR_STRING: true})
        }
        ValueType::Map => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        ValueType::List => json!({"type": "array", "items": {"type": "string"}}),
        ValueType::Object => json!({"type": "object", "properties": {}}),
        ValueType::Any => json!({PRESERVE_UNKNOWN_FIELDS: true}),
    }
}

fn object_schema(node: &PlaceNode, hidden: &[&[&str]]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, (presence, below)) in &node.fields {
        let step = |way: &&[&str]| way.split_first().is_some_and(|(first, _)| first == name);
        let hidden: Vec<&[&str]> =
            hidden.iter().copied().filter(step).filter_map(|way| way.get(1..)).collect();
        properties.insert(name.clone(), node_schema(below, &hidden));
        if *presence == Presence::Required {
            required.push(name.as_str());
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if let (Some(keywords), false) = (schema.as_object_mut(), required.is_empty()) {
        keywords.insert("required".to_owned(), json!(required));
    }
    schema
}
