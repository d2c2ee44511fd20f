//! Spellings of zero: the text is the same whatever the suffix, and a quantity without any digit is zero too.

use super::any_sign;
use super::expression::Expression;

/// Zero with any sign, suffix and exponent.
pub(super) fn zero_spellings() -> Expression {
    Expression::either([with_digits(), without_digits()])
}

fn with_digits() -> Expression {
    let zeros = |least| Expression::literal("0").repeated(least, None);
    let point = Expression::literal(".");
    let number = Expression::either([
        Expression::sequence([zeros(1), point.clone().optional(), zeros(0)]),
        Expression::sequence([point, zeros(1)]),
    ]);
    let suffix = Expression::either([suffix_letters("KMGTPE"), zero_exponent(any_sign(), any_digits())]);
    Expression::sequence([any_sign(), number, suffix.optional()])
}

/// A sign, a point or a suffix alone. The API server reads zero into them where its fast way of reading numbers is open:
/// to binary suffixes up to `Ti`, and to exponents from -9 on, of which it looks at the lower 32 bits.
fn without_digits() -> Expression {
    let point = Expression::literal(".");
    let front = Expression::either([
        Expression::sequence([
            Expression::either([Expression::one_of("+"), Expression::literal("-")]),
            point.clone().optional(),
        ]),
        point,
    ]);
    let one = Expression::one_of("0123456789");
    let negative = Expression::sequence([
        Expression::literal("0").repeated(0, None),
        Expression::either([one.clone(), one.repeated(10, Some(19))]),
    ]);
    let suffix = Expression::either([
        suffix_letters("KMGT"),
        zero_exponent(Expression::one_of("+").optional(), any_digits()),
        zero_exponent(Expression::literal("-"), negative),
    ]);
    Expression::either([Expression::sequence([front, suffix.clone().optional()]), suffix])
}

fn suffix_letters(binary: &str) -> Expression {
    let binary = Expression::sequence([Expression::one_of(binary), Expression::literal("i")]);
    Expression::either([Expression::one_of("numkMGTPE"), binary])
}

fn zero_exponent(sign: Expression, digits: Expression) -> Expression {
    Expression::sequence([Expression::one_of("eE"), sign, digits])
}

/// The digits of an exponent of 64 bits, and of some that are larger.
fn any_digits() -> Expression {
    let zeros = Expression::literal("0").repeated(0, None);
    Expression::sequence([zeros, Expression::digits(1, Some(19))])
}
