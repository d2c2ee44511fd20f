//! Tests on a single value as shapes, and what a schema cannot express of them.

use kvrules_ir::{Interval, RegexPattern, ValueTest, ValueType};
use kvrules_regex::{Regex, TextDemands, TextSearch};
use num_bigint::BigInt;

use super::leaf::{LeafTest, lossless_number};
use super::losses::SchemaLosses;
use super::quantities::UNCOMMON;
use super::quantity_pattern;
use super::shape::ValueShape;
use super::{QuantityMode, choices};

const FRACTIONS: &str = "numbers with a fraction";
const NUMBERS: &str = "values written as numbers";
const LONG_NUMBERS: &str = "numbers of more than eighteen digits";

/// The shape of a value of a type that passes a test; the cause if a schema cannot express it.
///
/// Values of other types do not count, because the API rejects them before it evaluates rules. Departures of the
/// shape from the test go to `losses`.
pub(crate) fn of_test(
    test: &ValueTest,
    value_type: ValueType,
    quantities: QuantityMode,
    losses: &mut SchemaLosses,
) -> Result<ValueShape, String> {
    match test {
        ValueTest::Integer(interval) => integer(interval, value_type, quantities, losses),
        ValueTest::Length(interval) => length(interval, value_type, losses),
        ValueTest::OneOf(texts) => Ok(one_of(texts, value_type)),
        ValueTest::Matches(pattern) => matches(pattern, value_type, losses),
    }
}

fn integer(
    interval: &Interval,
    value_type: ValueType,
    quantities: QuantityMode,
    losses: &mut SchemaLosses,
) -> Result<ValueShape, String> {
    if interval.is_empty() {
        return Ok(ValueShape::Nothing);
    }
    let fits =
        [&interval.min, &interval.max].into_iter().flatten().all(|bound| lossless_number(bound).is_some());
    if !fits {
        return Err("a schema cannot contain a bound of more than 64 bits".to_owned());
    }
    let quantities = (value_type == ValueType::Quantity).then_some(quantities);
    match quantities {
        None => {}
        Some(QuantityMode::Plain) => losses.leaves_out(UNCOMMON),
        Some(QuantityMode::Exact) => {
            let pattern = quantity_pattern::pattern_between(interval.min.as_ref(), interval.max.as_ref());
            for phrase in pattern.lets_in {
                losses.lets_in(phrase);
            }
        }
    }
    Ok(ValueShape::leaf(LeafTest::Integer(interval.clone(), quantities)))
}

fn length(
    interval: &Interval,
    value_type: ValueType,
    losses: &mut SchemaLosses,
) -> Result<ValueShape, String> {
    let text = || ValueShape::any([strings(interval), integers_of_length(interval)]);
    Ok(match value_type {
        ValueType::String | ValueType::Time => strings(interval),
        ValueType::Integer => integers_of_length(interval),
        ValueType::Boolean => booleans_of_length(interval),
        ValueType::IntOrString => text(),
        ValueType::Number => return Err("a schema cannot count the characters of a number".to_owned()),
        ValueType::Quantity => {
            numbers_in_text(interval, losses);
            text()
        }
        ValueType::Any => {
            numbers_in_text(interval, losses);
            ValueShape::any([text(), booleans_of_length(interval)])
        }
        ValueType::Object | ValueType::Map | ValueType::List => ValueShape::Nothing,
    })
}

/// Records the losses if numbers of every kind have a length.
fn numbers_in_text(interval: &Interval, losses: &mut SchemaLosses) {
    let long = |bound: &Option<BigInt>| bound.as_ref().is_some_and(|bound| *bound > BigInt::from(18));
    // The shortest fractions, such as `0.5`, have three characters.
    if interval.max.as_ref().is_none_or(|max| *max >= BigInt::from(3)) {
        losses.leaves_out(FRACTIONS);
    }
    if long(&interval.min) {
        losses.leaves_out(LONG_NUMBERS);
    }
    if long(&interval.max) {
        losses.lets_in(LONG_NUMBERS);
    }
}

fn booleans_of_length(interval: &Interval) -> ValueShape {
    booleans(|text| interval.contains(&text.chars().count().into()))
}

fn strings(interval: &Interval) -> ValueShape {
    let most = BigInt::from(u32::MAX); // beyond what any object holds
    let none = interval.max.as_ref().is_some_and(|max| *max < BigInt::ZERO);
    if none || interval.is_empty() || interval.min.as_ref().is_some_and(|min| *min > most) {
        return ValueShape::Nothing;
    }
    let min = interval.min.clone().filter(|min| *min > BigInt::ZERO);
    let max = interval.max.clone().filter(|max| *max <= most);
    ValueShape::leaf(LeafTest::Length(Interval { min, max }))
}

