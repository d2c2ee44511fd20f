//! What the server makes of an object before it validates it: unknown fields go, nulls go, defaults come.

use serde_json::{Map, Value, json};

use super::keyword::{EMBEDDED, PRESERVE, default, flag, properties, property, schema};
use super::place::Step;

/// An object as the server goes on with it.
#[derive(Debug)]
pub(super) struct Completed {
    pub(super) object: Value,
    /// The fields that are dropped since the schema does not have them.
    pub(super) unknown: Vec<Vec<Step>>,
}

/// Completes an object.
pub(super) fn complete(object: &Value, root: &Value) -> Completed {
    let mut work = Work { unknown: Vec::new(), at: Vec::new() };
    let mut object = work.pruned(object, root, true);
    fill(&mut object, root, true);
    Completed { object, unknown: work.unknown }
}

struct Work {
    unknown: Vec<Vec<Step>>,
    at: Vec<Step>,
}

impl Work {
    fn pruned(&mut self, value: &Value, node: &Value, is_root: bool) -> Value {
        match value {
            Value::Object(fields) => Value::Object(self.fields(fields, node, is_root)),
            Value::Array(items) => {
                let nothing = if flag(node, PRESERVE) { json!({PRESERVE: true}) } else { json!({}) };
                let below = schema(node, "items").unwrap_or(&nothing);
                let each = items.iter().enumerate();
                each.map(|(index, item)| self.below(Step::Item(index), item, below)).collect()
            }
            other => other.clone(),
        }
    }

    fn below(&mut self, step: Step, value: &Value, node: &Value) -> Value {
        self.at.push(step);
        let pruned = self.pruned(value, node, false);
        self.at.pop();
        pruned
    }

    fn fields(&mut self, fields: &Map<String, Value>, node: &Value, is_root: bool) -> Map<String, Value> {
        let (is_open, is_resource) = (flag(node, PRESERVE), is_root || flag(node, EMBEDDED));
        let values = node.get("additionalProperties");
        let nothing = json!({});
        let mut kept = Map::new();
        for (name, value) in fields {
            let step = Step::Field(name.clone());
            if is_resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                kept.insert(name.clone(), value.clone());
            } else if let Some(below) = property(node, name) {
                kept.insert(name.clone(), self.below(step, value, below));
            } else if let Some(below) = values.filter(|values| values.is_object()) {
                kept.insert(name.clone(), self.below(step, value, below));
            } else if is_open {
                kept.insert(name.clone(), value.clone());
            } else if values.is_some_and(Value::is_boolean) {
                kept.insert(name.clone(), self.below(step, value, &nothing));
            } else {
                self.unknown.push([self.at.as_slice(), &[step]].concat());
            }
        }
        kept
    }
}

/// Takes out nulls that may not be, and puts in defaults, from the top down.
fn fill(value: &mut Value, node: &Value, is_root: bool) {
    match value {
        Value::Object(fields) => fill_fields(fields, node, is_root),
        Value::Array(items) => {
            let Some(below) = schema(node, "items") else { return };
            for item in items {
                if let Some(default) = default(below).filter(|_| item.is_null() && !flag(below, "nullable")) {
                    *item = default.clone();
                }
                fill(item, below, false);
            }
        }
        _ => {}
    }
}

fn fill_fields(fields: &mut Map<String, Value>, node: &Value, is_root: bool) {
    let values = schema(node, "additionalProperties");
    let is_meta =
        |name: &str| (is_root || flag(node, EMBEDDED)) && matches!(name, "apiVersion" | "kind" | "metadata");
    fields.retain(|name, value| {
        let below = property(node, name).or(values);
        !value.is_null() || is_meta(name) || below.is_none_or(|below| flag(below, "nullable"))
    });
    for (name, below) in properties(node) {
        if let Some(default) = default(below).filter(|_| !fields.contains_key(name)) {
            fields.insert(name.clone(), default.clone());
        }
    }
    for (name, value) in fields.iter_mut().filter(|(name, _)| !(is_root && is_meta(name))) {
        if let Some(below) = property(node, name).or(values) {
            if let Some(default) = default(below).filter(|_| value.is_null() && !flag(below, "nullable")) {
                *value = default.clone();
            }
            fill(value, below, false);
        }
    }
}
