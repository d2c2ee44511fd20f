//! Result of a test at a place that exists without being spelled out.

use kvrules_ir::{Interval, Place, Scalar, ValueTest, ValueType};
use kvrules_kubernetes::quantity::Quantity;

/// True if the default, or else the zero value, of a place passes a test.
pub(crate) fn default_passes(place: &Place, test: &ValueTest) -> bool {
    match test {
        ValueTest::Integer(interval) => is_integer_in(place, interval),
        ValueTest::Length(interval) => {
            default_text(place).is_some_and(|text| interval.contains(&text.chars().count().into()))
        }
        ValueTest::OneOf(texts) => default_text(place).is_some_and(|text| texts.contains(&text)),
        ValueTest::Matches(pattern) => default_text(place).is_some_and(|text| {
            let matcher = kvrules_regex::compile_matcher(&pattern.0).ok();
            matcher.is_some_and(|matcher| matcher.is_match(&text))
        }),
    }
}

fn default_text(place: &Place) -> Option<String> {
    Some(match place.implicit_value()? {
        Scalar::Integer(integer) => integer.to_string(),
        Scalar::Text(text) => text,
        Scalar::Boolean(truth) => truth.to_string(),
    })
}

fn is_integer_in(place: &Place, interval: &Interval) -> bool {
    match place.implicit_value() {
        Some(Scalar::Integer(integer)) => interval.contains(&integer),
        Some(Scalar::Text(text)) if place.value_type == ValueType::Quantity => Quantity::parse_trimmed(&text)
            .is_ok_and(|quantity| {
                let above = interval.min.as_ref().is_none_or(|min| quantity.compare_integer(min).is_ge());
                let below = interval.max.as_ref().is_none_or(|max| quantity.compare_integer(max).is_le());
                quantity.is_integer() && above && below
            }),
        _ => false,
    }
}