/// Integers of 64 bits by the length of their text: those of `n` digits begin at `10^(n-1)`, and the sign is one more.
fn integers_of_length(interval: &Interval) -> ValueShape {
    let positive = numbers_of_length(interval.min.as_ref(), interval.max.as_ref(), 20);
    let one_less = |bound: &Option<BigInt>| bound.as_ref().map(|bound| bound - 1_u8);
    let (least, most) = (one_less(&interval.min), one_less(&interval.max));
    let mut negative = numbers_of_length(least.as_ref(), most.as_ref(), 19);
    // Zero has no sign, so it is not among the negative numbers.
    negative = negative.map(|Interval { min, max }| Interval { min: min.max(Some(1.into())), max });
    let negative =
        negative.map(|Interval { min, max }| Interval { min: max.map(|max| -max), max: min.map(|min| -min) });
    let ranges = [positive, negative].into_iter().flatten();
    ValueShape::any(ranges.map(|range| ValueShape::leaf(LeafTest::Integer(range, None))))
}

/// The numbers, zero or more, with so many digits, where the largest have `longest`.
fn numbers_of_length(least: Option<&BigInt>, most: Option<&BigInt>, longest: u32) -> Option<Interval> {
    let beyond = longest + 1;
    let digits =
        |bound: &BigInt| u32::try_from(bound.clone().clamp(BigInt::ZERO, beyond.into())).unwrap_or(beyond);
    let (least, most) = (least.map_or(0, digits), most.map_or(beyond, digits));
    let power = |exponent: u32| BigInt::from(10_u8).pow(exponent);
    (most > 0 && least <= most && least <= longest).then(|| Interval {
        min: Some(if least <= 1 { BigInt::ZERO } else { power(least - 1) }),
        max: (most < longest).then(|| power(most) - 1_u8),
    })
}

fn booleans(passes: impl Fn(&str) -> bool) -> ValueShape {
    one_of(["false", "true"].into_iter().filter(|text| passes(text)), ValueType::Boolean)
}

/// The values of a type whose text is one of these.
fn one_of<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, value_type: ValueType) -> ValueShape {
    ValueShape::one_of(texts.into_iter().flat_map(|text| choices::with_text(text.as_ref(), value_type)))
}

fn matches(
    pattern: &RegexPattern,
    value_type: ValueType,
    losses: &mut SchemaLosses,
) -> Result<ValueShape, String> {
    let refused = |error: &dyn std::fmt::Display| format!("invalid pattern `{}`: {error}", pattern.0);
    let regex = kvrules_regex::parse(&pattern.0).map_err(|error| refused(&error))?;
    // A finite choice of strings can be expressed exactly for values of every type.
    if let Some(texts) = regex.literal_alternatives() {
        return Ok(one_of(&texts, value_type));
    }
    let pattern = || ValueShape::leaf(LeafTest::Pattern(regex.to_ecma()));
    let true_or_false = || {
        let matcher = regex.compile_matcher().map_err(|error| refused(&error))?;
        Ok(booleans(|text| matcher.is_match(text)))
    };
    match value_type {
        ValueType::String | ValueType::Time => Ok(pattern()),
        ValueType::Boolean => true_or_false(),
        ValueType::Integer | ValueType::Number => {
            Err("a schema cannot match the digits of a number".to_owned())
        }
        ValueType::IntOrString | ValueType::Quantity => {
            if matches_numbers(&regex) {
                losses.leaves_out(NUMBERS);
            }
            Ok(pattern())
        }
        ValueType::Any => {
            if matches_numbers(&regex) {
                losses.leaves_out(NUMBERS);
            }
            Ok(ValueShape::any([pattern(), true_or_false()?]))
        }
        ValueType::Object | ValueType::Map | ValueType::List => Ok(ValueShape::Nothing),
    }
}

/// True if the text of some number matches; true if that is unknown.
fn matches_numbers(regex: &Regex) -> bool {
    let numbers = kvrules_regex::parse(r"^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$").ok();
    let automata = numbers.and_then(|numbers| numbers.to_automaton()).zip(regex.to_automaton());
    automata.is_none_or(|(numbers, own)| {
        TextDemands { matches: &[&numbers, &own], ..TextDemands::default() }.find_text()
            != TextSearch::Nothing
    })
}
