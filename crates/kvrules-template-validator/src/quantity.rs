//! Quantities as `k8s.io/apimachinery` parses them.
//!
//! A quantity that fits is kept as an integer and a power of ten; the rest becomes a big decimal, which an integer rule
//! cannot read (SEMANTICS 12). So only the first form is kept exactly here.

/// The number of decimal digits that surely fit an integer.
// apimachinery resource/quantity.go, ParseQuantity: maxInt64Factors.
const DIGITS: i32 = 18;

/// The least power of ten that the integer form may have.
const NANO: i32 = -9;

// apimachinery resource/quantity.go: ErrFormatWrong, ErrNumeric and ErrSuffix.
const WRONG_FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER: &str = "unable to parse numeric part of quantity";
const WRONG_SUFFIX: &str = "unable to parse quantity's suffix";

/// A quantity that was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    pub(crate) amount: QuantityAmount,
    pub(crate) format: &'static str,
    /// True if the string is kept because it is already canonical.
    pub(crate) is_canonical: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuantityAmount {
    Scaled { value: i64, scale: i32 },
    Decimal { is_negative: bool, is_zero: bool },
}

/// The parts of a quantity's text.
struct QuantityParts<'t> {
    is_negative: bool,
    /// All before the suffix.
    number: &'t str,
    /// Digits before the point without leading zeros.
    whole: &'t str,
    /// Digits behind the point.
    fraction: &'t str,
    suffix: &'t str,
}

/// Meaning of a suffix.
enum Suffix {
    Decimal(i32),
    /// Decimal too, but written as an exponent.
    Exponent(i32),
    Binary(u32),
}

const DECIMAL: &str = "DecimalSI";
const EXPONENT: &str = "DecimalExponent";
const BINARY: &str = "BinarySI";

// apimachinery resource/quantity.go, ParseQuantity.
pub(crate) fn parse(text: &str) -> Result<Quantity, &'static str> {
    if text.is_empty() {
        return Err(WRONG_FORMAT);
    }
    if text == "0" {
        let amount = QuantityAmount::Scaled { value: 0, scale: 0 };
        return Ok(Quantity { amount, format: DECIMAL, is_canonical: true });
    }
    let parts = split_parts(text)?;
    let suffix = suffix(parts.suffix).ok_or(WRONG_SUFFIX)?;
    if let Some(quantity) = scaled(&parts, &suffix) {
        return Ok(quantity);
    }
    decimal(&parts, &suffix)
}

// apimachinery resource/quantity.go, parseQuantityString.
fn split_parts(text: &str) -> Result<QuantityParts<'_>, &'static str> {
    let is_negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let stripped = unsigned.trim_start_matches('0');
    // A sign without digits is 0, too.
    if stripped.is_empty() {
        return Ok(QuantityParts { is_negative, number: "0", whole: "0", fraction: "", suffix: "" });
    }
    let (whole, rest) = stripped.split_at_checked(digits(stripped)).unwrap_or((stripped, ""));
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at_checked(digits(rest)).unwrap_or((rest, "")),
        None => ("", rest),
    };
    let exponent = suffix.trim_start_matches(['e', 'E', 'i', 'n', 'u', 'm', 'k', 'K', 'M', 'G', 'T', 'P']);
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if digits(exponent) < exponent.len() {
        return Err(WRONG_FORMAT);
    }
    let number = text.strip_suffix(suffix).unwrap_or(text);
    let whole = if whole.is_empty() { "0" } else { whole };
    Ok(QuantityParts { is_negative, number, whole, fraction, suffix })
}

// apimachinery resource/suffix.go, fastLookup.interpret and suffixHandler.interpret.
fn suffix(text: &str) -> Option<Suffix> {
    Some(match text {
        "n" => Suffix::Decimal(-9),
        "u" => Suffix::Decimal(-6),
        "m" => Suffix::Decimal(-3),
        "" => Suffix::Decimal(0),
        "k" => Suffix::Decimal(3),
        "M" => Suffix::Decimal(6),
        "G" => Suffix::Decimal(9),
        "T" => Suffix::Decimal(12),
        "P" => Suffix::Decimal(15),
        "E" => Suffix::Decimal(18),
        "Ki" => Suffix::Binary(10),
        "Mi" => Suffix::Binary(20),
        "Gi" => Suffix::Binary(30),
        "Ti" => Suffix::Binary(40),
        "Pi" => Suffix::Binary(50),
        "Ei" => Suffix::Binary(60),
        other => Suffix::Exponent(exponent(other.strip_prefix(['e', 'E'])?)?),
    })
}

/// Go keeps the low 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "as Go converts")]
// apimachinery resource/suffix.go, suffixHandler.interpret: ParseInt with 64 bits, converted to int32.
fn exponent(text: &str) -> Option<i32> {
    text.parse::<i64>().ok().map(|exponent| exponent as i32)
}

fn length(text: &str) -> i32 {
    i32::try_from(text.len()).unwrap_or(i32::MAX)
}

