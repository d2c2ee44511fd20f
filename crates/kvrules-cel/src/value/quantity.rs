//! Resource quantities as the server computes with them.
//!
//! The value is exact down to a nano. With it is kept the form in which the server keeps small numbers, a 64-bit
//! integer with a power of ten, because `isInteger` and `asInteger` ask for that form and not for the value.

use std::cmp::Ordering;

use kvrules_kubernetes::quantity::Quantity;
use num_bigint::BigInt;

use super::EvalError;

/// A resource quantity.
#[derive(Clone, Debug)]
pub struct KubeQuantity {
    value: Quantity,
    /// The value in nanos, rounded away from zero; `None` when it is astronomically large.
    nanos: Option<BigInt>,
    small: Option<SmallQuantity>,
}

/// `value × 10^scale`
// apimachinery pkg/api/resource amount.go, int64Amount
#[derive(Clone, Copy, Debug)]
struct SmallQuantity {
    value: i64,
    scale: i32,
}

/// Digits that always fit into 64 bits.
// apimachinery pkg/api/resource, maxInt64Factors
const SAFE_DIGITS: i64 = 18;

/// Larger powers of ten are not written out.
const GREATEST_EXPONENT: i64 = 4000;

impl KubeQuantity {
    /// Reads a quantity; the error is the server's.
    // apimachinery pkg/api/resource quantity.go, ParseQuantity
    pub fn parse(text: &str) -> Result<Self, EvalError> {
        if text.is_empty() {
            return Err(EvalError::new(BAD_FORM));
        }
        let value = Quantity::parse(text).map_err(|_| EvalError::new(parse_error(text)))?;
        let parts = QuantityParts::from_text(text);
        let nanos = parts.nanos();
        Ok(Self { value, nanos, small: parts.small() })
    }

    /// An integer.
    pub fn from_int(value: i64) -> Self {
        let integer = BigInt::from(value);
        let nanos = Some(&integer * BigInt::from(NANO));
        Self { value: Quantity::from(integer), nanos, small: Some(SmallQuantity { value, scale: 0 }) }
    }

    /// Compares two quantities.
    // apimachinery pkg/api/resource quantity.go, Quantity.Cmp
    pub fn compare_to(&self, other: &Self) -> Ordering {
        match (&self.nanos, &other.nanos) {
            (Some(left), Some(right)) => left.cmp(right),
            _ => self.value.compare_quantity(&other.value),
        }
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i64 {
        self.compare_to(&Self::from_int(0)) as i64
    }

    /// The integer, if the server keeps it as one: no fraction in the text, no more than 64 bits.
    // apimachinery pkg/api/resource quantity.go, Quantity.AsInt64: fails for all quantities in the large form
    pub fn as_integer(&self) -> Option<i64> {
        let SmallQuantity { value, scale } = self.small?;
        let scale = u32::try_from(scale).ok()?;
        value.checked_mul(10_i64.checked_pow(scale)?)
    }

    /// The value as a double, near enough.
    // apimachinery pkg/api/resource quantity.go, Quantity.AsApproximateFloat64
    pub fn as_double(&self) -> f64 {
        let exponent_9 = |nanos: &BigInt| format!("{nanos}e-9").parse::<f64>().ok();
        let infinite = if self.sign() < 0 { f64::NEG_INFINITY } else { f64::INFINITY };
        self.nanos.as_ref().and_then(exponent_9).unwrap_or(infinite)
    }

    /// The sum, or with `negated` the difference.
    // apimachinery pkg/api/resource quantity.go, Quantity.Add and Quantity.Sub: a sum in the large form never becomes small again
    pub fn add_signed(&self, other: &Self, negated: bool) -> Result<Self, EvalError> {
        let too_large =
            || EvalError::unsupported_feature("arithmetic with quantities of thousands of digits");
        let left = self.nanos.as_ref().ok_or_else(too_large)?;
        let right = other.nanos.as_ref().ok_or_else(too_large)?;
        let nanos = if negated { left - right } else { left + right };
        let value = Quantity::parse(&format!("{nanos}n")).map_err(|_| too_large())?;
        let small = match (self.small, other.small) {
            (Some(left), Some(right)) => left.add(right, negated),
            _ => None,
        };
        Ok(Self { value, nanos: Some(nanos), small })
    }
}

impl SmallQuantity {
    // apimachinery pkg/api/resource amount.go, int64Amount.Add: zero takes over the scale of the other operand
    fn add(self, other: Self, negated: bool) -> Option<Self> {
        let other = Self { value: if negated { other.value.checked_neg()? } else { other.value }, ..other };
        if self.value == 0 {
            return Some(other);
        }
        if other.value == 0 {
            return Some(self);
        }
        let scale = self.scale.min(other.scale);
        let at = |it: Self| it.value.checked_mul(10_i64.checked_pow(u32::try_from(it.scale - scale).ok()?)?);
        Some(Self { value: at(self)?.checked_add(at(other)?)?, scale })
    }
}

const NANO: u32 = 1_000_000_000;

const BAD_FORM: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// Returns one of the server's two messages: about the form as a whole, or the suffix alone.
// apimachinery pkg/api/resource quantity.go, parseQuantityString: ErrFormatWrong; ParseQuantity: ErrSuffix
fn parse_error(text: &str) -> String {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let suffix = unsigned.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let letters = suffix.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
    let exponent = letters.strip_prefix(['+', '-']).unwrap_or(letters);
    let well_formed = exponent.chars().all(|c| c.is_ascii_digit());
    if well_formed { "unable to parse quantity's suffix".to_owned() } else { BAD_FORM.to_owned() }
}

/// The parts of a quantity's text.
struct QuantityParts<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    /// The suffix as a power of ten or of two.
    tens: i64,
    twos: Option<u32>,
}

