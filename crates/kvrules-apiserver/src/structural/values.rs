//! Checks that a default is allowed by its schema, in the words of the server.

use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value;

use crate::crd::Failure;
use crate::field_error::{ErrorType, FieldError};
use crate::object::{self, NOWHERE};

/// Returns the errors of the default of a field.
// apiextensions schema/defaulting/validation.go, validate; its validator comes from (*Structural).ToKubeOpenAPI
pub(super) fn check_default(schema: &Value, value: &Value, field: &str) -> Vec<FieldError> {
    let mut schema = schema.clone();
    drop_int_or_string(&mut schema);
    object::keyword_violations(&schema, value).into_iter().map(|failure| of_schema(field, failure)).collect()
}

/// Converts a failure of a schema to an error of the field of the value.
// apiserver/validation/validation.go, kubeOpenAPIResultToFieldErrors
fn of_schema(field: &str, failure: Failure) -> FieldError {
    let below = failure.field.clone();
    match below.as_str() {
        "" | NOWHERE => at_field(field.to_owned(), failure),
        // The server puts a dot before list indexes as well.
        below => at_field(format!("{field}.{below}"), failure),
    }
}

/// Converts a failure of a rule to an error of the field of the value.
pub(super) fn of_rule(field: &str, failure: Failure) -> FieldError {
    let below = failure.field.clone();
    match below.as_str() {
        "" | NOWHERE => at_field(field.to_owned(), failure),
        key if key.starts_with('[') => at_field(format!("{field}{key}"), failure),
        name => at_field(format!("{field}.{name}"), failure),
    }
}

/// A failure as an error of its own field.
pub(super) fn to_field_error(failure: Failure) -> FieldError {
    at_field(failure.field.clone(), failure)
}

fn at_field(field: String, failure: Failure) -> FieldError {
    let error_type = ErrorType::of_cause(&failure.reason).unwrap_or(ErrorType::Invalid);
    FieldError::new(error_type, field, failure.detail)
}

/// Takes out what does not count here: `x-kubernetes-int-or-string`, under which the server does not ask for the type of a
/// default, and defaults within, which do not give what is required.
fn drop_int_or_string(node: &mut Value) {
    let Some(keywords) = node.as_object_mut() else { return };
    for keyword in [INT_OR_STRING, "default"] {
        keywords.shift_remove(keyword);
    }
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(drop_int_or_string),
            ("items" | "additionalProperties" | "not", below) => drop_int_or_string(below),
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                branches.iter_mut().for_each(drop_int_or_string);
            }
            _ => {}
        }
    }
}
