//! Facts about a value before any object is seen: its default, and the results of tests on it.

use kvrules_ir::{Interval, Place, RegexPattern, Scalar, ValueTest, ValueType};
use kvrules_kubernetes::quantity::Quantity;
use num_bigint::BigInt;

/// The value of a place that exists without being spelled out. Objects and lists have no such value that can be
/// tested.
pub(super) fn default_scalar(place: &Place) -> Option<Scalar> {
    place.implicit_value()
}

/// True if a constant passes a test.
pub(super) fn passes_test(test: &ValueTest, value: &Scalar, kind: ValueType) -> bool {
    match test {
        ValueTest::Integer(interval) => {
            constant_integer(value, kind).is_some_and(|number| interval.contains(&number))
        }
        ValueTest::Length(interval) => interval.contains(&constant_text(value).chars().count().into()),
        ValueTest::OneOf(texts) => texts.contains(&constant_text(value)),
        ValueTest::Matches(pattern) => matches_pattern(pattern, &constant_text(value)),
    }
}

/// The constant as text.
pub(super) fn constant_text(value: &Scalar) -> String {
    match value {
        Scalar::Integer(number) => number.to_string(),
        Scalar::Text(text) => text.clone(),
        Scalar::Boolean(truth) => truth.to_string(),
    }
}

/// The constant as integer, if it is one.
pub(super) fn constant_integer(value: &Scalar, kind: ValueType) -> Option<BigInt> {
    match value {
        Scalar::Integer(number) => Some(number.clone()),
        Scalar::Text(text) if kind == ValueType::Quantity => Quantity::parse_trimmed(text).ok()?.to_integer(),
        Scalar::Text(_) | Scalar::Boolean(_) => None,
    }
}

fn matches_pattern(pattern: &RegexPattern, text: &str) -> bool {
    let matcher = kvrules_regex::compile_matcher(&pattern.0).ok();
    matcher.is_some_and(|matcher| matcher.is_match(text))
}

/// An interval among the integers that the server has, which are those of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Int64Bounds {
    pub(super) min: Option<i64>,
    pub(super) max: Option<i64>,
}

impl Int64Bounds {
    /// The bounds that matter to a value not less than `least`; `None` if no value lies between them.
    pub(super) fn of(interval: &Interval, least: i64) -> Option<Self> {
        let least_big = BigInt::from(least);
        let min = interval.min.as_ref().filter(|min| **min > least_big).map(i64::try_from);
        let max = interval.max.as_ref().filter(|max| **max < BigInt::from(i64::MAX));
        if interval.is_empty() || max.is_some_and(|max| *max < least_big) {
            return None;
        }
        let min = min.transpose().ok()?; // above every value
        Some(Self { min, max: max.and_then(|max| i64::try_from(max).ok()) })
    }
}
