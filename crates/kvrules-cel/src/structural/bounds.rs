//! Lengths, counts, ranges and patterns of a value.

use serde_json::Value;

use crate::field_error::{ErrorType, FieldError};

use super::node::{flag, text};
use super::place::Place;

/// The bounds that a value does not keep.
pub(super) fn check(node: &Value, value: &Value, place: &Place, errors: &mut Vec<FieldError>) {
    match value {
        Value::String(value) => string(node, value, place, errors),
        Value::Array(items) => {
            let (min, max) = ("minItems", "maxItems");
            if let Some(max) = bound(node, max).filter(|max| items.len() as u64 > *max) {
                let items = if max == 1 { "item" } else { "items" };
                errors.push(place.error(ErrorType::TooMany, format!("must have at most {max} {items}")));
            }
            if let Some(min) = bound(node, min).filter(|min| (items.len() as u64) < *min) {
                errors.push(place.says(ErrorType::Invalid, &format!("should have at least {min} items")));
            }
        }
        Value::Object(fields) => {
            if let Some(max) = bound(node, "maxProperties").filter(|max| fields.len() as u64 > *max) {
                errors.push(place.says(ErrorType::Invalid, &format!("should have at most {max} properties")));
            }
            if let Some(min) = bound(node, "minProperties").filter(|min| (fields.len() as u64) < *min) {
                errors
                    .push(place.says(ErrorType::Invalid, &format!("should have at least {min} properties")));
            }
        }
        Value::Number(number) => {
            let errors_of = |number| range(node, number, place);
            errors.extend(number.as_f64().map(errors_of).into_iter().flatten());
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn bound(node: &Value, keyword: &str) -> Option<u64> {
    node.get(keyword)?.as_u64()
}

fn string(node: &Value, value: &str, place: &Place, errors: &mut Vec<FieldError>) {
    let length = value.chars().count() as u64;
    if let Some(max) = bound(node, "maxLength").filter(|max| length > *max) {
        errors.push(place.error(ErrorType::TooLong, format!("may not be more than {max} bytes")));
    }
    if let Some(min) = bound(node, "minLength").filter(|min| length < *min) {
        errors.push(place.says(ErrorType::Invalid, &format!("should be at least {min} chars long")));
    }
    let pattern = text(node, "pattern");
    let matcher = kvrules_regex::parse(pattern).ok().and_then(|regex| regex.matcher().ok());
    if !pattern.is_empty() && matcher.is_some_and(|matcher| !matcher.is_match(value)) {
        errors.push(place.says(ErrorType::Invalid, &format!("should match '{pattern}'")));
    }
}

fn range(node: &Value, value: f64, place: &Place) -> Vec<FieldError> {
    let number = |keyword: &str| Some((node.get(keyword)?.as_f64()?, node.get(keyword)?.to_string()));
    let mut words = Vec::new();
    if let Some((max, shown)) = number("maximum") {
        if flag(node, "exclusiveMaximum") && value >= max {
            words.push(format!("should be less than {shown}"));
        } else if value > max {
            words.push(format!("should be less than or equal to {shown}"));
        }
    }
    if let Some((min, shown)) = number("minimum") {
        if flag(node, "exclusiveMinimum") && value <= min {
            words.push(format!("should be greater than {shown}"));
        } else if value < min {
            words.push(format!("should be greater than or equal to {shown}"));
        }
    }
    if let Some((factor, shown)) = number("multipleOf")
        && factor > 0.0
        && (value / factor).fract() != 0.0
    {
        words.push(format!("should be a multiple of {shown}"));
    }
    words.into_iter().map(|words| place.says(ErrorType::Invalid, &words)).collect()
}