impl<'a> QuantityParts<'a> {
    fn from_text(text: &'a str) -> Self {
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at_checked(end).unwrap_or((unsigned, ""));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let (tens, twos) = unit(suffix);
        Self { negative, whole: whole.trim_start_matches('0'), fraction, tens, twos }
    }

    /// The 64-bit form, if the server uses it. That depends on the number of digits.
    // apimachinery pkg/api/resource quantity.go, ParseQuantity: the precision is estimated from the digits and the suffix
    fn small(&self) -> Option<SmallQuantity> {
        let digits = i64::try_from(self.whole.len() + self.fraction.len()).ok()?;
        let (mantissa, scale, precision) = match self.twos {
            None => (1_i64, self.tens, SAFE_DIGITS - digits),
            Some(twos) if self.fraction.is_empty() => {
                let whole = i64::try_from(self.whole.len()).ok()?;
                (1_i64.checked_shl(twos)?, 0, 15 - whole - i64::from(twos) * 3 / 10 - 1)
            }
            Some(_) => return None,
        };
        let scale = scale - i64::try_from(self.fraction.len()).ok()?;
        if precision < 0 || scale < -9 {
            return None;
        }
        let digits = [self.whole, self.fraction].concat();
        let number: i64 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let value = number.checked_mul(mantissa)?;
        Some(SmallQuantity {
            value: if self.negative { -value } else { value },
            scale: i32::try_from(scale).ok()?,
        })
    }

    // apimachinery pkg/api/resource quantity.go, ParseQuantity: what is below a nano is rounded up, so that it is not zero
    fn nanos(&self) -> Option<BigInt> {
        let digits = [self.whole, self.fraction].concat();
        let number = BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
        let number = number << self.twos.unwrap_or(0);
        let exponent = self.tens.checked_add(9)?.checked_sub(i64::try_from(self.fraction.len()).ok()?)?;
        let power = u32::try_from(exponent.abs().min(GREATEST_EXPONENT + 1)).ok()?;
        let ten_to = || BigInt::from(10).pow(power);
        let magnitude = if exponent >= 0 {
            if exponent > GREATEST_EXPONENT {
                return None;
            }
            number * ten_to()
        } else {
            let divisor = ten_to();
            (number + &divisor - 1) / divisor // up, away from zero
        };
        Some(if self.negative { -magnitude } else { magnitude })
    }
}

fn unit(suffix: &str) -> (i64, Option<u32>) {
    let tens = match suffix {
        "n" => -9,
        "u" => -6,
        "m" => -3,
        "k" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        "P" => 15,
        "E" => 18,
        "Ki" => return (0, Some(10)),
        "Mi" => return (0, Some(20)),
        "Gi" => return (0, Some(30)),
        "Ti" => return (0, Some(40)),
        "Pi" => return (0, Some(50)),
        "Ei" => return (0, Some(60)),
        _ => suffix.strip_prefix(['e', 'E']).and_then(|digits| digits.parse().ok()).unwrap_or(0),
    };
    (tens, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_in_the_text_is_no_integer_even_if_the_value_is() {
        let quantity = |text| KubeQuantity::parse(text).unwrap();
        assert_eq!(quantity("2.5Gi").as_integer(), None);
        assert_eq!(quantity("4Gi").as_integer(), Some(4 << 30));
        assert_eq!(quantity("1e3").as_integer(), Some(1000));
        assert_eq!(quantity("1000m").as_integer(), None);
        assert_eq!(quantity("2.5Gi").compare_to(&quantity("2560Mi")), Ordering::Equal);
    }

    #[test]
    fn sums_are_exact() {
        let sum = KubeQuantity::parse("0.1")
            .unwrap()
            .add_signed(&KubeQuantity::parse("200m").unwrap(), false)
            .unwrap();
        assert_eq!(sum.compare_to(&KubeQuantity::parse("300m").unwrap()), Ordering::Equal);
    }
}
