//! Counts the schemas that a validator compares with a value and its content, before it runs: references and branches
//! that fan out lead to the same schema over and over again, and a validator follows each of them.

use std::cell::RefCell;
use std::collections::HashMap;

use kvrules_regex::StepBudget;
use serde_json::Value;

use super::source::SchemaSource;

/// Counts for one side. Nothing is kept between values but where references lead, for a validator keeps nothing either.
pub(super) struct ValidationCosts<'s> {
    source: &'s SchemaSource,
    targets: RefCell<HashMap<&'s str, Option<&'s Value>>>,
}

/// Longer chains of schemas are not followed.
const DEEPEST: usize = 400;

/// A schema and a value, by their addresses in memory.
type SchemaValuePair = (*const Value, *const Value);

impl<'s> ValidationCosts<'s> {
    pub(super) fn new(source: &'s SchemaSource) -> Self {
        Self { source, targets: RefCell::default() }
    }

    /// The number of times that a validator holds a schema to a value, or to something in it; a number above `most` where it is
    /// more than that, for then counting stops.
    pub(super) fn of_value(&self, value: &Value, most: u64) -> u64 {
        let Some(root) = self.source.root_part().map(|root| root.value) else {
            return 0;
        };
        let mut count = CostCounter { costs: self, steps: StepBudget::new(most), open: Vec::new() };
        let is_whole = count.count_schema(root, value, 0);
        if is_whole { count.steps.steps_used() } else { most.saturating_add(1) }
    }

    /// Returns the target of a reference.
    fn reference_target(&self, reference: &'s str) -> Option<&'s Value> {
        let known = self.targets.borrow().get(reference).copied();
        known.unwrap_or_else(|| {
            let found = self.source.resolve_reference(reference).map(|part| part.value);
            self.targets.borrow_mut().insert(reference, found);
            found
        })
    }
}

struct CostCounter<'c, 's> {
    costs: &'c ValidationCosts<'s>,
    steps: StepBudget,
    /// References that are being followed: one that leads back to itself for the same value is not followed again.
    open: Vec<SchemaValuePair>,
}

impl<'s> CostCounter<'_, 's> {
    /// Counts a schema that a value is checked against; false once there are too many.
    fn count_schema(&mut self, schema: &'s Value, value: &Value, depth: usize) -> bool {
        if !self.steps.try_take(1) {
            return false;
        }
        let Some(fields) = schema.as_object().filter(|_| depth <= DEEPEST) else { return true };
        fields.iter().all(|(key, below)| self.count_keyword(key, below, (schema, value), depth + 1))
    }

    fn count_keyword(&mut self, key: &str, below: &'s Value, on: (&'s Value, &Value), depth: usize) -> bool {
        let (schema, value) = on;
        match key {
            "$ref" => self.count_reference(below, on, depth),
            "allOf" | "anyOf" | "oneOf" => {
                below.as_array().into_iter().flatten().all(|part| self.count_schema(part, value, depth))
            }
            "not" | "if" | "then" | "else" => self.count_schema(below, value, depth),
            "dependentSchemas" => {
                below.as_object().into_iter().flatten().all(|(_, part)| self.count_schema(part, value, depth))
            }
            "properties" | "patternProperties" | "additionalProperties" | "unevaluatedProperties" => {
                value.as_object().into_iter().flatten().all(|(name, inner)| {
                    of_field(key, below, schema, name).all(|part| self.count_schema(part, inner, depth))
                })
            }
            "prefixItems" | "items" | "contains" | "unevaluatedItems" => {
                value.as_array().into_iter().flatten().enumerate().all(|(index, inner)| {
                    of_item(key, below, schema, index)
                        .is_none_or(|part| self.count_schema(part, inner, depth))
                })
            }
            _ => true,
        }
    }

    fn count_reference(
        &mut self,
        reference: &'s Value,
        (schema, value): (&'s Value, &Value),
        depth: usize,
    ) -> bool {
        let key = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        let target = reference.as_str().and_then(|reference| self.costs.reference_target(reference));
        let Some(target) = target.filter(|_| !self.open.contains(&key)) else { return true };
        self.open.push(key);
        let is_whole = self.count_schema(target, value, depth);
        self.open.pop();
        is_whole
    }
}

/// The schemas that a keyword holds a field to. Of patterns each may match.
fn of_field<'s>(
    key: &str,
    below: &'s Value,
    schema: &'s Value,
    name: &str,
) -> impl Iterator<Item = &'s Value> {
    let is_declared = || schema.get("properties").is_some_and(|all| all.get(name).is_some());
    let one = match key {
        "properties" => below.get(name),
        "additionalProperties" | "unevaluatedProperties" => (!is_declared()).then_some(below),
        _ => None,
    };
    let patterns = below.as_object().filter(|_| key == "patternProperties");
    one.into_iter().chain(patterns.into_iter().flatten().map(|(_, part)| part))
}

/// The schema that a keyword holds an item to.
fn of_item<'s>(key: &str, below: &'s Value, schema: &'s Value, index: usize) -> Option<&'s Value> {
    let in_tuple = || schema.get("prefixItems").is_some_and(|all| all.get(index).is_some());
    match key {
        "prefixItems" => below.get(index),
        "items" => (!in_tuple()).then_some(below),
        "contains" | "unevaluatedItems" => Some(below),
        _ => None,
    }
}
