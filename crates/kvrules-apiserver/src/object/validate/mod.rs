//! Validates an object against its schema, in the server's words.
//!
//! Each node is checked in the server's order, and a failed branch is reported by the one that fits best, which is the one
//! with the most checks passed. Therefore passed checks are counted.

mod formats;
mod junctors;
mod keyword_groups;
mod number;
mod outcome;
mod scalar;
mod types;
mod value_path;

use std::collections::HashMap;
use std::sync::OnceLock;

use kvrules_cel::go_text;
use kvrules_kubernetes::keywords::INT_OR_STRING;
use kvrules_regex::Matcher;
use serde_json::{Map, Value as Json};

use super::{NOWHERE, bool_keyword};
use crate::crd::{CorrelatedValue, Failure};
use crate::field_error::ErrorType;
use crate::node::{text_keyword, value_of};
use crate::server::{ObjectFeatures, ServerFeatures};
use keyword_groups::KeywordGroups;
use outcome::{ObjectError, ValidationOutcome};
use value_path::ValuePath;

pub use formats::Format;
pub(super) use formats::is_enforced as is_enforced_format;

/// The patterns of a schema, each prepared when it is first asked for; nothing for what is not a pattern.
#[derive(Debug, Default)]
pub(super) struct CompiledPatterns(HashMap<String, OnceLock<Option<Matcher>>>);

impl CompiledPatterns {
    /// All patterns at and below a node.
    pub(super) fn from_schema(schema: &Json) -> Self {
        let mut patterns = Self::default();
        patterns.collect(schema);
        patterns
    }

    fn collect(&mut self, schema: &Json) {
        if let Some(pattern) = value_of(schema, "pattern").and_then(Json::as_str) {
            self.0.entry(pattern.to_owned()).or_default();
        }
        for (_, below) in crate::node::child_nodes(schema) {
            self.collect(below);
        }
    }

    /// True if a string does not match. An invalid pattern matches everything: no such schema is accepted.
    fn rejects_text(&self, pattern: &str, text: &str) -> bool {
        let made = || kvrules_regex::compile_matcher(pattern).ok();
        let matcher = self.0.get(pattern).and_then(|matcher| matcher.get_or_init(made).as_ref());
        matcher.is_some_and(|matcher| !matcher.is_match(text))
    }
}

/// True if a node allows the type of a value.
pub(super) fn allows_type(schema: &Json, value: &Json) -> bool {
    let features = ServerFeatures::default().objects;
    !types::is_typed(schema, features)
        || types::check_type(schema, value, &ValuePath::ROOT, features).is_valid()
}

/// Returns the errors of an object, compared with the stored one if it is an update.
pub(super) fn check_object(
    schema: &Json,
    patterns: &CompiledPatterns,
    object: &Json,
    stored: Option<&Json>,
    features: ObjectFeatures,
) -> Vec<Failure> {
    let old = stored.map(|stored| CorrelatedValue::root(object, stored, schema));
    let old = old.filter(|_| features.ratchets);
    let validator = Validator { patterns, is_resource: true, features };
    to_failures(validator.validate_node(schema, object, &ValuePath::ROOT, old))
}

/// True if a value that is created has no errors.
pub(super) fn is_valid_value(
    schema: &Json,
    patterns: &CompiledPatterns,
    value: &Json,
    features: ObjectFeatures,
) -> bool {
    // The words about an unlisted value name all that are listed.
    if !scalar::is_listed(schema, value) {
        return false;
    }
    let validator = Validator { patterns, is_resource: true, features };
    validator.validate_node(schema, value, &ValuePath::ROOT, None).is_valid()
}

/// Returns the violations of a field that is evaluated alone, in place of a stored value. Their fields begin with the path of the
/// field, and their words do not.
// apiextensions customresource/validator.go, ValidateStatusUpdate; validation.go, kubeOpenAPIResultToFieldErrors
pub(super) fn check_below(
    schema: &Json,
    patterns: &CompiledPatterns,
    value: &Json,
    path: &str,
    old: Option<CorrelatedValue<'_>>,
    features: ObjectFeatures,
) -> Vec<Failure> {
    let validator = Validator { patterns, is_resource: false, features };
    let old = old.filter(|_| features.ratchets);
    let mut found = to_failures(validator.validate_node(schema, value, &ValuePath::ROOT, old));
    for failure in &mut found {
        failure.field = match failure.field.as_str() {
            NOWHERE => path.to_owned(),
            field => format!("{path}.{field}"),
        };
    }
    found
}