/// The integer form, where Go is sure beforehand that the number fits.
// apimachinery resource/quantity.go, ParseQuantity: the fast path.
fn scaled(parts: &QuantityParts<'_>, suffix: &Suffix) -> Option<Quantity> {
    let (precision, factor, scale, format) = match suffix {
        Suffix::Decimal(x) => (room(parts), 1, *x, DECIMAL),
        Suffix::Exponent(x) => (room(parts), 1, *x, EXPONENT),
        Suffix::Binary(x) if parts.fraction.is_empty() => {
            // About three bits of ten to a digit, less one to be safe (E248).
            let digits = i32::try_from(x * 3 / 10).unwrap_or(i32::MAX);
            (14 - length(parts.whole) - digits, 1_i64 << x, 0, BINARY)
        }
        Suffix::Binary(_) => return None,
    };
    let scale = scale.wrapping_sub(length(parts.fraction));
    if precision < 0 || scale < NANO {
        return None;
    }
    let digits = format!("{}{}", parts.whole, parts.fraction);
    let number: i64 = digits.parse().ok()?;
    let value = number.checked_mul(factor)?;
    // ParseQuantity keeps the text only if encoding could not change it, by these rough checks.
    let is_canonical = if format == BINARY {
        number % 8 != 0
    } else {
        scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
    };
    let value = if parts.is_negative { -value } else { value };
    Some(Quantity { amount: QuantityAmount::Scaled { value, scale }, format, is_canonical })
}

fn room(parts: &QuantityParts<'_>) -> i32 {
    DIGITS.saturating_sub(length(parts.whole)).saturating_sub(length(parts.fraction))
}

// apimachinery resource/quantity.go, ParseQuantity: the path through inf.Dec. Rounding up to a nano and the cap of
// binary amounts are left out, because no rule can read such an amount.
fn decimal(parts: &QuantityParts<'_>, suffix: &Suffix) -> Result<Quantity, &'static str> {
    if !parts.number.contains(|c: char| c.is_ascii_digit()) {
        return Err(WRONG_NUMBER);
    }
    let is_zero = !parts.number.contains(|c: char| matches!(c, '1'..='9'));
    let format = match suffix {
        Suffix::Decimal(_) => DECIMAL,
        Suffix::Exponent(_) => EXPONENT,
        Suffix::Binary(x) => {
            let number: f64 = parts.number.parse().unwrap_or(1.0);
            let size = number.abs() * 2_f64.powf(f64::from(*x));
            // A binary amount between 0 and 1 becomes a decimal one there; what rules see of it is the format.
            if size > 0.0 && size < 1.0 { DECIMAL } else { BINARY }
        }
    };
    let amount = QuantityAmount::Decimal { is_negative: parts.is_negative && !is_zero, is_zero };
    Ok(Quantity { amount, format, is_canonical: false })
}

/// The integer that an integer and its power of ten make, where it fits (`AsInt64`).
// apimachinery resource, int64Amount.AsInt64 and positiveScaleInt64.
pub(crate) fn as_int64(value: i64, scale: i64) -> Option<i64> {
    if scale < 0 {
        return None;
    }
    if value == 0 {
        return Some(0);
    }
    let factor = u32::try_from(scale).ok().and_then(|scale| 10_i64.checked_pow(scale))?;
    value.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<i64> {
        match parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).amount {
            QuantityAmount::Scaled { value, scale } => as_int64(value, scale.into()),
            QuantityAmount::Decimal { .. } => None,
        }
    }

    #[test]
    fn what_go_is_sure_of_can_be_read() {
        let cases = [
            ("0", 0),
            ("000", 0),
            ("-", 0),
            (".", 0),
            ("1Gi", 1 << 30),
            ("+001Gi", 1 << 30),
            ("1.Gi", 1 << 30),
            ("-1Gi", -(1 << 30)),
            ("1.5G", 1_500_000_000),
            ("2.25k", 2250),
            ("1E3", 1000),
            ("99Ti", 99 << 40),
            ("99999Gi", 99_999 << 30),
            ("9E", 9_000_000_000_000_000_000),
            ("999999999999999999", 999_999_999_999_999_999),
        ];
        for (text, value) in cases {
            assert_eq!(read(text), Some(value), "{text}");
        }
    }

    #[test]
    fn the_rest_cannot() {
        let texts = [
            "1.5Gi",
            "0.5",
            "1.0",
            "0.0",
            "100m",
            "1000m",
            "1e-3",
            "1.2345k",
            "100Ti",
            "100000Gi",
            "1Pi",
            "1Ei",
            "10E",
            "1000000000000000000",
            "1n",
            "1e1000000000",
            "0.0000000001",
        ];
        for text in texts {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn errors_are_go_words() {
        for text in ["", "1gi", "1 Gi", "true", "1.5.5", "é", "[]"] {
            assert_eq!(parse(text), Err(WRONG_FORMAT), "{text}");
        }
        for text in ["1K", "1Gi5", "--1", "1e", "1e99999999999999999999"] {
            assert_eq!(parse(text), Err(WRONG_SUFFIX), "{text}");
        }
        assert_eq!(parse(".e-10"), Err(WRONG_NUMBER));
    }
}
