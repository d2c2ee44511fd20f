//! Adds what every valid object has: required fields where their parents are.

use kvrules_ir::{Presence, ValueType};
use serde_json::{Map, Value};

use super::tree::PlaceNode;
use super::{SizeLimits, candidate, scalar};

/// Puts the required fields into a value that lacks them.
pub(super) fn fill_required(node: &PlaceNode, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, (presence, below)) in &node.fields {
                match fields.get_mut(name) {
                    Some(value) => fill_required(below, value),
                    None if *presence == Presence::Required => {
                        _ = fields.insert(name.clone(), least_value(below));
                    }
                    None => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(element) = &node.element {
                for item in items {
                    fill_required(element, item);
                }
            }
        }
        _ => {}
    }
}

fn least_value(node: &PlaceNode) -> Value {
    if node.element.is_some() {
        return Value::Array(Vec::new());
    }
    if !node.fields.is_empty() || matches!(node.value_type, ValueType::Object | ValueType::Map) {
        let mut value = Value::Object(Map::new());
        fill_required(node, &mut value);
        return value;
    }
    let candidates = candidate::in_order(scalar::scalar_candidates(node, &SizeLimits::default()));
    candidates.into_iter().find(|candidate| candidate.served).map_or(Value::Null, |candidate| candidate.value)
}
