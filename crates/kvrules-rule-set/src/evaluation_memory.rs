//! Results that evaluations of the rules of one set share: parsed expressions, the schema with the names of an object, and values.

use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_cel::ast::Expression;
use kvrules_cel::value::{Value, from_schema};
use serde_json::Value as Json;

/// An expression of a rule.
#[derive(Debug)]
pub(crate) struct ParsedText {
    pub(crate) expression: Expression,
    /// True if it is about the stored value.
    pub(crate) is_transition: bool,
}

/// Results that the evaluations of a set share. A copy of a set may be changed, so it begins with nothing.
#[derive(Debug, Default)]
pub(crate) struct EvaluationMemory {
    parsed: RwLock<HashMap<String, Option<Arc<ParsedText>>>>,
    with_names: OnceLock<Json>,
}

impl Clone for EvaluationMemory {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl EvaluationMemory {
    /// Returns an expression, which is parsed once; `None` if it cannot be.
    pub(crate) fn parse(&self, text: &str) -> Option<Arc<ParsedText>> {
        if let Some(known) = self.parsed.read().unwrap_or_else(PoisonError::into_inner).get(text) {
            return known.clone();
        }
        let parsed = kvrules_cel::parse(text).ok().map(|expression| {
            let source = RuleSource::from_json(&serde_json::json!({ "rule": text }));
            Arc::new(ParsedText { expression, is_transition: source.is_transition_rule() })
        });
        let mut known = self.parsed.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(text.to_owned(), parsed.clone());
        parsed
    }

    /// Returns the schema of an object with the names of its metadata.
    pub(crate) fn schema_with_names(&self, schema: &Json) -> &Json {
        self.with_names.get_or_init(|| with_object_meta(schema))
    }
}

/// Parts of one object as expressions see them, by their addresses and those of their schemas.
#[derive(Default)]
pub(crate) struct ValueMemory<'o> {
    values: RefCell<HashMap<(*const Json, *const Json), Value>>,
    /// The addresses stay valid as long as what they are of is borrowed.
    borrowed: PhantomData<&'o Json>,
}

impl<'o> ValueMemory<'o> {
    /// Returns a part of the object as expressions see it.
    pub(crate) fn value_of(&self, part: &'o Json, schema: &'o Json) -> Value {
        let key = (std::ptr::from_ref(part), std::ptr::from_ref(schema));
        if let Some(known) = self.values.borrow().get(&key) {
            return known.clone();
        }
        let value = from_schema(part, schema);
        self.values.borrow_mut().insert(key, value.clone());
        value
    }
}
