//! Validates an object against its schema, in the server's words.
//!
//! Each node is checked in the server's order, and a failed branch is reported by the one that fits best, which is the one
//! with the most checks passed; hence the counting.

mod formats;
mod junctors;
mod number;
mod outcome;
mod scalar;
mod types;

use std::collections::HashMap;
use std::sync::OnceLock;

use kvrules_regex::Matcher;
use serde_json::{Map, Value as Json};

use super::{NOWHERE, field_schema, flag};
use crate::crd::{Correlated, Failure};
use crate::field_error::ErrorType;
use outcome::{Mistake, Outcome};

pub use formats::Format;
pub(super) use formats::is_enforced as is_enforced_format;

/// The patterns of a schema, each made ready when it is first asked for; nothing for what is no pattern.
#[derive(Debug, Default)]
pub(super) struct Patterns(HashMap<String, OnceLock<Option<Matcher>>>);

impl Patterns {
    /// All patterns at and below a node.
    pub(super) fn of(schema: &Json) -> Self {
        let mut patterns = Self::default();
        patterns.collect(schema);
        patterns
    }

    fn collect(&mut self, schema: &Json) {
        if let Some(pattern) = schema.get("pattern").and_then(Json::as_str) {
            self.0.entry(pattern.to_owned()).or_default();
        }
        for (_, below) in crate::node::child_nodes(schema) {
            self.collect(below);
        }
    }

    /// True if a string does not match. An invalid pattern matches everything: no such schema is accepted.
    fn refuse(&self, pattern: &str, text: &str) -> bool {
        let made = || kvrules_regex::compile_matcher(pattern).ok();
        let matcher = self.0.get(pattern).and_then(|matcher| matcher.get_or_init(made).as_ref());
        matcher.is_some_and(|matcher| !matcher.is_match(text))
    }
}

/// True if a node allows the type of a value.
pub(super) fn allows_type(schema: &Json, value: &Json) -> bool {
    !types::is_typed(schema) || types::check(schema, value, "").is_valid()
}

/// Returns the errors of an object, compared with the stored one if it is an update.
pub(super) fn check(
    schema: &Json,
    patterns: &Patterns,
    object: &Json,
    stored: Option<&Json>,
) -> Vec<Failure> {
    let old = stored.map(|stored| Correlated::root(object, stored, schema));
    failures(Validator { patterns, is_resource: true }.node(schema, object, "", old))
}

/// Returns the violations of a field that is judged alone, in place of a stored value. Their fields begin with the path of the
/// field, and their words do not.
// apiextensions customresource/validator.go, ValidateStatusUpdate; validation.go, kubeOpenAPIResultToFieldErrors
pub(super) fn check_below(
    schema: &Json,
    patterns: &Patterns,
    value: &Json,
    path: &str,
    old: Option<Correlated<'_>>,
) -> Vec<Failure> {
    let mut found = failures(Validator { patterns, is_resource: false }.node(schema, value, "", old));
    for failure in &mut found {
        failure.field = match failure.field.as_str() {
            NOWHERE => path.to_owned(),
            field => format!("{path}.{field}"),
        };
    }
    found
}

fn failures(outcome: Outcome) -> Vec<Failure> {
    let mut failures: Vec<_> = outcome.mistakes.into_iter().map(Mistake::failure).collect();
    // Several branches may say the same of a value.
    failures.sort();
    failures.dedup();
    failures
}

struct Validator<'p> {
    patterns: &'p Patterns,
    /// True if the root is a whole resource, with an `apiVersion` and a `kind`.
    is_resource: bool,
}