// apiextensions apiserver/validation/validation.go, kubeOpenAPIResultToFieldErrors
fn to_failures(outcome: ValidationOutcome) -> Vec<Failure> {
    let mut failures: Vec<_> = outcome.errors.into_iter().map(ObjectError::into_failure).collect();
    // Several branches may report the same error for a value.
    failures.sort();
    failures.dedup();
    failures
}

struct Validator<'p> {
    patterns: &'p CompiledPatterns,
    /// True if the root is a whole resource, with an `apiVersion` and a `kind`.
    is_resource: bool,
    features: ObjectFeatures,
}

impl Validator<'_> {
    // kube-openapi validate/schema.go, (*SchemaValidator).Validate: null is checked by the type and enum validators alone.
    fn validate_node(
        &self,
        schema: &Json,
        value: &Json,
        path: &ValuePath<'_>,
        old: Option<CorrelatedValue<'_>>,
    ) -> ValidationOutcome {
        let mut outcome = ValidationOutcome::default();
        if value.is_null() {
            outcome.merge(types::check_type(schema, value, path, self.features));
            outcome.merge(scalar::check_enum(schema, value, path));
        } else {
            self.validators(schema, value, path, old, &mut outcome);
        }
        // apiextensions validation/ratcheting.go, Validate
        if !outcome.is_valid() && old.is_some_and(CorrelatedValue::is_unchanged) {
            outcome.errors.clear();
        }
        outcome
    }

    // kube-openapi validate/schema.go, NewSchemaValidator: this is the order of its list of validators.
    fn validators(
        &self,
        schema: &Json,
        value: &Json,
        path: &ValuePath<'_>,
        old: Option<CorrelatedValue<'_>>,
        outcome: &mut ValidationOutcome,
    ) {
        let groups = KeywordGroups::of_node(schema);
        if groups.is_of_type(value) {
            outcome.add_validator_outcome(ValidationOutcome::passed());
        } else if types::is_typed(schema, self.features) {
            outcome.add_validator_outcome(types::check_type(schema, value, path, self.features));
        }
        outcome.add_validator_outcome(if groups.has_junctors {
            junctors::check_junctors(self, schema, value, path)
        } else {
            ValidationOutcome::passed()
        });
        match value {
            Json::String(text) => {
                outcome.add_validator_outcome(if groups.has_text_bounds {
                    scalar::check_string(schema, text, path, self.patterns)
                } else {
                    ValidationOutcome::default()
                });
                if groups.has_format
                    && let Some(failures) = formats::check_format(schema, text, path, self.features)
                {
                    outcome.add_validator_outcome(failures);
                }
            }
            Json::Number(number) => {
                outcome.add_validator_outcome(number::check_number(schema, number, path, self.features));
            }
            Json::Array(items) => outcome.add_validator_outcome(self.validate_list(schema, items, path, old)),
            _ => {}
        }
        outcome.add_validator_outcome(if groups.has_enum {
            scalar::check_enum(schema, value, path)
        } else {
            ValidationOutcome::default()
        });
        if let Json::Object(fields) = value {
            outcome.add_validator_outcome(self.validate_object((schema, &groups), fields, path, old));
        }
        outcome.checks += 1;
    }

    // kube-openapi validate/slice_validator.go, (*schemaSliceValidator).Validate
    fn validate_list(
        &self,
        schema: &Json,
        items: &[Json],
        path: &ValuePath<'_>,
        old: Option<CorrelatedValue<'_>>,
    ) -> ValidationOutcome {
        let mut outcome = ValidationOutcome::default();
        if let Some(child) = value_of(schema, "items").filter(|child| child.is_object()) {
            let elements = old.map(CorrelatedValue::elements);
            for (index, item) in items.iter().enumerate() {
                let old = elements.as_ref().and_then(|elements| elements.get(index));
                outcome.merge(self.validate_node(child, item, &path.join_index(index), old));
            }
        }
        let count = items.len();
        if let Some(min) = bound_keyword(schema, "minItems").filter(|min| count_of(count) < *min) {
            let detail = format!("should have at least {min} items");
            outcome.add(ObjectError::with_path_message(path, ErrorType::Invalid, &detail).with_value(&count));
        }
        if let Some(max) = bound_keyword(schema, "maxItems").filter(|max| count_of(count) > *max) {
            outcome.add(too_many(path, count, max));
        }
        outcome.checks += 1;
        outcome
    }

    // kube-openapi validate/object_validator.go, (*objectValidator).Validate
    fn validate_object(
        &self,
        (schema, groups): (&Json, &KeywordGroups<'_>),
        fields: &Map<String, Json>,
        path: &ValuePath<'_>,
        old: Option<CorrelatedValue<'_>>,
    ) -> ValidationOutcome {
        let count = fields.len();
        let mut outcome = ValidationOutcome::default();
        let bound = |keyword: &str| if groups.has_counts { bound_keyword(schema, keyword) } else { None };
        if let Some(min) = bound("minProperties").filter(|min| count_of(count) < *min) {
            let detail = format!("should have at least {min} properties");
            outcome.add(ObjectError::with_path_message(path, ErrorType::Invalid, &detail).with_value(&count));
        }
        if let Some(max) = bound("maxProperties").filter(|max| count_of(count) > *max) {
            outcome.add(too_many(path, count, max));
        }
        if self.features.stops_at_property_counts && !outcome.is_valid() {
            return outcome;
        }
        let properties = groups.properties.and_then(Json::as_object);
        let is_property = |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
        let is_closed = groups.additional == Some(&Json::Bool(false));
        // As `field_schema`, with what is known of the node.
        let others = groups.additional.filter(|values| values.is_object());
        let child_of = |name: &str| groups.properties.and_then(|own| value_of(own, name)).or(others);
        for (name, value) in fields {
            let Some(child) = child_of(name) else {
                if is_closed {
                    let detail = format!("{path}.{name} in body is a forbidden property");
                    outcome.add(
                        ObjectError::new(path, ErrorType::Invalid, detail)
                            .with_value(&go_text::quote_string(name)),
                    );
                }
                continue;
            };
            // At the root, the path of a declared property has no leading dot; that of any other field has one.
            let dot = if path.is_empty() && is_property(name) { "" } else { "." };
            let is_type_meta =
                self.is_resource && path.is_empty() && matches!(name.as_str(), "apiVersion" | "kind");
            let old = old.filter(|_| !is_type_meta).and_then(|old| old.field(name));
            outcome.merge(self.validate_node(child, value, &path.join_field(dot, name), old));
        }
        let has_default = |name: &str| {
            properties.and_then(|it| value_of(it.get(name)?, "default")).is_some_and(|it| !it.is_null())
        };
        let required = groups.required.and_then(Json::as_array).into_iter().flatten();
        for name in required.filter_map(Json::as_str) {
            if !fields.contains_key(name) && !has_default(name) {
                outcome.add(ObjectError::new(
                    &path.join_field(".", name),
                    ErrorType::Required,
                    String::new(),
                ));
            }
        }
        outcome
    }
}

