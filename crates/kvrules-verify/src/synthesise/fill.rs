//! Adds what every valid object has: required fields where their parents are.

use kvrules_ir::{Presence, ValueType};
use serde_json::{Map, Value};

use super::tree::Node;
use super::{Lines, candidate, scalar};

/// Puts the required fields into a value that lacks them.
pub(super) fn fill(node: &Node, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, (presence, below)) in &node.fields {
                match fields.get_mut(name) {
                    Some(value) => fill(below, value),
                    None if *presence == Presence::Required => _ = fields.insert(name.clone(), least(below)),
                    None => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(element) = &node.element {
                for item in items {
                    fill(element, item);
                }
            }
        }
        _ => {}
    }
}

fn least(node: &Node) -> Value {
    if node.element.is_some() {
        return Value::Array(Vec::new());
    }
    if !node.fields.is_empty() || matches!(node.value_type, ValueType::Object | ValueType::Map) {
        let mut value = Value::Object(Map::new());
        fill(node, &mut value);
        return value;
    }
    let candidates = candidate::in_order(scalar::candidates(node, &Lines::default()));
    candidates.into_iter().find(|candidate| candidate.served).map_or(Value::Null, |candidate| candidate.value)
}