impl Validator<'_> {
    fn node(&self, schema: &Json, value: &Json, path: &str, old: Option<Correlated<'_>>) -> Outcome {
        let mut outcome = Outcome::default();
        if value.is_null() {
            outcome.merge(types::check(schema, value, path));
            outcome.merge(scalar::enumeration(schema, value, path));
        } else {
            self.validators(schema, value, path, old, &mut outcome);
        }
        // apiextensions validation/ratcheting.go, Validate
        if !outcome.is_valid() && old.is_some_and(Correlated::is_unchanged) {
            outcome.mistakes.clear();
        }
        outcome
    }

    fn validators(
        &self,
        schema: &Json,
        value: &Json,
        path: &str,
        old: Option<Correlated<'_>>,
        outcome: &mut Outcome,
    ) {
        if types::is_typed(schema) {
            outcome.asked(types::check(schema, value, path));
        }
        outcome.asked(junctors::check(self, schema, value, path));
        match value {
            Json::String(text) => {
                outcome.asked(scalar::string(schema, text, path, self.patterns));
                if let Some(told) = formats::check(schema, text, path) {
                    outcome.asked(told);
                }
            }
            Json::Number(number) => outcome.asked(number::check(schema, number, path)),
            Json::Array(items) => outcome.asked(self.list(schema, items, path, old)),
            _ => {}
        }
        outcome.asked(scalar::enumeration(schema, value, path));
        if let Json::Object(fields) = value {
            outcome.asked(self.object(schema, fields, path, old));
        }
        outcome.checks += 1;
    }

    fn list(&self, schema: &Json, items: &[Json], path: &str, old: Option<Correlated<'_>>) -> Outcome {
        let mut outcome = Outcome::default();
        if let Some(child) = schema.get("items").filter(|child| child.is_object()) {
            let elements = old.map(Correlated::elements);
            for (index, item) in items.iter().enumerate() {
                let old = elements.as_ref().and_then(|elements| elements.get(index));
                outcome.merge(self.node(child, item, &format!("{path}[{index}]"), old));
            }
        }
        let count = items.len();
        if let Some(min) = bound(schema, "minItems").filter(|min| count_of(count) < *min) {
            let told = format!("should have at least {min} items");
            outcome.add(Mistake::says(path, ErrorType::Invalid, &told).showing(&count));
        }
        if let Some(max) = bound(schema, "maxItems").filter(|max| count_of(count) > *max) {
            outcome.add(too_many(path, count, max));
        }
        outcome.checks += 1;
        outcome
    }

    fn object(
        &self,
        schema: &Json,
        fields: &Map<String, Json>,
        path: &str,
        old: Option<Correlated<'_>>,
    ) -> Outcome {
        let count = fields.len();
        let mut outcome = Outcome::default();
        if let Some(min) = bound(schema, "minProperties").filter(|min| count_of(count) < *min) {
            let told = format!("should have at least {min} properties");
            outcome.add(Mistake::says(path, ErrorType::Invalid, &told).showing(&count));
        }
        if let Some(max) = bound(schema, "maxProperties").filter(|max| count_of(count) > *max) {
            outcome.add(too_many(path, count, max));
        }
        let properties = super::properties(schema);
        let is_property = |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
        let is_closed = schema.get("additionalProperties") == Some(&Json::Bool(false));
        for (name, value) in fields {
            let Some(child) = field_schema(schema, name) else {
                if is_closed {
                    let detail = format!("{path}.{name} in body is a forbidden property");
                    outcome.add(Mistake::new(path, ErrorType::Invalid, detail).showing(&"\"\""));
                }
                continue;
            };
            // The path of a property at the root has no dot, that of another field has.
            let dot = if path.is_empty() && is_property(name) { "" } else { "." };
            let is_type_meta =
                self.is_resource && path.is_empty() && matches!(name.as_str(), "apiVersion" | "kind");
            let old = old.filter(|_| !is_type_meta).and_then(|old| old.field(name));
            outcome.merge(self.node(child, value, &format!("{path}{dot}{name}"), old));
        }
        let has_default = |name: &str| {
            properties.and_then(|it| it.get(name)?.get("default")).is_some_and(|it| !it.is_null())
        };
        let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
        for name in required.filter_map(Json::as_str) {
            if !fields.contains_key(name) && !has_default(name) {
                outcome.add(Mistake::new(&format!("{path}.{name}"), ErrorType::Required, String::new()));
            }
        }
        outcome
    }
}

fn too_many(path: &str, count: usize, max: i64) -> Mistake {
    let detail = match max {
        1 => "must have at most 1 item".to_owned(),
        0.. => format!("must have at most {max} items"),
        _ => "has too many items".to_owned(),
    };
    Mistake::new(path, ErrorType::TooMany, detail).showing(&count)
}

/// A bound on a length or a count.
fn bound(schema: &Json, keyword: &str) -> Option<i64> {
    schema.get(keyword)?.as_i64()
}

fn count_of(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The types that a node allows: those of an int-or-string are two.
fn types_of(schema: &Json) -> Vec<&str> {
    if flag(schema, "x-kubernetes-int-or-string") {
        return vec!["integer", "string"];
    }
    schema.get("type").and_then(Json::as_str).filter(|name| !name.is_empty()).into_iter().collect()
}
