//! How many schemas a validator holds to a value and to what is in it, before it is asked: references and branches that fan out
//! lead to the same schema over and over again, and a validator follows each of them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::source::Source;

/// The number of times that a validator holds a schema to a value, or to something in it.
pub(super) fn of_value(source: &Source, value: &Value) -> u64 {
    let mut costs = Costs { source, known: HashMap::new(), open: HashSet::new() };
    source.root().map_or(0, |root| costs.of(root.value, value, 0))
}

/// Longer chains of schemas are not followed.
const DEEPEST: usize = 400;

/// A schema and a value, by where they stand in memory.
type Pair = (*const Value, *const Value);

struct Costs<'s> {
    source: &'s Source,
    known: HashMap<Pair, u64>,
    /// What is being counted: a schema that leads back to itself for the same value is not followed.
    open: HashSet<Pair>,
}

impl<'s> Costs<'s> {
    fn of(&mut self, schema: &'s Value, value: &Value, depth: usize) -> u64 {
        let key = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if depth > DEEPEST || !schema.is_object() || !self.open.insert(key) {
            return 1;
        }
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|it| self.source.resolve(it));
        let mut cost = 1;
        for part in target.map(|part| part.value).into_iter().chain(inside(schema)) {
            cost = self.of(part, value, depth + 1).saturating_add(cost);
        }
        for (part, inner) in below(schema, value) {
            cost = self.of(part, inner, depth + 1).saturating_add(cost);
        }
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

/// The schemas of the fields and the items of a value. Of patterns each may match.
fn below<'s, 'v>(schema: &'s Value, value: &'v Value) -> Vec<(&'s Value, &'v Value)> {
    let further = |keys: [&'static str; 2]| keys.into_iter().filter_map(|key| schema.get(key));
    let mut found = Vec::new();
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                let declared = schema.get("properties").and_then(|all| all.get(name));
                let patterns = schema.get("patternProperties").and_then(Value::as_object);
                let by_pattern = patterns.into_iter().flatten().map(|(_, below)| below);
                found.extend(declared.into_iter().chain(by_pattern).map(|below| (below, inner)));
                if declared.is_none() {
                    let others = further(["additionalProperties", "unevaluatedProperties"]);
                    found.extend(others.map(|below| (below, inner)));
                }
            }
        }
        Value::Array(items) => {
            let tuple = schema.get("prefixItems").and_then(Value::as_array);
            for (index, inner) in items.iter().enumerate() {
                let own = tuple.and_then(|all| all.get(index)).or_else(|| schema.get("items"));
                let others = further(["contains", "unevaluatedItems"]);
                found.extend(own.into_iter().chain(others).map(|below| (below, inner)));
            }
        }
        _ => {}
    }
    found
}
