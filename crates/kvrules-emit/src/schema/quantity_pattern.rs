//! A regular expression for "a quantity between these bounds", where a schema can compare texts but not quantities.
//!
//! A number with a suffix lies between two bounds exactly when the number lies between the bounds divided by the
//! suffix's factor. Those quotients are finite decimals for powers of ten and of two alike, so one comparison of decimal
//! texts (`numbers`) with the point moved per suffix serves all of them. The text of zero is the same whatever the
//! suffix, and what remains is positive or negative: comparisons see positive numbers only.
//!
//! Three groups of spellings share their work:
//! - no suffix, `m`, `u`, `n` and exponents below zero: a positive integer, followed by the zeros that they take away;
//! - `k` to `E` and exponents above zero: a decimal with at most as many digits after the point as they have zeros;
//! - `Ki` to `Ei`: a decimal whose fraction is a multiple of a power of one half. All such fractions end in `5`, those of
//!   two digits in `25` or `75`, those of three in `125`, `375`, `625` or `875`; further digits are not examined.
//!
//! Exponents beyond `MOST_TENS` would each need a comparison of their own. Numbers with such an exponent match unless
//! the count of their digits alone puts them out of the bounds.

mod common;
mod digits;
mod expression;
mod far_exponents;
mod fraction;
mod numbers;
mod ordered;
mod zero;

use num_bigint::{BigInt, BigUint, Sign};

pub use common::{LONGEST, common_between};
use expression::Expression;
use fraction::FractionKind;
use numbers::Decimal;
pub use ordered::{NanoRange, any_quantity, common_in_range};

/// A regular expression over the text of a quantity, and how it differs from the exact meaning.
///
/// It is anchored, has no flags and uses nothing on which ECMA-262, RE2 and Rust disagree. It matches every quantity
/// that is meant. Of texts that are not quantities, which no API lets into the field, it matches some
/// with huge exponents and those with characters beyond ASCII where there may be blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantityPattern {
    /// The expression.
    pub pattern: String,
    /// Quantities that match without being integers within the bounds, each kind in a phrase.
    pub lets_in: Vec<&'static str>,
}

const FAR_EXPONENTS: &str = "some quantities with an exponent above 20 or below -20";
const FINE_BINARY_FRACTIONS: &str =
    "fractions of a byte with four or more digits after the point and a binary suffix";

/// The largest exponent, of either sign, with a comparison of its own.
const MOST_TENS: usize = 20;

/// After the end of a text comes no character.
const NEVER: &str = "^$x";

/// The quantities that are integers in base units and lie between two bounds, both inclusive where given.
///
/// Bounds may have some 900 digits; beyond that RE2 refuses the repetitions in the expression.
///
/// ```
/// use kvrules_emit::schema::quantity_pattern::pattern_between;
/// assert_eq!(pattern_between(Some(&2.into()), Some(&1.into())).pattern, "^$x");
/// assert!(pattern_between(Some(&0.into()), Some(&0.into())).lets_in.is_empty());
/// ```
pub fn pattern_between(min: Option<&BigInt>, max: Option<&BigInt>) -> QuantityPattern {
    if min.zip(max).is_some_and(|(min, max)| min > max) {
        return QuantityPattern { pattern: NEVER.to_owned(), lets_in: Vec::new() };
    }
    let with_zero =
        min.is_none_or(|min| min.sign() != Sign::Plus) && max.is_none_or(|max| max.sign() != Sign::Minus);
    let zero = if with_zero { zero::zero_spellings() } else { Expression::never() };
    let others = signed_quantities(min, max);
    let lets_in = match (min, max) {
        _ if others == Expression::never() => Vec::new(),
        // One value has one fraction, all digits of which are compared.
        (Some(min), Some(max)) if min == max => vec![FAR_EXPONENTS],
        _ => vec![FINE_BINARY_FRACTIONS, FAR_EXPONENTS],
    };
    let body =
        Expression::sequence([blank_expression(), Expression::either([zero, others]), blank_expression()]);
    QuantityPattern { pattern: body.anchored(), lets_in }
}

/// The blanks that a decoder drops. Other characters beyond ASCII count as blanks here, because listing those that are
/// takes escapes that not every engine knows, and no API lets the others pass.
fn blank_expression() -> Expression {
    Expression::class(r"[^\x00-\x08\x0E-\x1F!-\x7F]").repeated(0, None)
}

/// A sign or none, as an alternation, because not every engine accepts a bare hyphen in a class.
fn any_sign() -> Expression {
    Expression::either([Expression::one_of("+"), Expression::literal("-")]).optional()
}

/// The positive and the negative quantities between the bounds.
fn signed_quantities(min: Option<&BigInt>, max: Option<&BigInt>) -> Expression {
    let positive = positive_quantities(min.cloned(), max.cloned());
    let negative = positive_quantities(max.map(|max| -max), min.map(|min| -min));
    if positive == negative {
        return Expression::sequence([any_sign(), positive]);
    }
    Expression::either([
        Expression::sequence([Expression::one_of("+").optional(), positive]),
        Expression::sequence([Expression::literal("-"), negative]),
    ])
}

