//! Python's `int(text)`.

use kvrules_regex::python::digit_value;
use num_bigint::{BigInt, Sign};

/// Longer numbers are refused (`sys.int_info.default_max_str_digits`).
const MAX_DIGITS: usize = 4300;

/// The number that Python reads, or none if it raises `ValueError`.
///
/// White space around is dropped, digits of every script count, and single underscores may be between digits.
///
/// ```
/// use kvrules_extra_specs::python::parse_int;
/// assert_eq!(parse_int(" -1_6 ").unwrap().to_string(), "-16");
/// assert_eq!(parse_int("1٣").unwrap().to_string(), "13");
/// assert!(parse_int("1__0").is_none() && parse_int("\u{1c}1").is_none() && parse_int("0x10").is_none());
/// ```
// CPython Objects/longobject.c, PyLong_FromUnicodeObject: _PyUnicode_TransformDecimalAndSpaceToASCII replaces digits and
// blanks beyond ASCII, and PyLong_FromString reads the result. U+001C to U+001F stay as they are, and are no blanks to C.
pub fn parse_int(text: &str) -> Option<BigInt> {
    // Nearly all numbers are short and plain.
    if text.len() < 18 && text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
        return text.parse::<i64>().ok().map(BigInt::from);
    }
    let text = text.trim_matches(super::is_space);
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (Sign::Minus, digits),
        None => (Sign::Plus, text.strip_prefix('+').unwrap_or(text)),
    };
    let values = digit_values(digits)?;
    BigInt::from_radix_be(sign, &values, 10)
}

// Underscores do not count as digits, neither for the limit nor for the value.
fn digit_values(text: &str) -> Option<Vec<u8>> {
    let mut values = Vec::new();
    let mut may_part = false;
    for char in text.chars() {
        if char == '_' && may_part {
            may_part = false;
            continue;
        }
        values.push(digit_value(char)?);
        may_part = true;
        if values.len() > MAX_DIGITS {
            return None;
        }
    }
    may_part.then_some(values)
}
