//! Parses quantities: sign, decimal number, suffix.

use std::fmt;

use crate::quantity::Quantity;

/// Reason why a string is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuantityError {
    /// The text is empty.
    Empty,
    /// The characters after the number are none of the suffixes.
    Suffix(String),
    /// There is no digit, and the suffix is too large or too small for the API server to read zero into that.
    NoDigit,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the quantity is empty"),
            Self::Suffix(suffix) => write!(f, "`{suffix}` is not a suffix of a quantity"),
            Self::NoDigit => f.write_str("the quantity has no digit"),
        }
    }
}

impl std::error::Error for QuantityError {}

/// Factor that a suffix stands for.
#[derive(Clone, Copy)]
enum SuffixUnit {
    PowerOfTen(i64),
    PowerOfTwo(u32),
}

pub(super) fn parse_quantity(text: &str) -> Result<Quantity, QuantityError> {
    if text.is_empty() {
        return Err(QuantityError::Empty);
    }
    let (negative, unsigned) = take_sign(text);
    let (whole, rest) = take_digits(unsigned);
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), take_digits);
    let unit = suffix_unit(suffix).ok_or_else(|| QuantityError::Suffix(suffix.to_owned()))?;
    let digits = [whole, fraction].concat();
    if digits.is_empty() && !zero_without_digits(unit) {
        return Err(QuantityError::NoDigit);
    }
    let places = i128::try_from(fraction.len()).unwrap_or(i128::MAX);
    Ok(match unit {
        SuffixUnit::PowerOfTen(exponent) => {
            Quantity::new(negative, &digits, i128::from(exponent) - places, 0)
        }
        SuffixUnit::PowerOfTwo(exponent) => Quantity::new(negative, &digits, -places, exponent),
    })
}

fn take_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn take_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

fn suffix_unit(suffix: &str) -> Option<SuffixUnit> {
    Some(match suffix {
        "n" => SuffixUnit::PowerOfTen(-9),
        "u" => SuffixUnit::PowerOfTen(-6),
        "m" => SuffixUnit::PowerOfTen(-3),
        "" => SuffixUnit::PowerOfTen(0),
        "k" => SuffixUnit::PowerOfTen(3),
        "M" => SuffixUnit::PowerOfTen(6),
        "G" => SuffixUnit::PowerOfTen(9),
        "T" => SuffixUnit::PowerOfTen(12),
        "P" => SuffixUnit::PowerOfTen(15),
        "E" => SuffixUnit::PowerOfTen(18),
        "Ki" => SuffixUnit::PowerOfTwo(10),
        "Mi" => SuffixUnit::PowerOfTwo(20),
        "Gi" => SuffixUnit::PowerOfTwo(30),
        "Ti" => SuffixUnit::PowerOfTwo(40),
        "Pi" => SuffixUnit::PowerOfTwo(50),
        "Ei" => SuffixUnit::PowerOfTwo(60),
        // The API server parses the exponent into 64 bits; a larger one is not a quantity.
        _ => SuffixUnit::PowerOfTen(suffix.strip_prefix(['e', 'E'])?.parse().ok()?),
    })
}

/// The API server has a fast way and a general way to read numbers; only the fast one takes no digit for zero.
/// It is open to exponents from −9 on (of which it looks at the lower 32 bits) and to binary suffixes up to `Ti`.
fn zero_without_digits(unit: SuffixUnit) -> bool {
    match unit {
        #[expect(clippy::cast_possible_truncation, reason = "the API server truncates too")]
        SuffixUnit::PowerOfTen(exponent) => exponent as i32 >= -9,
        SuffixUnit::PowerOfTwo(exponent) => exponent <= 40,
    }
}
