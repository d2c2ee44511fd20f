//! Kubernetes resource quantities (`1.5Gi`, `100m`, `2e3`) with their exact value.
//!
//! A quantity is a decimal number times a power of ten or of two. Both factors stay apart, so no spelling loses a
//! digit to floating point and `1e999999999` costs no more than `1`.

mod parse;
mod units;

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

pub use parse::QuantityError;
pub use units::{in_human_units, shortest_binary};

/// The value of a resource quantity: `mantissa × 10^tens × 2^twos`.
///
/// Two quantities are equal when their values are, however they were written.
///
/// If the API server changes a value (it rounds what is finer than a nano away from zero, caps binary suffixes at
/// 2⁶³−1, and keeps 32 bits of an exponent), this type keeps what was written.
///
/// ```
/// use kvrules_kubernetes::quantity::Quantity;
/// # fn main() -> Result<(), kvrules_kubernetes::quantity::QuantityError> {
/// let quantity = Quantity::parse("1.5Gi")?;
/// assert_eq!(quantity, Quantity::parse("1536Mi")?);
/// assert_eq!(quantity.to_integer(), Some(1_610_612_736.into()));
/// assert!(!Quantity::parse("100m")?.is_integer());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Quantity {
    mantissa: BigInt,
    /// Wider than any exponent that can be written, so that the digits after the point can be taken off it.
    tens: i128,
    twos: u32,
}

/// Longer integers than this many decimal digits are not written out by [`Quantity::to_integer`].
const MOST_DIGITS: i128 = 10_000;

impl Quantity {
    /// Reads a quantity as the API server does, except that blanks around it are an error.
    ///
    /// Some accepted spellings surprise: `1.`, `.5`, `+1`, `1E` (exa) next to `1E3` (a thousand), and a text without any
    /// digit, such as `Gi` or `+`, which is zero.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        parse::parse_quantity(text)
    }

    /// Reads a quantity from the value of a JSON string, around which the decoder drops blanks.
    pub fn parse_trimmed(text: &str) -> Result<Self, QuantityError> {
        Self::parse(text.trim())
    }

    /// True if the value is an integer number of base units.
    pub fn is_integer(&self) -> bool {
        self.tens >= 0 || self.without_fraction().is_some()
    }

    /// The value as an integer; `None` when it has a fraction or more than ten thousand digits.
    pub fn to_integer(&self) -> Option<BigInt> {
        if self.tens < 0 {
            return self.without_fraction();
        }
        let tens = u32::try_from(self.tens).ok().filter(|_| self.tens <= MOST_DIGITS)?;
        Some((&self.mantissa << self.twos) * power_of_ten(tens))
    }

    /// The value in billionths; `None` when it is finer, or has more than ten thousand digits.
    ///
    /// ```
    /// use kvrules_kubernetes::quantity::Quantity;
    ///
    /// let nanos = |text: &str| Quantity::parse(text).unwrap().to_nanos();
    /// assert_eq!((nanos("1500m"), nanos("0.1n")), (Some(1_500_000_000.into()), None));
    /// ```
    pub fn to_nanos(&self) -> Option<BigInt> {
        Self { tens: self.tens.checked_add(9)?, ..self.clone() }.to_integer()
    }

    /// The greatest integer that is not above the value; `None` when it has more than ten thousand digits.
    pub fn floor(&self) -> Option<BigInt> {
        self.to_integer().or_else(|| self.adjacent_integers().map(|(below, _)| below))
    }

    /// The least integer that is not below the value; `None` when it has more than ten thousand digits.
    pub fn ceil(&self) -> Option<BigInt> {
        self.to_integer().or_else(|| self.adjacent_integers().map(|(_, above)| above))
    }

    /// The integers on both sides of a value with a fraction.
    fn adjacent_integers(&self) -> Option<(BigInt, BigInt)> {
        if self.tens >= 0 {
            return None;
        }
        let value = &self.mantissa << self.twos;
        // With more decimal places than bits, the value is between -1 and 1.
        let places = u32::try_from(-self.tens).ok().filter(|places| u64::from(*places) <= value.bits());
        let towards_zero = places.map_or(BigInt::ZERO, |places| value / power_of_ten(places));
        Some(match self.mantissa.sign() {
            Sign::Minus => (&towards_zero - 1, towards_zero),
            _ => (towards_zero.clone(), towards_zero + 1),
        })
    }

    /// Compares the value with an integer.
    pub fn compare_integer(&self, integer: &BigInt) -> Ordering {
        self.compare_quantity(&Self::from(integer.clone()))
    }

    /// Compares two values. The work is bounded by the length of the texts, whatever the exponents.
    pub fn compare_quantity(&self, other: &Self) -> Ordering {
        let (sign, other_sign) = (self.mantissa.sign(), other.mantissa.sign());
        match sign.cmp(&other_sign) {
            Ordering::Equal if sign == Sign::Minus => compare_magnitudes(other, self),
            Ordering::Equal if sign == Sign::Plus => compare_magnitudes(self, other),
            ordering => ordering,
        }
    }

    /// Puts the parts together so that `tens` is as large as can be.
    fn new(negative: bool, digits: &str, tens: i128, twos: u32) -> Self {
        let significant = digits.trim_end_matches('0');
        let Some(magnitude) = BigUint::parse_bytes(significant.as_bytes(), 10) else {
            return Self::from(BigInt::ZERO); // nothing but zeros
        };
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        let dropped = i128::try_from(digits.len() - significant.len()).unwrap_or(i128::MAX);
        Self { mantissa: BigInt::from_biguint(sign, magnitude), tens: tens.saturating_add(dropped), twos }
    }

    /// The value where `tens` is negative, if the power of two and the mantissa make up for it.
    fn without_fraction(&self) -> Option<BigInt> {
        if self.mantissa.sign() == Sign::NoSign {
            return Some(BigInt::ZERO);
        }
        let value = &self.mantissa << self.twos;
        // 10^places divides no number with fewer bits than places.
        let places = u32::try_from(-self.tens).ok().filter(|places| u64::from(*places) <= value.bits())?;
        let divisor = power_of_ten(places);
        (&value % &divisor == BigInt::ZERO).then(|| value / divisor)
    }
}

impl From<BigInt> for Quantity {
    fn from(integer: BigInt) -> Self {
        Self { mantissa: integer, tens: 0, twos: 0 }
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.compare_quantity(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare_quantity(other)
    }
}

/// Compares `|left|` with `|right|`, neither of them zero.
fn compare_magnitudes(left: &Quantity, right: &Quantity) -> Ordering {
    let Some(shift) = left.tens.checked_sub(right.tens).filter(|shift| *shift >= 0) else {
        return compare_magnitudes(right, left).reverse();
    };
    let (left, right) = (left.mantissa.magnitude() << left.twos, right.mantissa.magnitude() << right.twos);
    match u32::try_from(shift) {
        // 10^shift alone has more bits than the right side: only then would the product be large for nothing.
        Ok(tens) if u64::from(tens) <= right.bits() => (left * BigUint::from(10_u8).pow(tens)).cmp(&right),
        _ => Ordering::Greater,
    }
}

fn power_of_ten(exponent: u32) -> BigInt {
    BigInt::from(10_u8).pow(exponent)
}
