//! What a place is worth that exists without being spelled out.

use kvrules_ir::quantity::Quantity;
use kvrules_ir::{Interval, Place, Scalar, Test, ValueType};
use num_bigint::BigInt;

/// Whether the default, or else the zero value, of a place passes a test.
pub(crate) fn passes(place: &Place, test: &Test) -> bool {
    match test {
        Test::Integer(interval) => is_integer_in(place, interval),
        Test::Length(interval) => {
            text(place).is_some_and(|text| interval.contains(&text.chars().count().into()))
        }
        Test::OneOf(texts) => text(place).is_some_and(|text| texts.contains(&text)),
        Test::Matches(pattern) => text(place).is_some_and(|text| {
            let matcher = kvrules_regex::parse(&pattern.0).ok().and_then(|regex| regex.matcher().ok());
            matcher.is_some_and(|matcher| matcher.is_match(&text))
        }),
    }
}

fn text(place: &Place) -> Option<String> {
    match &place.default {
        Some(Scalar::Integer(integer)) => Some(integer.to_string()),
        Some(Scalar::Text(text)) => Some(text.clone()),
        Some(Scalar::Boolean(truth)) => Some(truth.to_string()),
        None => zero(place.value_type).map(str::to_owned),
    }
}

/// The zero value of a type, as text.
fn zero(value_type: ValueType) -> Option<&'static str> {
    match value_type {
        ValueType::Integer | ValueType::Number | ValueType::IntOrString | ValueType::Quantity => Some("0"),
        ValueType::String | ValueType::Time => Some(""),
        ValueType::Boolean => Some("false"),
        ValueType::Object | ValueType::Map | ValueType::List | ValueType::Any => None,
    }
}

fn is_integer_in(place: &Place, interval: &Interval) -> bool {
    match &place.default {
        Some(Scalar::Integer(integer)) => interval.contains(integer),
        Some(Scalar::Text(text)) if place.value_type == ValueType::Quantity => Quantity::parse_trimmed(text)
            .is_ok_and(|quantity| {
                let above = interval.min.as_ref().is_none_or(|min| quantity.compare(min).is_ge());
                let below = interval.max.as_ref().is_none_or(|max| quantity.compare(max).is_le());
                quantity.is_integer() && above && below
            }),
        Some(_) => false,
        None => zero(place.value_type) == Some("0") && interval.contains(&BigInt::ZERO),
    }
}