/// The positive quantities between the bounds, without sign.
fn positive_quantities(min: Option<BigInt>, max: Option<BigInt>) -> Expression {
    let least = min.and_then(|min| min.to_biguint()).unwrap_or_default().max(BigUint::from(1_u8));
    let most = match max.map(|max| max.to_biguint().unwrap_or_default()) {
        Some(most) if most < least => return Expression::never(),
        most => most,
    };
    let below_one = small_units(&least, most.as_ref());
    let tens = (1..=MOST_TENS).map(|places| power_of_ten(places).quantities(&least, most.as_ref()));
    let twos = BINARY.iter().map(|suffix| suffix.quantities(&least, most.as_ref()));
    let far = far_exponents::far_exponent_numbers(&least, most.as_ref());
    let all = std::iter::once(below_one).chain(tens).chain(twos).chain([far]);
    Expression::sequence([Expression::literal("0").repeated(0, None), Expression::either(all)])
}

/// Integers without suffix, and those written in tenths, hundredths, thousandths and so on.
fn small_units(least: &BigUint, most: Option<&BigUint>) -> Expression {
    let endings = (0..=MOST_TENS).map(|places| {
        let letter = match places {
            3 => Some("m"),
            6 => Some("u"),
            9 => Some("n"),
            _ => None,
        };
        let suffix = if places == 0 {
            exponent_suffix(any_sign(), 0).optional()
        } else {
            small_suffix(letter, places)
        };
        Expression::sequence([Expression::literal(&"0".repeat(places)), numbers::zero_fraction(), suffix])
    });
    Expression::sequence([numbers::integers_between(least, most), Expression::either(endings)])
}

fn small_suffix(letter: Option<&str>, places: usize) -> Expression {
    Expression::either([
        letter.map_or_else(Expression::never, Expression::literal),
        exponent_suffix(Expression::literal("-"), places),
    ])
}

/// A suffix greater than one.
struct LargeSuffix {
    /// Expression for the suffix.
    text: Expression,
    /// By how many digits a bound's point moves to the left when it is divided by the suffix's factor.
    places: usize,
    /// Factor of a bound for each of these places.
    by: u32,
    fractions: FractionKind,
}

/// Binary suffixes with their exponents.
const BINARY: [BinarySuffix; 6] = [
    BinarySuffix("Ki", 10),
    BinarySuffix("Mi", 20),
    BinarySuffix("Gi", 30),
    BinarySuffix("Ti", 40),
    BinarySuffix("Pi", 50),
    BinarySuffix("Ei", 60),
];

struct BinarySuffix(&'static str, usize);

impl BinarySuffix {
    fn quantities(&self, least: &BigUint, most: Option<&BigUint>) -> Expression {
        let suffix = LargeSuffix {
            text: Expression::literal(self.0),
            places: self.1,
            by: 5,
            fractions: FractionKind::Binary,
        };
        suffix.quantities(least, most)
    }
}

/// An exponent, and the letter with the same meaning, if any.
fn power_of_ten(places: usize) -> LargeSuffix {
    let letter = match places {
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    };
    let letter = if letter.is_empty() { Expression::never() } else { Expression::literal(letter) };
    let written = exponent_suffix(Expression::one_of("+").optional(), places);
    let text = Expression::either([letter, written]);
    LargeSuffix { text, places, by: 1, fractions: FractionKind::Decimal { places } }
}

impl LargeSuffix {
    fn quantities(self, least: &BigUint, most: Option<&BigUint>) -> Expression {
        let most = most.map(|most| self.quotient(most));
        // Every positive integer is at least one, so that bound needs no comparison, for example with 1/2^60.
        let least = (*least != BigUint::from(1_u8)).then(|| self.quotient(least));
        let numbers = numbers::numbers_between(least.as_ref(), most.as_ref(), self.fractions);
        Expression::sequence([numbers, self.text])
    }

    /// A bound divided by what the suffix stands for: `1/2^n` is `5^n/10^n`.
    fn quotient(&self, bound: &BigUint) -> Decimal {
        let factor = std::iter::repeat_n(BigUint::from(self.by), self.places).product::<BigUint>();
        Decimal::new(&(bound * factor), self.places)
    }
}

/// `e3` with what may stand between the letter and the digits.
fn exponent_suffix(sign: Expression, value: usize) -> Expression {
    let zeros = Expression::literal("0").repeated(usize::from(value == 0), None);
    let digits = if value == 0 { Expression::empty() } else { Expression::literal(&value.to_string()) };
    Expression::sequence([Expression::one_of("eE"), sign, zeros, digits])
}

#[cfg(test)]
mod tests;
