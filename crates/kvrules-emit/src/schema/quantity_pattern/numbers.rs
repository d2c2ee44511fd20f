//! Comparison of decimal texts: expressions for the numbers between two finite decimals.

use num_bigint::BigUint;

use super::digits::{common_prefix, digit_class, digit_literal, follow_digits};
use super::expression::Expression;
use super::fraction::{FractionKind, ZeroFraction};

/// A decimal without sign: the digits before the point without leading zeros, those after it without trailing ones.
pub(super) struct Decimal {
    whole: BigUint,
    fraction: Vec<u8>,
}

impl Decimal {
    /// `digits / 10^places`.
    pub(super) fn new(digits: &BigUint, places: usize) -> Self {
        let text = format!("{:0>width$}", digits.to_string(), width = places + 1);
        let (whole, fraction) = text.split_at(text.len() - places);
        Self {
            whole: BigUint::parse_bytes(whole.as_bytes(), 10).unwrap_or_default(),
            fraction: digit_values(fraction.trim_end_matches('0')),
        }
    }
}

/// The positive numbers from `least`, or from the least of the kind, to `most`, without leading zeros.
pub(super) fn numbers_between(
    least: Option<&Decimal>,
    most: Option<&Decimal>,
    fractions: FractionKind,
) -> Expression {
    let lowest = least.map_or(&BigUint::ZERO, |least| &least.whole);
    match most.filter(|most| most.whole == *lowest) {
        Some(most) => same_whole(least, most, fractions),
        None => Expression::either([
            at_lowest(least, fractions),
            whole_between(least, most, fractions),
            most.map_or_else(Expression::never, |most| {
                at_whole(&most.whole, fractions.at_most(&most.fraction, ZeroFraction::Allowed), true)
            }),
        ]),
    }
}

/// The numbers between bounds that have the same digits before the point.
fn same_whole(least: Option<&Decimal>, most: &Decimal, fractions: FractionKind) -> Expression {
    match least {
        None => at_whole(&most.whole, fractions.at_most(&most.fraction, ZeroFraction::Excluded), false),
        Some(least) => {
            let fraction = fractions.fractions_between(&least.fraction, &most.fraction);
            at_whole(&least.whole, fraction, least.fraction.is_empty())
        }
    }
}

/// The numbers with the digits of `least` before the point, where its fraction matters.
fn at_lowest(least: Option<&Decimal>, fractions: FractionKind) -> Expression {
    match least {
        None => at_whole(&BigUint::ZERO, fractions.any(ZeroFraction::Excluded), false),
        Some(least) if least.fraction.is_empty() => Expression::never(),
        Some(least) => at_whole(&least.whole, fractions.at_least(&least.fraction), false),
    }
}

/// The numbers for which the digits before the point decide.
fn whole_between(least: Option<&Decimal>, most: Option<&Decimal>, fractions: FractionKind) -> Expression {
    let first = match least {
        Some(least) if least.fraction.is_empty() => least.whole.clone(),
        _ => least.map_or(BigUint::ZERO, |least| least.whole.clone()) + 1_u8,
    };
    let end = most.map(|most| &most.whole - 1_u8); // greater than the lowest, thus at least one
    if end.as_ref().is_some_and(|end| *end < first) {
        return Expression::never();
    }
    Expression::sequence([
        integers_between(&first, end.as_ref()),
        after_point(fractions.any(ZeroFraction::Allowed), true),
    ])
}

/// The numbers with these digits before the point.
fn at_whole(whole: &BigUint, fraction: Expression, optional: bool) -> Expression {
    let digits =
        if *whole == BigUint::ZERO { Expression::empty() } else { Expression::literal(&whole.to_string()) };
    Expression::sequence([digits, after_point(fraction, optional)])
}

/// A point, digits, and trailing zeros, which do not change the value.
fn after_point(fraction: Expression, optional: bool) -> Expression {
    let zeros = Expression::literal("0").repeated(0, None);
    let part = Expression::sequence([Expression::literal("."), fraction, zeros]);
    if optional { part.optional() } else { part }
}

/// Nothing, or a point and zeros.
pub(super) fn zero_fraction() -> Expression {
    after_point(Expression::empty(), true)
}

/// The positive integers from `least`, which is positive, to `most`, without leading zeros.
pub(super) fn integers_between(least: &BigUint, most: Option<&BigUint>) -> Expression {
    let low = digit_values(&least.to_string());
    let high = most.map(|most| digit_values(&most.to_string()));
    if let Some(high) = high.as_ref().filter(|high| high.len() == low.len()) {
        return same_length(&low, high);
    }
    // From a power of ten on, the length alone decides.
    let power_of_ten = low.iter().rev().skip_while(|digit| **digit == 0).eq([&1]);
    let (start, shortest) =
        if power_of_ten { (Expression::never(), low.len()) } else { (at_least(&low), low.len() + 1) };
    let between = of_length(shortest, high.as_ref().map(|high| high.len() - 1));
    Expression::either([start, between, high.map_or_else(Expression::never, |high| at_most(&high, 1))])
}

/// All integers of these lengths without leading zeros.
fn of_length(shortest: usize, longest: Option<usize>) -> Expression {
    if longest.is_some_and(|longest| longest < shortest) {
        return Expression::never();
    }
    let rest = Expression::digits(shortest - 1, longest.map(|longest| longest - 1));
    Expression::sequence([digits_between(1, 9), rest])
}

/// The texts of as many digits as both bounds have, between them.
fn same_length(low: &[u8], high: &[u8]) -> Expression {
    let common = common_prefix(low, high);
    let rest = match (low.get(common..), high.get(common..)) {
        (Some([low, lows @ ..]), Some([high, highs @ ..])) => Expression::either([
            Expression::sequence([digit_literal(*low), at_least(lows)]),
            Expression::sequence([
                digits_between(low + 1, high - 1),
                Expression::digits(lows.len(), Some(lows.len())),
            ]),
            Expression::sequence([digit_literal(*high), at_most(highs, 0)]),
        ]),
        _ => Expression::empty(),
    };
    Expression::sequence([digit_class(low.iter().take(common)), rest])
}

/// The texts of as many digits as `low` has that are not less.
fn at_least(low: &[u8]) -> Expression {
    follow_digits(low, &Expression::empty(), |position, at| {
        Expression::sequence([digits_between(at + 1, 9), remaining_digits(low, position)])
    })
}

/// The texts of as many digits as `high` has that are not greater and start with `first` or a greater digit.
fn at_most(high: &[u8], first: u8) -> Expression {
    follow_digits(high, &Expression::empty(), |position, at| {
        let from = if position == 0 { first } else { 0 };
        Expression::sequence([digits_below(from, at), remaining_digits(high, position)])
    })
}

fn remaining_digits(digits: &[u8], position: usize) -> Expression {
    let rest = digits.len() - position - 1;
    Expression::digits(rest, Some(rest))
}

/// One digit of a range; nothing matches an empty one.
fn digits_between(first: u8, last: u8) -> Expression {
    Expression::one_of_digits((first..=last).map(|value| char::from(b'0' + value)))
}

fn digits_below(first: u8, limit: u8) -> Expression {
    Expression::one_of_digits((first..limit).map(|value| char::from(b'0' + value)))
}

fn digit_values(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| byte.wrapping_sub(b'0')).collect()
}
