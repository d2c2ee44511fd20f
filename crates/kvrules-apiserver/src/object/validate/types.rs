//! The type of a value.

use kvrules_cel::go_text;
use serde_json::Value as Json;

use super::super::bool_keyword;
use super::number::is_whole;
use super::outcome::{ObjectError, ValidationOutcome};
use super::value_path::ValuePath;
use super::{formats, types_of};
use crate::field_error::ErrorType;
use crate::server::ObjectFeatures;

/// True if a node restricts types.
// kube-openapi validate/type.go, (*typeValidator).Applies
pub(super) fn is_typed(schema: &Json, features: ObjectFeatures) -> bool {
    !types_of(schema).as_slice().is_empty() || !formats::in_force(schema, features).is_empty()
}

/// Checks that a value has a type that the node allows.
// kube-openapi validate/type.go, (*typeValidator).Validate
pub(super) fn check_type(
    schema: &Json,
    value: &Json,
    path: &ValuePath<'_>,
    features: ObjectFeatures,
) -> ValidationOutcome {
    let types = types_of(schema);
    let wanted = types.as_slice();
    let refuse = |wanted: &str, found: &str| -> ValidationOutcome {
        let detail = format!("must be of type {wanted}: {}", go_text::quote_string(found));
        ObjectError::with_path_message(path, ErrorType::TypeInvalid, &detail)
            .with_value(&go_text::quote_string(found))
            .into()
    };
    if value.is_null() {
        let allowed = wanted.is_empty() || bool_keyword(schema, "nullable");
        return if allowed { ValidationOutcome::passed() } else { refuse(&wanted.join(","), "null") };
    }
    let (found, found_format) = name(value);
    let has = |name: &str| wanted.contains(&name);
    // 1.0 is an integer for the schema, as in JSON Schema.
    let whole_float = found == "number" && has("integer") && value.as_f64().is_some_and(is_whole);
    let fits = has(found) || whole_float || (found == "integer" && has("number"));
    let format = formats::in_force(schema, features);
    if !format.is_empty() {
        if value.is_string() || value.is_array() {
            // Under a schema with a format, a string or a list is checked by the format alone, unless the schema
            // accepts numbers.
            if !has("number") && !has("integer") {
                return ValidationOutcome::passed();
            }
        } else if !fits && format != found_format {
            return refuse(format, found_format);
        }
    }
    if fits { ValidationOutcome::passed() } else { refuse(&wanted.join(","), found) }
}

/// The type of a value, and the format that the server takes it to have.
// kube-openapi validate/type.go, schemaInfoForType. Its format names are Go's, so `float64` never equals a format of a
// schema.
fn name(value: &Json) -> (&'static str, &'static str) {
    match value {
        Json::Null => ("null", ""),
        Json::Bool(_) => ("boolean", ""),
        Json::Number(number) if number.is_i64() => ("integer", "int64"),
        Json::Number(_) => ("number", "float64"),
        Json::String(_) => ("string", ""),
        Json::Array(_) => ("array", ""),
        Json::Object(_) => ("object", ""),
    }
}
