//! Scalars that readers of YAML 1.1 read differently than readers of YAML 1.2. Kubernetes is among them: `kubectl` and
//! the API server read by go-yaml 2, for which `on` is a boolean and `0644` a number of base eight.
//!
//! ```
//! use kvrules_diagnostics::FileId;
//! use kvrules_syntax::{yaml11::{Yaml11Value, read_as_yaml11}, parse_stream};
//!
//! let stream = parse_stream(FileId(0), "[on, 0644, 'on', true]");
//! let readings: Vec<_> = stream.documents[0].root().unwrap().items().map(read_as_yaml11).collect();
//! assert_eq!(readings, [Some(Yaml11Value::Boolean(true)), Some(Yaml11Value::Integer(420)), None, None]);
//! ```

use std::fmt;

use crate::{Node, NodeStyle, Notation, SyntaxKind};

/// A plain scalar by YAML 1.1, as go-yaml 2 has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Yaml11Value {
    /// A boolean: `y`, `yes`, `on`, `n`, `no`, `off`, with a capital letter and in capitals too.
    Boolean(bool),
    /// An integer of 64 bits: `0644`, `0b11`, `-0x1f`, `1_000`.
    Integer(i128),
    /// Another number: `1_000.5`.
    Float(f64),
}

impl fmt::Display for Yaml11Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(flag) => flag.fmt(f),
            Self::Integer(whole) => whole.fmt(f),
            Self::Float(float) => float.fmt(f),
        }
    }
}

/// Returns the value of a scalar in YAML 1.1; `None` if it is the same in YAML 1.2, or has a tag.
pub fn read_as_yaml11(node: Node<'_>) -> Option<Yaml11Value> {
    let data = node.data();
    let is_plain = data.style == NodeStyle::Plain && node.notation() == Notation::Yaml;
    if !is_plain || !matches!(data.kind, SyntaxKind::String | SyntaxKind::Number) {
        return None;
    }
    let text = node.text();
    let reading = match text.bytes().next()? {
        b'y' | b'Y' | b'n' | b'N' | b'o' | b'O' => Yaml11Value::Boolean(parse_boolean(text)?),
        b'0'..=b'9' if is_plain_decimal(text) => return None,
        b'0'..=b'9' | b'+' | b'-' => parse_yaml11_number(text)?,
        _ => return None,
    };
    let is_same = data.kind == SyntaxKind::Number
        && parse_yaml12_integer(text).map(Yaml11Value::Integer) == Some(reading);
    (!is_same && !node.has_tag()).then_some(reading)
}

/// A word that is a boolean in YAML 1.1 alone.
pub(crate) fn parse_boolean(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// True for digits that every version of YAML reads as the same integer.
fn is_plain_decimal(text: &str) -> bool {
    let is_based = text.len() > 1 && text.starts_with('0');
    text.len() <= 18 && !is_based && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An integer as YAML 1.2 reads it.
fn parse_yaml12_integer(text: &str) -> Option<i128> {
    let based = |prefix: &str, base| i128::from_str_radix(text.strip_prefix(prefix)?, base).ok();
    based("0x", 16).or_else(|| based("0o", 8)).or_else(|| text.parse().ok())
}

fn parse_yaml11_number(text: &str) -> Option<Yaml11Value> {
    let plain = text.replace('_', "").to_ascii_lowercase();
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let prefixes = [("0x", 16), ("0o", 8), ("0b", 2), ("0", 8)];
    let based = |(prefix, base)| Some((digits.strip_prefix(prefix).filter(|rest| !rest.is_empty())?, base));
    let (digits, base) = prefixes.into_iter().find_map(based).unwrap_or((digits, 10));
    let is_whole = digits.chars().all(|digit| digit.is_digit(base));
    let whole = i128::from_str_radix(digits, base).ok().filter(|_| is_whole);
    let whole = whole.map(|whole| sign * whole);
    match whole.filter(|whole| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(whole)) {
        Some(whole) => Some(Yaml11Value::Integer(whole)),
        None if text.contains('_') => parse_yaml11_float(&plain),
        None => None,
    }
}

/// A number with a point or an exponent, once its underscores are gone.
fn parse_yaml11_float(plain: &str) -> Option<Yaml11Value> {
    let is_float = |byte: u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'-' | b'+');
    let number: f64 = plain.parse().ok().filter(|_| plain.bytes().all(is_float))?;
    number.is_finite().then_some(Yaml11Value::Float(number))
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;

    use super::*;

    fn of(text: &str) -> Option<String> {
        let stream = crate::parse_stream(FileId(0), text);
        let root = stream.documents.first()?.root()?;
        read_as_yaml11(root.items().next()?).map(|reading| reading.to_string())
    }

    /// The right sides are those of go-yaml's table of words, and of Go's `strconv.ParseInt` with base 0.
    #[test]
    fn words_and_numbers_are_those_of_go_yaml_2() {
        for (text, expected) in [
            ("yes", "true"),
            ("Y", "true"),
            ("On", "true"),
            ("OFF", "false"),
            ("n", "false"),
            ("0644", "420"),
            ("-0644", "-420"),
            ("0b101", "5"),
            ("-0x1F", "-31"),
            ("0X1f", "31"),
            ("1_000", "1000"),
            ("1_0.5", "10.5"),
            ("0_7_7", "63"),
        ] {
            assert_eq!(of(&format!("[{text}]")).as_deref(), Some(expected), "{text}");
            assert_eq!(of(&format!("- {text}")).as_deref(), Some(expected), "{text}");
            for quoted in [format!("['{text}']"), format!("[!!str {text}]"), format!("- !!str &a {text}")] {
                assert_eq!(of(&quoted), None, "{quoted}");
            }
        }
    }

    #[test]
    fn what_both_versions_read_alike_is_left_alone() {
        for text in [
            "yEs",
            "ye",
            "oN",
            "none",
            "true",
            "True",
            "null",
            "~",
            "0",
            "-0",
            "10",
            "+5",
            "08",
            "0o17",
            "0x1F",
            "1e3",
            "1.50",
            ".5",
            "1:30",
            "190:20:30",
            "2001-01-01",
            "1.2.3",
            "+",
            "1-2",
            "v1",
            "0755a",
            "_1",
            "1__x",
            ".inf",
        ] {
            assert_eq!(of(&format!("[{text}]")), None, "{text}");
        }
    }
}
