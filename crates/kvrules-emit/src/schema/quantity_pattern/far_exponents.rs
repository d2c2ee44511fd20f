//! Numbers with an exponent that has no comparison of its own: what the count of their digits does not rule out.

use num_bigint::BigUint;

use super::MOST_TENS;
use super::expression::Expression;

/// The positive numbers without leading zeros and with a far exponent that may lie between the bounds.
pub(super) fn far_exponent_numbers(least: &BigUint, most: Option<&BigUint>) -> Expression {
    Expression::either([
        Expression::sequence([large_mantissa(most), far_exponent(Expression::one_of("+").optional())]),
        Expression::sequence([small_mantissa(least), far_exponent(Expression::literal("-"))]),
    ])
}

/// Before an exponent above zero. A number of one or more is too large for a bound of few digits, and a smaller one needs
/// zeros behind the point.
fn large_mantissa(most: Option<&BigUint>) -> Expression {
    let any = || Expression::digits(0, None);
    let digit = || Expression::one_of("123456789");
    let zeros = most.map_or(0, |most| (MOST_TENS + 1).saturating_sub(most.to_string().len()));
    let zeros = Expression::literal(&"0".repeat(zeros));
    let fraction = Expression::sequence([Expression::literal("."), zeros.clone(), any(), digit(), any()]);
    if zeros != Expression::empty() {
        return fraction;
    }
    let point = Expression::sequence([Expression::literal("."), any()]).optional();
    Expression::either([Expression::sequence([digit(), any(), point]), fraction])
}

/// Before an exponent below zero, which takes away that many zeros and leaves no less than the bound.
fn small_mantissa(least: &BigUint) -> Expression {
    let others = Expression::digits(least.to_string().len().saturating_sub(1), None);
    let zeros = Expression::literal("0").repeated(MOST_TENS + 1, Some(MOST_TENS + 1));
    Expression::sequence([Expression::one_of("123456789"), others, zeros, super::numbers::zero_fraction()])
}

/// An exponent of more than [`MOST_TENS`], of at most 64 bits or slightly more.
fn far_exponent(sign: Expression) -> Expression {
    let digits = |least, most| Expression::digits(least, Some(most));
    let above = Expression::either([
        Expression::sequence([Expression::literal("2"), Expression::one_of("123456789")]),
        Expression::sequence([Expression::one_of("3456789"), digits(1, 1)]),
        Expression::sequence([Expression::one_of("123456789"), digits(2, 18)]),
    ]);
    Expression::sequence([Expression::one_of("eE"), sign, Expression::literal("0").repeated(0, None), above])
}
