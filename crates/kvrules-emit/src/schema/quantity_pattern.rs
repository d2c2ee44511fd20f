//! A regular expression for "a quantity between these bounds", where a schema can compare texts but not quantities.
//!
//! A number with a suffix lies between two bounds exactly when the number lies between the bounds divided by the
//! suffix's factor. Those quotients are finite decimals for powers of ten and of two alike, so one comparison of decimal
//! texts (`numbers`) with the point moved per suffix serves all of them. The text of zero is the same whatever the
//! suffix, and what remains is positive or negative: comparisons see positive numbers only.
//!
//! Three groups of spellings share their work:
//! - no suffix and `m`, `u`, `n`: a positive integer, followed by the zeros that the suffix takes away again;
//! - `k` to `E`: a decimal with at most as many digits after the point as the suffix has zeros;
//! - `Ki` to `Ei`: a decimal whose fraction is a multiple of a power of one half. All such fractions end in `5`, those of
//!   two digits in `25` or `75`, those of three in `125`, `375`, `625` or `875`; further digits are not looked at.

mod digits;
mod expression;
mod fraction;
mod numbers;

use num_bigint::{BigInt, BigUint, Sign};

use expression::Expression;
use fraction::Fractions;
use numbers::Decimal;

/// A regular expression over the text of a quantity, and how it differs from the exact meaning.
///
/// It is anchored, has no flags and uses nothing on which ECMA-262, RE2 and Rust disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantityPattern {
    /// The expression.
    pub pattern: String,
    /// Quantities within the bounds that do not match, each kind in a phrase.
    pub leaves_out: Vec<&'static str>,
    /// Texts that match without being an integer quantity within the bounds, each kind in a phrase.
    pub lets_in: Vec<&'static str>,
}

const OTHER_EXPONENTS: &str = "exponents other than the multiples of three from -9 to 18, such as `1e10`";
const WITHOUT_DIGITS: &str = "texts without a digit that are read as zero, such as `Gi`";
const FINE_BINARY_FRACTIONS: &str =
    "fractions of a byte with four or more digits after the point and a binary suffix";

/// After the end of a text comes no character.
const NEVER: &str = "^$x";

/// The quantities that are integers in base units and lie between two bounds, both inclusive where given.
///
/// Bounds may have some 900 digits; beyond that RE2 refuses the repetitions in the expression.
///
/// ```
/// use kvrules_emit::schema::quantity_pattern::between;
/// let at_most_two = between(Some(&1.into()), Some(&2.into()));
/// assert!(at_most_two.pattern.starts_with("^[+]?0*(?:"));
/// assert_eq!(between(Some(&2.into()), Some(&1.into())).pattern, "^$x");
/// ```
pub fn between(min: Option<&BigInt>, max: Option<&BigInt>) -> QuantityPattern {
    if min.zip(max).is_some_and(|(min, max)| min > max) {
        return QuantityPattern { pattern: NEVER.to_owned(), leaves_out: Vec::new(), lets_in: Vec::new() };
    }
    let mut leaves_out = vec![OTHER_EXPONENTS];
    let zero = if min.is_none_or(|min| min.sign() != Sign::Plus)
        && max.is_none_or(|max| max.sign() != Sign::Minus)
    {
        leaves_out.push(WITHOUT_DIGITS);
        zero()
    } else {
        Expression::never()
    };
    let body = Expression::either([zero, signed(min, max)]);
    QuantityPattern { pattern: body.anchored(), leaves_out, lets_in: vec![FINE_BINARY_FRACTIONS] }
}

/// Spellings of zero, with any sign, suffix and exponent.
fn zero() -> Expression {
    let exponent = Expression::sequence([
        Expression::one_of("eE"),
        any_sign(),
        Expression::literal("0").repeated(0, None),
        // The API server reads exponents of 64 bits: all those of 18 digits, and some of 19.
        Expression::one_of("0123456789").repeated(1, Some(18)),
    ]);
    let binary = Expression::sequence([Expression::one_of("KMGTPE"), Expression::literal("i")]);
    let suffix = Expression::either([Expression::one_of("numkMGTPE"), binary, exponent]);
    let zeros = |least| Expression::literal("0").repeated(least, None);
    let point = Expression::literal(".");
    let number = Expression::either([
        Expression::sequence([zeros(1), point.clone().optional(), zeros(0)]),
        Expression::sequence([point, zeros(1)]),
    ]);
    Expression::sequence([any_sign(), number, suffix.optional()])
}

/// A sign or none; apart from each other, because not every engine takes a bare hyphen in a class.
fn any_sign() -> Expression {
    Expression::either([Expression::one_of("+"), Expression::literal("-")]).optional()
}

