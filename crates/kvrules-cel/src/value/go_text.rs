//! Texts as Go's `fmt` and `strconv` write them, which the words of the server's errors are made with.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

/// What Go prints as it is; all compile, which a test holds.
static PRINTABLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$").ok());

/// A text in quotation marks.
// strconv/quote.go, Quote
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    let mut buffer = [0; 4];
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            ' '..='~' => quoted.push(char),
            char if is_printable(char.encode_utf8(&mut buffer)) => quoted.push(char),
            char => quoted.push_str(&escape(u32::from(char))),
        }
    }
    quoted.push('"');
    quoted
}

fn is_printable(char: &str) -> bool {
    PRINTABLE.as_ref().is_none_or(|printable| printable.is_match(char))
}

fn escape(code: u32) -> String {
    let mut escape = String::new();
    let _ = match code {
        0..=0x7f => write!(escape, "\\x{code:02x}"),
        0x80..=0xffff => write!(escape, "\\u{code:04x}"),
        _ => write!(escape, "\\U{code:08x}"),
    };
    escape
}

/// A double as `%g` writes it: an exponent below -4 and from 6 significant digits of an integer on.
// strconv/ftoa.go, formatDigits
pub(crate) fn double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value != 0.0 && !(-4..LEAST_EXPONENT).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{value}")
}

/// From 1e6 on numbers are written with an exponent.
const LEAST_EXPONENT: i32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_in_go() {
        assert_eq!(quote("a\"b\\c\n\u{7}\u{0}\u{7f}"), r#""a\"b\\c\n\a\x00\x7f""#);
        assert_eq!(
            quote("é\u{200b}\u{feff}\u{1f600}\u{e0001}\u{a0}"),
            "\"é\\u200b\\ufeff\u{1f600}\\U000e0001\\u00a0\""
        );
        assert!(PRINTABLE.is_some());
    }

    #[test]
    fn doubles_have_an_exponent_from_a_million_on() {
        let written = [
            (1_234_567.0, "1.234567e+06"),
            (1e6, "1e+06"),
            (999_999.0, "999999"),
            (123_456.75, "123456.75"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-0.0, "-0"),
            (1e100, "1e+100"),
            (1.5, "1.5"),
            (f64::INFINITY, "+Inf"),
        ];
        for (value, text) in written {
            assert_eq!(double(value), text);
        }
    }
}
