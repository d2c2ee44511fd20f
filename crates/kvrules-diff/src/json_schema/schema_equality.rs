//! Tests that two schemas are the same along their references, word for word except for annotations.

use std::collections::{BTreeSet, HashMap, HashSet};

use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::{Map, Value};

use super::keywords::is_deciding;
use super::source::{SchemaPart, SchemaSource};

/// Two documents, and the pairs of references that are known to lead to the same or are being examined.
pub(super) struct SchemaEquality<'s> {
    old: &'s SchemaSource,
    new: &'s SchemaSource,
    pairs: HashSet<(&'s str, &'s str)>,
    /// The same in the order in which they came.
    order: Vec<(&'s str, &'s str)>,
    /// The pairs of references that are known to lead to something else: what differs where all that is being examined is
    /// taken for the same, differs.
    apart: HashSet<(&'s str, &'s str)>,
    /// Results for whole schemas, by their address in memory.
    known: HashMap<(*const Value, *const Value), bool>,
    /// Number of schemas that were compared.
    compared: u64,
}

impl<'s> SchemaEquality<'s> {
    pub(super) fn new(old: &'s SchemaSource, new: &'s SchemaSource) -> Self {
        Self {
            old,
            new,
            pairs: HashSet::new(),
            order: Vec::new(),
            apart: HashSet::new(),
            known: HashMap::new(),
            compared: 0,
        }
    }

    /// Returns the number of schemas that were compared.
    pub(super) fn compared_count(&self) -> u64 {
        self.compared
    }

    /// True if the parts are the same, pair by pair.
    pub(super) fn are_same_parts(
        &mut self,
        old: &[SchemaPart<'s>],
        new: &[SchemaPart<'s>],
        is_apart: &dyn Fn(&str) -> bool,
    ) -> bool {
        let pairs = old.iter().zip(new);
        old.len() == new.len()
            && pairs.into_iter().all(|(one, other)| self.are_same_schemas(one.value, other.value, is_apart))
    }

    /// True if two schemas are the same. Assumptions about references on the way count only if all of them turn out to
    /// be true.
    pub(super) fn are_same_schemas(
        &mut self,
        old: &'s Value,
        new: &'s Value,
        is_apart: &dyn Fn(&str) -> bool,
    ) -> bool {
        let key = (std::ptr::from_ref(old), std::ptr::from_ref(new));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let is_same = self.with_assumptions(|same| same.is_same_value(old, new, is_apart));
        self.known.insert(key, is_same);
        is_same
    }

    /// True if two values of a keyword are the same.
    pub(super) fn of_keyword(
        &mut self,
        key: &str,
        (old, new): (&'s Value, &'s Value),
        is_apart: &dyn Fn(&str) -> bool,
    ) -> bool {
        self.with_assumptions(|same| same.is_same_keyword(key, old, new, is_apart))
    }

    fn with_assumptions(&mut self, work: impl FnOnce(&mut Self) -> bool) -> bool {
        let known = self.order.len();
        let is_same = work(self);
        if !is_same {
            for pair in self.order.drain(known..) {
                self.pairs.remove(&pair);
            }
        }
        is_same
    }

    fn is_same_value(&mut self, old: &'s Value, new: &'s Value, is_apart: &dyn Fn(&str) -> bool) -> bool {
        match (old, new) {
            (Value::Object(one), Value::Object(other)) => self.is_same_schema(one, other, is_apart),
            (Value::Array(one), Value::Array(other)) => {
                one.len() == other.len()
                    && one.iter().zip(other).all(|(one, other)| self.is_same_value(one, other, is_apart))
            }
            (one, other) => one == other,
        }
    }

    fn is_same_schema(
        &mut self,
        old: &'s Map<String, Value>,
        new: &'s Map<String, Value>,
        is_apart: &dyn Fn(&str) -> bool,
    ) -> bool {
        self.compared += 1;
        if let (Some(one), Some(other)) = (sole_reference(old), sole_reference(new))
            && !self.are_same_references(one, other, is_apart)
        {
            return false;
        }
        if sole_reference(old).is_some() != sole_reference(new).is_some() {
            return false;
        }
        let text_of = |fields: &'s Map<String, Value>| -> BTreeSet<&'s str> {
            fields
                .keys()
                .map(String::as_str)
                .filter(|key| is_deciding(key) || matches!(*key, "allOf" | "default"))
                .collect()
        };
        let keys = text_of(old);
        keys == text_of(new)
            && keys.into_iter().all(|key| match (old.get(key), new.get(key)) {
                (Some(one), Some(other)) => self.is_same_keyword(key, one, other, is_apart),
                _ => false,
            })
    }

    fn is_same_keyword(
        &mut self,
        key: &str,
        old: &'s Value,
        new: &'s Value,
        is_apart: &dyn Fn(&str) -> bool,
    ) -> bool {
        match (key, old, new) {
            ("enum" | "const" | "default" | "dependentRequired" | VALIDATIONS, ..) => old == new,
            ("required" | "type", Value::Array(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().all(|name| other.contains(name))
            }
            (
                "properties" | "patternProperties" | "dependentSchemas",
                Value::Object(one),
                Value::Object(other),
            ) => {
                one.len() == other.len()
                    && one.iter().all(|(name, value)| {
                        other.get(name).is_some_and(|other| self.is_same_value(value, other, is_apart))
                    })
            }
            _ => self.is_same_value(old, new, is_apart),
        }
    }

    fn are_same_references(&mut self, old: &'s str, new: &'s str, is_apart: &dyn Fn(&str) -> bool) -> bool {
        if self.apart.contains(&(old, new)) {
            return false;
        }
        if old == new && is_apart(old) || !self.pairs.insert((old, new)) {
            return true;
        }
        self.order.push((old, new));
        let is_same = match (self.old.resolve_reference(old), self.new.resolve_reference(new)) {
            (Some(one), Some(other)) => self.is_same_value(one.value, other.value, is_apart),
            _ => false,
        };
        if !is_same {
            self.apart.insert((old, new));
        }
        is_same
    }
}

fn sole_reference(fields: &Map<String, Value>) -> Option<&str> {
    fields.get("$ref").and_then(Value::as_str)
}
