//! The places of a schema where a bound would make a rule cheaper.

use kvrules_cel::types::escape_property;
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value;

use super::ExpressionField;
use crate::schema_location::join_names;

/// A place for a bound: a node of the spine, and the keyword that goes with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundSlot {
    /// The keys from the root of the schema to the node.
    pub(crate) steps: Vec<String>,
    /// The way to the values, `spec.disks[]`.
    pub(crate) name: String,
    /// `maxItems`, `maxProperties` or `maxLength`.
    pub(crate) keyword: &'static str,
    /// The present bound.
    pub(crate) declared: Option<u64>,
}

/// Number of places that are examined for one rule.
const MOST: usize = 48;

/// The places on the way to a rule's node, which decide how often it is evaluated, and those below it that it mentions.
pub(super) fn find_slots(schema: &Value, path: &str, text: &str, field: ExpressionField) -> Vec<BoundSlot> {
    let mut slots = Vec::new();
    let Some((steps, name, node)) = walk_to_node(schema, path, &mut |steps, name, node| {
        if field == ExpressionField::Rule {
            slots.extend(node_slot(steps, name, node).filter(|slot| slot.keyword != "maxLength"));
        }
    }) else {
        return slots;
    };
    add_child_slots(&steps, &name, node, text, &mut slots);
    slots.truncate(MOST);
    slots
}

/// Walks to a node; `visit` sees those before it. Gives its steps, its name and itself.
fn walk_to_node<'v>(
    schema: &'v Value,
    path: &str,
    visit: &mut dyn FnMut(&[String], &str, &'v Value),
) -> Option<(Vec<String>, String, &'v Value)> {
    let (mut steps, mut name, mut node) = (Vec::new(), String::new(), schema);
    let mut rest = path.strip_prefix("openAPIV3Schema")?;
    while !rest.is_empty() {
        visit(&steps, &name, node);
        let fits = |after: &&str| after.is_empty() || after.starts_with('.');
        if let Some(names) = rest.strip_prefix(".properties[") {
            let properties = node.get("properties")?.as_object()?;
            let found = properties.iter().filter_map(|(name, child)| {
                let after = names.strip_prefix(name.as_str())?.strip_prefix(']').filter(fits)?;
                Some((name, child, after))
            });
            let (property, child, after) = found.max_by_key(|(name, _, _)| name.len())?;
            steps.extend(["properties".to_owned(), property.clone()]);
            name = join_names(&name, property);
            (node, rest) = (child, after);
            continue;
        }
        let (keyword, sign) =
            if rest.starts_with(".items") { ("items", "[]") } else { ("additionalProperties", ".*") };
        rest = rest.strip_prefix('.')?.strip_prefix(keyword).filter(fits)?;
        steps.push(keyword.to_owned());
        name.push_str(sign);
        node = node.get(keyword)?;
    }
    Some((steps, name, node))
}

fn add_child_slots(steps: &[String], name: &str, node: &Value, text: &str, slots: &mut Vec<BoundSlot>) {
    slots.extend(node_slot(steps, name, node));
    let step = |more: &[&str]| {
        let more = more.iter().map(|step| (*step).to_owned());
        steps.iter().cloned().chain(more).collect::<Vec<String>>()
    };
    for (property, child) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if escape_property(property).is_some_and(|escaped| text.contains(&escaped)) {
            add_child_slots(
                &step(&["properties", property]),
                &join_names(name, property),
                child,
                text,
                slots,
            );
        }
    }
    for (keyword, sign) in [("items", "[]"), ("additionalProperties", ".*")] {
        if let Some(child) = node.get(keyword).filter(|child| child.is_object()) {
            add_child_slots(&step(&[keyword]), &format!("{name}{sign}"), child, text, slots);
        }
    }
}

/// The bound that a node may have.
fn node_slot(steps: &[String], name: &str, node: &Value) -> Option<BoundSlot> {
    let text = |keyword: &str| node.get(keyword).and_then(Value::as_str).unwrap_or_default();
    let is_either = node.get(INT_OR_STRING).and_then(Value::as_bool) == Some(true);
    let has_values = node.get("enum").and_then(Value::as_array).is_some_and(|values| !values.is_empty());
    let keyword = match text("type") {
        _ if is_either => "maxLength",
        "array" => "maxItems",
        "object" if node.get("additionalProperties").is_some_and(Value::is_object) => "maxProperties",
        "string" if !has_values && !matches!(text("format"), "duration" | "date" | "date-time") => {
            "maxLength"
        }
        _ => return None,
    };
    let declared = node.get(keyword).and_then(Value::as_u64);
    Some(BoundSlot { steps: steps.to_vec(), name: name.to_owned(), keyword, declared })
}

impl BoundSlot {
    /// The node of a schema.
    pub(super) fn node_mut<'v>(
        &self,
        schema: &'v mut Value,
    ) -> Option<&'v mut serde_json::Map<String, Value>> {
        self.steps.iter().try_fold(schema, |node, step| node.get_mut(step))?.as_object_mut()
    }

    /// The present bound in a schema.
    pub(super) fn current_bound(&self, schema: &Value) -> Option<u64> {
        self.steps.iter().try_fold(schema, |node, step| node.get(step))?.get(self.keyword)?.as_u64()
    }

    /// Writes a bound into a schema, or takes it out.
    pub(super) fn set_bound(&self, schema: &mut Value, bound: Option<u64>) {
        let Some(node) = self.node_mut(schema) else { return };
        match bound {
            Some(bound) => _ = node.insert(self.keyword.to_owned(), Value::from(bound)),
            None => _ = node.shift_remove(self.keyword),
        }
    }
}

/// The node of a schema at a path as the server writes it.
pub(super) fn find_node<'v>(schema: &'v Value, path: &str) -> Option<&'v Value> {
    walk_to_node(schema, path, &mut |_, _, _| {}).map(|(_, _, node)| node)
}
