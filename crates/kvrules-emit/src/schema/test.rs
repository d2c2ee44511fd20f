//! Tests on a single value as shapes, and what a schema cannot say of them.

use kvrules_ir::{Interval, Pattern, Test, ValueType};
use num_bigint::BigInt;

use super::leaf::{Check, number};
use super::losses::Losses;
use super::quantity_pattern;
use super::shape::Shape;

const NOT_TEXT: &str = "numbers and booleans in place of a string";
const NOT_WHOLE: &str = "strings, booleans and fractions in place of an integer";
const NOT_BOOLEAN: &str = "strings and numbers in place of a boolean";
const FRACTIONS: &str = "numbers with a fraction";
const NUMBERS: &str = "values written as numbers or booleans";
const BLANKS: &str = "quantities with blanks around them";

/// The shape of a value of a type that passes a test; the cause if a schema cannot say it.
///
/// Departures of the shape from the test go to `losses`.
pub(crate) fn of_test(test: &Test, value_type: ValueType, losses: &mut Losses) -> Result<Shape, String> {
    match test {
        Test::Integer(interval) => integer(interval, value_type, losses),
        Test::Length(interval) => length(interval, value_type, losses),
        Test::OneOf(texts) => Ok(Shape::one_of(texts.iter().cloned())),
        Test::Matches(pattern) => matches(pattern, value_type, losses),
    }
}

fn integer(interval: &Interval, value_type: ValueType, losses: &mut Losses) -> Result<Shape, String> {
    if interval.is_empty() {
        return Ok(Shape::Nothing);
    }
    let fits = [&interval.min, &interval.max].into_iter().flatten().all(|bound| number(bound).is_some());
    if !fits {
        return Err("a schema cannot hold a bound of more than 64 bits".to_owned());
    }
    let quantity = value_type == ValueType::Quantity;
    if quantity {
        let pattern = quantity_pattern::between(interval.min.as_ref(), interval.max.as_ref());
        for phrase in pattern.lets_in {
            losses.lets_in(phrase);
        }
        // The reader of quantities drops blanks before the pattern's work begins.
        for phrase in pattern.leaves_out.into_iter().chain([BLANKS]) {
            losses.leaves_out(phrase);
        }
    }
    Ok(Shape::leaf(Check::Integer(interval.clone(), quantity)))
}

fn length(interval: &Interval, value_type: ValueType, losses: &mut Losses) -> Result<Shape, String> {
    let booleans = || booleans(|text| interval.contains(&text.chars().count().into()));
    let (phrase, shape) = match value_type {
        ValueType::String | ValueType::Time => (NOT_TEXT, strings(interval)),
        ValueType::Integer => (NOT_WHOLE, integers_of_length(interval)),
        ValueType::Boolean => (NOT_BOOLEAN, booleans()),
        ValueType::Number => return Err("a schema cannot count the characters of a number".to_owned()),
        _ => (FRACTIONS, Shape::any([strings(interval), integers_of_length(interval), booleans()])),
    };
    losses.leaves_out(phrase);
    Ok(shape)
}

fn strings(interval: &Interval) -> Shape {
    let most = BigInt::from(u32::MAX); // beyond what any object holds
    let none = interval.max.as_ref().is_some_and(|max| *max < BigInt::ZERO);
    if none || interval.is_empty() || interval.min.as_ref().is_some_and(|min| *min > most) {
        return Shape::Nothing;
    }
    let min = interval.min.clone().filter(|min| *min > BigInt::ZERO);
    let max = interval.max.clone().filter(|max| *max <= most);
    Shape::leaf(Check::Length(Interval { min, max }))
}

/// Whole numbers by the length of their text: those of `n` digits begin at `10^(n-1)`, and the sign is one more.
fn integers_of_length(interval: &Interval) -> Shape {
    let positive = numbers_of_length(interval.min.as_ref(), interval.max.as_ref());
    let one_less = |bound: &Option<BigInt>| bound.as_ref().map(|bound| bound - 1_u8);
    let (least, most) = (one_less(&interval.min), one_less(&interval.max));
    let mut negative = numbers_of_length(least.as_ref(), most.as_ref());
    // Zero has no sign.
    negative = negative.map(|Interval { min, max }| Interval { min: min.max(Some(1.into())), max });
    let negative =
        negative.map(|Interval { min, max }| Interval { min: max.map(|max| -max), max: min.map(|min| -min) });
    let ranges = [positive, negative].into_iter().flatten();
    Shape::any(ranges.map(|range| Shape::leaf(Check::Integer(range, false))))
}

/// The numbers, zero or more, with so many digits.
fn numbers_of_length(least: Option<&BigInt>, most: Option<&BigInt>) -> Option<Interval> {
    // No number of twenty digits or more is surely kept whole.
    let digits = |bound: &BigInt| u32::try_from(bound.clone().clamp(BigInt::ZERO, 20.into())).unwrap_or(20);
    let (least, most) = (least.map_or(0, digits), most.map_or(20, digits));
    let power = |exponent: u32| BigInt::from(10_u8).pow(exponent);
    (most > 0 && least <= most && least < 20).then(|| Interval {
        min: Some(if least <= 1 { BigInt::ZERO } else { power(least - 1) }),
        max: (most < 20).then(|| power(most) - 1_u8),
    })
}

fn booleans(passes: impl Fn(&str) -> bool) -> Shape {
    Shape::one_of(["false", "true"].into_iter().filter(|text| passes(text)).map(str::to_owned))
}

fn matches(pattern: &Pattern, value_type: ValueType, losses: &mut Losses) -> Result<Shape, String> {
    let refused = |error: &dyn std::fmt::Display| format!("`{}` cannot be used: {error}", pattern.0);
    let regex = kvrules_regex::parse(&pattern.0).map_err(|error| refused(&error))?;
    // A choice of texts is said exactly for values of every type.
    if let Some(texts) = regex.literal_alternatives() {
        return Ok(Shape::one_of(texts.into_iter()));
    }
    let (phrase, shape) = match value_type {
        ValueType::Integer | ValueType::Number => {
            return Err("a schema cannot match the digits of a number".to_owned());
        }
        ValueType::Boolean => {
            let matcher = regex.matcher().map_err(|error| refused(&error))?;
            (NOT_BOOLEAN, booleans(|text| matcher.is_match(text)))
        }
        ValueType::String | ValueType::Time => (NOT_TEXT, Shape::leaf(Check::Pattern(regex.to_ecma()))),
        _ => (NUMBERS, Shape::leaf(Check::Pattern(regex.to_ecma()))),
    };
    losses.leaves_out(phrase);
    Ok(shape)
}
