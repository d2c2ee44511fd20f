//! Texts, and values out of a closed list.

use serde_json::Value as Json;

use super::super::text;
use super::outcome::{Mistake, Outcome};
use super::{Patterns, bound, count_of};
use crate::field_error::ErrorType;
use crate::go_text;

/// The first bound that a text does not keep.
pub(super) fn string(schema: &Json, value: &str, path: &str, patterns: &Patterns) -> Outcome {
    let length = count_of(value.chars().count());
    let shown = || go_text::quote(value);
    if let Some(max) = bound(schema, "maxLength").filter(|max| length > *max) {
        let detail = match max {
            0.. => format!("may not be more than {max} bytes"),
            _ => "value is too long".to_owned(),
        };
        return Mistake::new(path, ErrorType::TooLong, detail).showing(&shown()).into();
    }
    if let Some(min) = bound(schema, "minLength").filter(|min| length < *min) {
        let told = format!("should be at least {min} chars long");
        return Mistake::says(path, ErrorType::Invalid, &told).showing(&shown()).into();
    }
    let pattern = text(schema, "pattern");
    if !pattern.is_empty() && patterns.refuse(pattern, value) {
        let told = format!("should match '{pattern}'");
        return Mistake::says(path, ErrorType::Invalid, &told).showing(&shown()).into();
    }
    Outcome::default()
}

/// Checks that a value is one of the listed ones. An empty list allows everything.
pub(super) fn enumeration(schema: &Json, value: &Json, path: &str) -> Outcome {
    let values = schema.get("enum").and_then(Json::as_array).filter(|values| !values.is_empty());
    let Some(values) = values.filter(|values| !values.iter().any(|listed| same(value, listed))) else {
        return Outcome::default();
    };
    let shown = values.iter().map(|listed| match listed {
        Json::String(text) => go_text::quote(text),
        other => go_text::quote(&go_text::encode(other)),
    });
    let detail = format!("supported values: {}", shown.collect::<Vec<_>>().join(", "));
    Mistake::new(path, ErrorType::NotSupported, detail).showing(&go_text::value(value)).into()
}

/// True if a value equals a listed one. Null never does, and numbers are converted to the type of the listed one, which
/// truncates fractions; a number equals a listed string that is the character with that code.
fn same(value: &Json, listed: &Json) -> bool {
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
