//! A JSON Schema of flavors, asked pair by pair.
//!
//! The whole schema tries hundreds of patterns at each key. So it is taken apart once: which parts a key has is asked of its
//! patterns, and then the values of the parts alone. That the whole says the same is asked of it at some pairs of each
//! definition.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use kvrules_extra_specs::Definition;
use serde_json::{Value, json};

use super::PairEvaluator;
use crate::claims::ObjectVerdict;
use crate::run::{RunError, json_schema};

pub(super) struct SchemaEvaluator {
    whole: Validator,
    properties: HashMap<String, Validator>,
    /// The patterns of keys, with the schemas of their values.
    patterns: Vec<(Validator, Validator)>,
    takes_others: bool,
    /// Indices of the patterns that match a key, by key.
    known: Mutex<HashMap<String, Arc<Vec<usize>>>>,
}

impl SchemaEvaluator {
    pub(super) fn new(documents: &[Value]) -> Result<Self, RunError> {
        let [document] = documents else {
            return Err(RunError("expected exactly one schema".to_owned()));
        };
        let members = |keyword: &str| document.get(keyword).and_then(Value::as_object).into_iter().flatten();
        let property = |(key, schema): (&String, &Value)| Ok((key.clone(), json_schema(schema)?));
        let pattern = |(pattern, schema): (&String, &Value)| {
            Ok((json_schema(&json!({ "pattern": pattern }))?, json_schema(schema)?))
        };
        Ok(Self {
            whole: json_schema(document)?,
            properties: members("properties").map(property).collect::<Result<_, RunError>>()?,
            patterns: members("patternProperties").map(pattern).collect::<Result<_, RunError>>()?,
            takes_others: document.get("additionalProperties") != Some(&Value::Bool(false)),
            known: Mutex::default(),
        })
    }

    fn patterns_of(&self, key: &str) -> Arc<Vec<usize>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(key) {
            return Arc::clone(found);
        }
        let text = json!(key);
        let takes = |(number, (pattern, _)): (usize, &(Validator, Validator))| {
            pattern.is_valid(&text).then_some(number)
        };
        let found = Arc::new(self.patterns.iter().enumerate().filter_map(takes).collect::<Vec<_>>());
        known.insert(key.to_owned(), Arc::clone(&found));
        found
    }
}

impl PairEvaluator for SchemaEvaluator {
    fn evaluate_value(&self, _: &Definition, key: &str, value: &str) -> ObjectVerdict {
        let (own, patterns) = (self.properties.get(key), self.patterns_of(key));
        let value = json!(value);
        let of_patterns =
            patterns.iter().filter_map(|number| self.patterns.get(*number)).map(|(_, schema)| schema);
        let mut parts = own.into_iter().chain(of_patterns).peekable();
        let takes =
            if parts.peek().is_none() { self.takes_others } else { parts.all(|part| part.is_valid(&value)) };
        ObjectVerdict { rejects: !takes, warns: false }
    }

    fn says_of_all(&self, key: &str, value: &str) -> Option<ObjectVerdict> {
        Some(ObjectVerdict { rejects: !self.whole.is_valid(&super::to_flavor(key, value)), warns: false })
    }
}