fn too_many(path: &ValuePath<'_>, count: usize, max: i64) -> ObjectError {
    let detail = match max {
        1 => "must have at most 1 item".to_owned(),
        0.. => format!("must have at most {max} items"),
        _ => "has too many items".to_owned(),
    };
    ObjectError::new(path, ErrorType::TooMany, detail).with_value(&count)
}

/// A bound on a length or a count.
// Bounds are `int64` in the server; other numbers do not decode.
fn bound_keyword(schema: &Json, keyword: &str) -> Option<i64> {
    value_of(schema, keyword)?.as_i64()
}

fn count_of(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The types that a node allows: those of an int-or-string are two.
// apiextensions apiserver/validation/validation.go, ConvertJSONSchemaPropsWithPostProcess: int-or-string replaces any
// type.
fn types_of(schema: &Json) -> NodeTypes<'_> {
    if bool_keyword(schema, INT_OR_STRING) {
        return NodeTypes { names: ["integer", "string"], count: 2 };
    }
    match text_keyword(schema, "type") {
        "" => NodeTypes { names: ["", ""], count: 0 },
        name => NodeTypes { names: [name, ""], count: 1 },
    }
}

/// The names of the types of a node, without an allocation for each value.
struct NodeTypes<'s> {
    names: [&'s str; 2],
    count: usize,
}

impl<'s> NodeTypes<'s> {
    fn as_slice(&self) -> &[&'s str] {
        self.names.get(..self.count).unwrap_or_default()
    }
}
