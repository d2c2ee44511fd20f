//! Reasons why a value fails a test, in a sentence.

use std::cmp::Ordering;

use kvrules_ir::{Interval, ValueTest, ValueType};
use kvrules_kubernetes::quantity::shortest_binary;
use num_bigint::BigInt;

use crate::value::{EffectiveValue, IntegerValue};

/// Returns the reason why a value fails a test.
pub(super) fn of_failure(datum: EffectiveValue, failed: &ValueTest) -> String {
    let Some(text) = datum.text() else {
        return "objects and lists have neither text nor number".to_owned();
    };
    match failed {
        ValueTest::Integer(interval) => not_in(interval, datum, &text),
        ValueTest::Length(interval) => not_so_long(interval, &text),
        ValueTest::OneOf(allowed) if allowed.is_empty() => format!("no value is allowed, not even `{text}`"),
        ValueTest::OneOf(allowed) => {
            let allowed: Vec<_> = allowed.iter().map(|text| format!("`{text}`")).collect();
            format!("`{text}` is not one of {}", allowed.join(", "))
        }
        ValueTest::Matches(pattern) => format!("`{text}` does not match `{}`", pattern.0),
    }
}

fn not_in(interval: &Interval, datum: EffectiveValue, text: &str) -> String {
    let quantity = datum.value_type() == ValueType::Quantity;
    match datum.integer() {
        Some(number) => {
            let show = if quantity { shortest_binary } else { BigInt::to_string };
            format!("`{text}` is {}", describe_broken_bound(interval, &number, "less", show))
        }
        None if quantity => format!("`{text}` is not a whole quantity"),
        None => format!("`{text}` is not an integer"),
    }
}

fn not_so_long(interval: &Interval, text: &str) -> String {
    let length = text.chars().count();
    let unit = if length == 1 { "character" } else { "characters" };
    let number = IntegerValue::Small(i128::try_from(length).unwrap_or(i128::MAX));
    format!(
        "`{text}` has {length} {unit}, {}",
        describe_broken_bound(interval, &number, "fewer", BigInt::to_string)
    )
}

/// Describes which bound of an interval a number breaks.
fn describe_broken_bound(
    interval: &Interval,
    number: &IntegerValue,
    below: &str,
    show: fn(&BigInt) -> String,
) -> String {
    match (&interval.min, &interval.max) {
        (Some(min), _) if number.compare(min) == Ordering::Less => format!("{below} than `{}`", show(min)),
        (_, Some(max)) => format!("more than `{}`", show(max)),
        _ => "out of bounds".to_owned(),
    }
}
