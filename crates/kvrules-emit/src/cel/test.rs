//! Tests on the value at a place.

use std::collections::BTreeSet;

use kvrules_ir::{Interval, Place, RegexPattern, Scalar, ValueTest, ValueType};

use super::constant::Int64Bounds;
use super::context::{NegationContext, PredicateLowering};
use super::dialect::FieldTypes;
use super::expr::{Expr, Operator};
use super::unsupported::UnsupportedReason;
use super::{constant, quantity};

/// The place exists, and its value passes.
pub(super) fn lower(
    lowering: &mut PredicateLowering<'_>,
    place: &Place,
    test: &ValueTest,
    standing: NegationContext,
) -> Result<Expr, UnsupportedReason> {
    let reading = lowering.scope().read(place)?;
    let passes = value(lowering, &reading.value, place.value_type, test, standing)?;
    let default = constant::default_scalar(place);
    let default_passes =
        default.is_some_and(|default| constant::passes_test(test, &default, place.value_type));
    let spelled = if default_passes {
        Expr::any_of(reading.spelled.into_iter().map(Expr::not).chain([passes]))
    } else {
        Expr::all_of(reading.spelled.into_iter().chain([passes]))
    };
    Ok(Expr::all_of(reading.exists.into_iter().chain([spelled])))
}

/// A value that is spelled out passes.
fn value(
    lowering: &mut PredicateLowering<'_>,
    value: &Expr,
    kind: ValueType,
    test: &ValueTest,
    standing: NegationContext,
) -> Result<Expr, UnsupportedReason> {
    let test = &finite(test);
    match kind {
        ValueType::Object | ValueType::Map | ValueType::List => Ok(Expr::Bool(false)),
        ValueType::Boolean => Ok(boolean(value, test)),
        ValueType::String => Ok(text(value, test)),
        ValueType::Integer => integer(lowering, value, test),
        ValueType::IntOrString => Ok(int_or_string(value, test)),
        ValueType::Quantity => Ok(match test {
            ValueTest::Integer(interval) if interval.is_empty() => Expr::Bool(false),
            ValueTest::Integer(interval) => {
                quantity::between_bounds(value, interval, standing, &mut lowering.deviation)
            }
            test => text(&Expr::call_function("string", value.clone()), test),
        }),
        ValueType::Number | ValueType::Time | ValueType::Any => Err(unreported(kind)),
    }
}

/// Returns the reason why values of a type are not tested.
pub(super) fn unreported(kind: ValueType) -> UnsupportedReason {
    UnsupportedReason::new(match kind {
        ValueType::Number => "the server formats fractions differently from the rule",
        ValueType::Time => "the server reads a time as a timestamp, not as the original string",
        _ => "the type of the field is unknown",
    })
}

/// A regular expression that stands for a few texts is read best as those texts, and costs next to nothing.
pub(super) fn finite(test: &ValueTest) -> ValueTest {
    const MOST: usize = 16;
    let ValueTest::Matches(RegexPattern(pattern)) = test else { return test.clone() };
    let texts = kvrules_regex::parse(pattern).ok().and_then(|regex| regex.literal_alternatives());
    texts.filter(|texts| texts.len() <= MOST).map_or_else(|| test.clone(), ValueTest::OneOf)
}

/// Only two values are possible, and what the test says of each is known.
fn boolean(value: &Expr, test: &ValueTest) -> Expr {
    let passes = |truth| constant::passes_test(test, &Scalar::Boolean(truth), ValueType::Boolean);
    match (passes(true), passes(false)) {
        (false, false) => Expr::Bool(false),
        (true, true) => Expr::Bool(true),
        // Without declared types the server does not accept a bare field as a boolean, so compare explicitly.
        (truth, _) => value.clone().apply_operator(Operator::Equal, Expr::Bool(truth)),
    }
}

fn integer(
    lowering: &PredicateLowering<'_>,
    value: &Expr,
    test: &ValueTest,
) -> Result<Expr, UnsupportedReason> {
    match test {
        ValueTest::Integer(interval) => Ok(between(value, interval, i64::MIN)),
        ValueTest::OneOf(texts) => Ok(value.clone().one_of(integers(texts))),
        // The server's cost estimate has no upper bound for the text of an integer.
        ValueTest::Matches(_) if lowering.scope().dialect.types == FieldTypes::Schema => Err(
            UnsupportedReason::new("the server cannot bound the cost of a regular expression on an integer"),
        ),
        test => Ok(text(&Expr::call_function("string", value.clone()), test)),
    }
}

fn int_or_string(value: &Expr, test: &ValueTest) -> Expr {
    match test {
        ValueTest::Integer(interval) => Expr::all_of([is_int(value), between(value, interval, i64::MIN)]),
        test => text(&Expr::call_function("string", value.clone()), test),
    }
}

/// `type(value) == int`
pub(super) fn is_int(value: &Expr) -> Expr {
    Expr::call_function("type", value.clone()).apply_operator(Operator::Equal, Expr::name("int"))
}

/// Tests on the text of a value; a value that is not text is never an integer here.
fn text(value: &Expr, test: &ValueTest) -> Expr {
    match test {
        ValueTest::Integer(_) => Expr::Bool(false),
        ValueTest::Length(interval) => between(&Expr::call_function("size", value.clone()), interval, 0),
        ValueTest::OneOf(texts) => value.clone().one_of(texts.iter().map(Expr::from_text).collect()),
        ValueTest::Matches(pattern) => value.clone().call_method("matches", Expr::from_text(&pattern.0)),
    }
}

/// An integer not less than `least` lies in an interval.
fn between(value: &Expr, interval: &Interval, least: i64) -> Expr {
    let Some(bounds) = Int64Bounds::of(interval, least) else { return Expr::Bool(false) };
    let compare = |operator, bound| value.clone().apply_operator(operator, Expr::Int(bound));
    match (bounds.min, bounds.max) {
        (Some(min), Some(max)) if min == max => compare(Operator::Equal, min),
        (min, max) => {
            let min = min.map(|min| compare(Operator::AtLeast, min));
            Expr::all_of(min.into_iter().chain(max.map(|max| compare(Operator::AtMost, max))))
        }
    }
}

/// The integers whose text is in a set.
fn integers(texts: &BTreeSet<String>) -> Vec<Expr> {
    let canonical = |text: &String| text.parse::<i64>().ok().filter(|number| number.to_string() == *text);
    let mut numbers: Vec<i64> = texts.iter().filter_map(canonical).collect();
    numbers.sort_unstable();
    numbers.into_iter().map(Expr::Int).collect()
}