/// The positive and the negative quantities between the bounds.
fn signed(min: Option<&BigInt>, max: Option<&BigInt>) -> Expression {
    let positive = magnitudes(min.cloned(), max.cloned());
    let negative = magnitudes(max.map(|max| -max), min.map(|min| -min));
    if positive == negative {
        return Expression::sequence([any_sign(), positive]);
    }
    Expression::either([
        Expression::sequence([Expression::one_of("+").optional(), positive]),
        Expression::sequence([Expression::literal("-"), negative]),
    ])
}

/// The positive quantities between the bounds, without sign.
fn magnitudes(min: Option<BigInt>, max: Option<BigInt>) -> Expression {
    let least = min.and_then(|min| min.to_biguint()).unwrap_or_default().max(BigUint::from(1_u8));
    let most = match max.map(|max| max.to_biguint().unwrap_or_default()) {
        Some(most) if most < least => return Expression::never(),
        most => most,
    };
    let suffixed = SUFFIXES.iter().map(|suffix| suffix.quantities(&least, most.as_ref()));
    let all = std::iter::once(small_units(&least, most.as_ref())).chain(suffixed);
    Expression::sequence([Expression::literal("0").repeated(0, None), Expression::either(all)])
}

/// Integers without suffix, and those written in thousandths, millionths and billionths.
fn small_units(least: &BigUint, most: Option<&BigUint>) -> Expression {
    let units = [("", "", "0"), ("000", "m", "-3"), ("000000", "u", "-6"), ("000000000", "n", "-9")];
    let endings = units.map(|(zeros, suffix, exponent)| {
        let suffix = if suffix.is_empty() { plain(exponent) } else { suffix_or_exponent(suffix, exponent) };
        Expression::sequence([Expression::literal(zeros), numbers::zero_fraction(), suffix])
    });
    Expression::sequence([numbers::integers(least, most), Expression::either(endings)])
}

/// A suffix greater than one.
struct Suffix {
    text: &'static str,
    /// The exponent that says the same, for powers of ten.
    exponent: Option<&'static str>,
    /// By how many digits a bound's point moves to the left when it is divided by the suffix's factor.
    places: usize,
    /// What a bound is multiplied by for every one of these places.
    by: u32,
    fractions: Fractions,
}

const SUFFIXES: [Suffix; 12] = [
    Suffix::decimal("k", "3", 3),
    Suffix::decimal("M", "6", 6),
    Suffix::decimal("G", "9", 9),
    Suffix::decimal("T", "12", 12),
    Suffix::decimal("P", "15", 15),
    Suffix::decimal("E", "18", 18),
    Suffix::binary("Ki", 10),
    Suffix::binary("Mi", 20),
    Suffix::binary("Gi", 30),
    Suffix::binary("Ti", 40),
    Suffix::binary("Pi", 50),
    Suffix::binary("Ei", 60),
];

impl Suffix {
    const fn decimal(text: &'static str, exponent: &'static str, places: usize) -> Self {
        Self { text, exponent: Some(exponent), places, by: 1, fractions: Fractions::Decimal { places } }
    }

    const fn binary(text: &'static str, places: usize) -> Self {
        Self { text, exponent: None, places, by: 5, fractions: Fractions::Binary }
    }

    fn quantities(&self, least: &BigUint, most: Option<&BigUint>) -> Expression {
        let most = most.map(|most| self.quotient(most));
        // One is the least positive integer: no need to compare with 1/2^60, say.
        let least = (*least != BigUint::from(1_u8)).then(|| self.quotient(least));
        let numbers = numbers::between(least.as_ref(), most.as_ref(), self.fractions);
        let suffix = self.exponent.map(|exponent| suffix_or_exponent(self.text, exponent));
        Expression::sequence([numbers, suffix.unwrap_or_else(|| Expression::literal(self.text))])
    }

    /// A bound divided by what the suffix stands for: `1/2^n` is `5^n/10^n`.
    fn quotient(&self, bound: &BigUint) -> Decimal {
        let factor = std::iter::repeat_n(BigUint::from(self.by), self.places).product::<BigUint>();
        Decimal::new(&(bound * factor), self.places)
    }
}

fn suffix_or_exponent(suffix: &str, exponent: &str) -> Expression {
    Expression::either([Expression::literal(suffix), exponent_form(exponent)])
}

/// No suffix, or an exponent that multiplies by one.
fn plain(exponent: &str) -> Expression {
    exponent_form(exponent).optional()
}

/// `e3` with what may stand between the letter and the digits.
fn exponent_form(exponent: &str) -> Expression {
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => (Expression::literal("-"), digits),
        None if exponent == "0" => (any_sign(), ""),
        None => (Expression::one_of("+").optional(), exponent),
    };
    let zeros = Expression::literal("0").repeated(usize::from(digits.is_empty()), None);
    Expression::sequence([Expression::one_of("eE"), sign, zeros, Expression::literal(digits)])
}

#[cfg(test)]
mod tests;
