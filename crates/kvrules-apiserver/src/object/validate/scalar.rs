//! Texts, and values out of a closed list.

use kvrules_cel::go_text;
use serde_json::Value as Json;

use super::super::text_keyword;
use super::outcome::{ObjectError, ValidationOutcome};
use super::value_path::ValuePath;
use super::{CompiledPatterns, bound_keyword, count_of};
use crate::field_error::ErrorType;
use crate::node::value_of;

/// The first bound that a text does not keep.
// kube-openapi validate/validator.go, (*stringValidator).Validate: stops at the first error.
pub(super) fn check_string(
    schema: &Json,
    value: &str,
    path: &ValuePath<'_>,
    patterns: &CompiledPatterns,
) -> ValidationOutcome {
    let length = count_of(value.chars().count());
    let shown = || go_text::quote_string(value);
    if let Some(max) = bound_keyword(schema, "maxLength").filter(|max| length > *max) {
        let detail = match max {
            // The length is counted in characters, although the message speaks of bytes.
            1 => "may not be more than 1 byte".to_owned(),
            0.. => format!("may not be more than {max} bytes"),
            _ => "value is too long".to_owned(),
        };
        return ObjectError::new(path, ErrorType::TooLong, detail).with_value(&shown()).into();
    }
    if let Some(min) = bound_keyword(schema, "minLength").filter(|min| length < *min) {
        let detail = format!("should be at least {min} chars long");
        return ObjectError::with_path_message(path, ErrorType::Invalid, &detail).with_value(&shown()).into();
    }
    let pattern = text_keyword(schema, "pattern");
    if !pattern.is_empty() && patterns.rejects_text(pattern, value) {
        let detail = format!("should match '{pattern}'");
        return ObjectError::with_path_message(path, ErrorType::Invalid, &detail).with_value(&shown()).into();
    }
    ValidationOutcome::default()
}

/// Checks that a value is one of the listed ones. An empty list allows everything.
// kube-openapi validate/validator.go, (*basicCommonValidator).Validate
pub(super) fn check_enum(schema: &Json, value: &Json, path: &ValuePath<'_>) -> ValidationOutcome {
    let Some(values) = listed_values(schema).filter(|_| !is_listed(schema, value)) else {
        return ValidationOutcome::default();
    };
    let shown = values.iter().map(|listed| match listed {
        Json::String(text) => go_text::quote_string(text),
        other => go_text::quote_string(&go_text::encode_json(other)),
    });
    let detail = format!("supported values: {}", shown.collect::<Vec<_>>().join(", "));
    ObjectError::new(path, ErrorType::NotSupported, detail)
        .with_value(&go_text::format_json_value(value))
        .into()
}

/// True if a node lists a value, or lists none.
pub(super) fn is_listed(schema: &Json, value: &Json) -> bool {
    listed_values(schema).is_none_or(|values| values.iter().any(|listed| equals_listed(value, listed)))
}

fn listed_values(schema: &Json) -> Option<&Vec<Json>> {
    value_of(schema, "enum").and_then(Json::as_array).filter(|values| !values.is_empty())
}

/// True if a value equals a listed one. Null never does, and numbers are converted to the type of the listed one, which
/// truncates fractions; a number equals a listed string that is the character with that code.
// The same function compares after `reflect.Value.Convert`: Go converts floats to integers by truncation and integers to
// strings by code point.
fn equals_listed(value: &Json, listed: &Json) -> bool {
    match (value, listed) {
        (Json::Null, _) | (_, Json::Null) => false,
        (Json::Number(number), Json::Number(other)) => match (number.as_i64(), other.as_i64()) {
            (Some(number), Some(other)) => number == other,
            (None, Some(other)) => number.as_f64().is_some_and(|float| truncated(float) == other),
            _ => number.as_f64() == other.as_f64(),
        },
        (Json::Number(number), Json::String(other)) => {
            let code = number.as_i64().and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32);
            code.is_some_and(|code| other.chars().eq([code]))
        }
        _ => value == listed,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the server truncates as well")]
pub(super) fn truncated(float: f64) -> i64 {
    float as i64
}
