//! Short expressions for quantities of any size, whole or not, as `compareTo` orders them.
//!
//! Every common spelling is a number of billionths, so that bounds are too, and excluded ones are included with the next billionth.

use num_bigint::{BigInt, BigUint, Sign};

use super::common::{HUNDREDTHS, LONGEST, numbers_between, pack_alternatives, zero_expression};
use super::expression::Expression;
use super::numbers::integers_between;

/// Quantities between bounds, both inclusive where given, in billionths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NanoRange {
    /// Not less than this.
    pub min: Option<BigInt>,
    /// Not more than this.
    pub max: Option<BigInt>,
}

/// Suffixes with their values in billionths of a power of ten or of two, and whether common spellings have digits after the point.
const SUFFIXES: [(&str, Unit); 16] = [
    ("n", Unit { tens: 0, twos: 0 }),
    ("u", Unit { tens: 3, twos: 0 }),
    ("m", Unit { tens: 6, twos: 0 }),
    ("", Unit { tens: 9, twos: 0 }),
    ("k", Unit { tens: 12, twos: 0 }),
    ("M", Unit { tens: 15, twos: 0 }),
    ("G", Unit { tens: 18, twos: 0 }),
    ("T", Unit { tens: 21, twos: 0 }),
    ("P", Unit { tens: 24, twos: 0 }),
    ("E", Unit { tens: 27, twos: 0 }),
    ("Ki", Unit { tens: 9, twos: 10 }),
    ("Mi", Unit { tens: 9, twos: 20 }),
    ("Gi", Unit { tens: 9, twos: 30 }),
    ("Ti", Unit { tens: 9, twos: 40 }),
    ("Pi", Unit { tens: 9, twos: 50 }),
    ("Ei", Unit { tens: 9, twos: 60 }),
];

#[derive(Clone, Copy)]
struct Unit {
    tens: u32,
    twos: u32,
}

impl Unit {
    fn billionths(self) -> BigUint {
        BigUint::from(10_u8).pow(self.tens) << self.twos
    }

    /// True if a common spelling may have one or two digits after the point.
    fn has_fractions(self) -> bool {
        self.tens >= 9
    }
}

/// Expressions of which one of each list must match for a quantity in a common spelling within a range.
///
/// ```
/// use kvrules_emit::schema::quantity_pattern::{NanoRange, common_in_range};
///
/// let half = NanoRange { min: Some(500_000_000.into()), max: None };
/// let patterns = common_in_range(&half);
/// assert!(patterns.iter().all(|any| any.iter().all(|pattern| pattern.len() < 600)));
/// ```
pub fn common_in_range(range: &NanoRange) -> Vec<Vec<String>> {
    let both = alternatives(range);
    if both.iter().all(|one| one.anchored().len() <= LONGEST) {
        return vec![pack_alternatives(both)];
    }
    let (least, most) = (NanoRange { max: None, ..range.clone() }, NanoRange { min: None, ..range.clone() });
    vec![pack_alternatives(alternatives(&least)), pack_alternatives(alternatives(&most))]
}

/// The spellings with each suffix; suffixes with the same numbers together.
fn alternatives(range: &NanoRange) -> Vec<Expression> {
    let is_negative = range.max.as_ref().is_some_and(|max| max.sign() == Sign::Minus);
    if is_negative || range.min.as_ref().zip(range.max.as_ref()).is_some_and(|(min, max)| min > max) {
        return Vec::new();
    }
    let has_zero = range.min.as_ref().is_none_or(|min| min.sign() != Sign::Plus);
    let least = range.min.as_ref().and_then(BigInt::to_biguint).unwrap_or_default().max(BigUint::from(1_u8));
    let most = range.max.as_ref().and_then(BigInt::to_biguint);
    let mut groups: Vec<(Expression, Vec<&str>)> = Vec::new();
    for (suffix, unit) in SUFFIXES {
        let numbers = numbers_with(unit, &least, most.as_ref());
        match groups.iter_mut().find(|(known, _)| *known == numbers) {
            Some((_, suffixes)) => suffixes.push(suffix),
            None => groups.push((numbers, vec![suffix])),
        }
    }
    let zero = if has_zero { zero_expression() } else { Expression::never() };
    let positive = groups.into_iter().map(|(numbers, suffixes)| {
        let suffixes = Expression::either(suffixes.into_iter().map(Expression::literal));
        Expression::sequence([numbers, suffixes])
    });
    std::iter::once(zero).chain(positive).filter(|one| *one != Expression::never()).collect()
}

/// The positive numbers in front of a suffix.
fn numbers_with(unit: Unit, least: &BigUint, most: Option<&BigUint>) -> Expression {
    let parts: u8 = if unit.has_fractions() { 100 } else { 1 };
    let factor = unit.billionths();
    // Rounded towards what lies between the bounds.
    let from = ((least * parts + &factor - 1_u8) / &factor).max(BigUint::from(1_u8));
    let to = most.map(|most| most * parts / &factor);
    if to.as_ref().is_some_and(|to| *to < from) {
        return Expression::never();
    }
    if unit.has_fractions() {
        numbers_between(&from, to.as_ref(), HUNDREDTHS)
    } else {
        integers_between(&from, to.as_ref())
    }
}

/// An expression for the texts that servers read as quantities, apart from those without a digit and those with an exponent of more than two
/// digits.
pub fn any_quantity() -> &'static str {
    r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?0*[0-9]{1,2})?$"
}
