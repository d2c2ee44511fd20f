//! How many schemas a validator holds one value to, before it is asked: references that fan out lead to the same schema over and
//! over again, and a validator follows each of them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::source::Source;

/// The greatest number of schemas that one value at one place is held to, and of fields that are declared for it.
pub(super) fn of_value(source: &Source) -> u64 {
    let mut costs = Costs { source, known: HashMap::new(), open: HashSet::new() };
    let Some(root) = source.root() else { return 0 };
    let (mut most, mut next, mut seen) = (0, vec![root.value], HashSet::new());
    while let Some(schema) = next.pop() {
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        most = most.max(costs.of(schema, 0));
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|it| source.resolve(it));
        next.extend(target.map(|part| part.value));
        next.extend(inside(schema).chain(below(schema)));
    }
    most
}

/// Longer chains of references are not followed.
const DEEPEST: usize = 200;

struct Costs<'s> {
    source: &'s Source,
    known: HashMap<*const Value, u64>,
    /// Schemas that are being counted: one that leads back to itself is not followed.
    open: HashSet<*const Value>,
}

impl<'s> Costs<'s> {
    fn of(&mut self, schema: &'s Value, depth: usize) -> u64 {
        let key = std::ptr::from_ref(schema);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if depth > DEEPEST || !self.open.insert(key) {
            return 0;
        }
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|it| self.source.resolve(it));
        let parts: Vec<&'s Value> = target.map(|part| part.value).into_iter().chain(inside(schema)).collect();
        let fields = schema.get("properties").and_then(Value::as_object).map_or(0, |all| all.len() / 20);
        let own = 1 + u64::try_from(fields).unwrap_or(u64::MAX);
        let cost = parts.into_iter().fold(own, |cost, part| cost.saturating_add(self.of(part, depth + 1)));
        self.open.remove(&key);
        self.known.insert(key, cost);
        cost
    }
}

/// The schemas of the same value.
fn inside(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists =
        ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    let single = ["not", "if", "then", "else"].into_iter().filter_map(|key| schema.get(key));
    let named = schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten();
    lists.chain(single).chain(named.map(|(_, value)| value))
}

/// The schemas of fields and items.
fn below(schema: &Value) -> impl Iterator<Item = &Value> {
    let maps = ["properties", "patternProperties"].into_iter();
    let maps = maps.filter_map(|key| schema.get(key)?.as_object()).flatten().map(|(_, value)| value);
    let single = [
        "additionalProperties",
        "items",
        "contains",
        "propertyNames",
        "unevaluatedProperties",
        "unevaluatedItems",
    ];
    let single = single.into_iter().filter_map(|key| schema.get(key));
    let tuple = schema.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
    maps.chain(single).chain(tuple)
}
