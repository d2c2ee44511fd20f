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

/// True if some reader takes a plain string for another value: what go-yaml 2 reads differently, and dates, times, numbers of base 60 and
/// words that other readers of YAML 1.1 or 1.2 resolve.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_syntax::{parse_stream, yaml11::is_ambiguous_string};
///
/// let stream = parse_stream(FileId(0), "[2020-01-01, 12:30:00, on, '2020-01-01', 1.2.3, a=b]");
/// let answers: Vec<_> = stream.documents[0].root().unwrap().items().map(is_ambiguous_string).collect();
/// assert_eq!(answers, [true, true, true, false, false, false]);
/// ```
pub fn is_ambiguous_string(node: Node<'_>) -> bool {
    if node.as_str().is_none() {
        return false;
    }
    let is_plain =
        node.data().style == NodeStyle::Plain && node.notation() == Notation::Yaml && !node.has_tag();
    read_as_yaml11(node).is_some() || is_plain && is_resolved_word(node.text())
}

/// True for a word that the types of YAML 1.1 resolve to something other than a string.
// yaml.org/type: timestamp, int and float with base 60, value and merge; the words of null, bool and float in any case
fn is_resolved_word(text: &str) -> bool {
    let has_only = |allowed: &str| text.chars().all(|char| char.is_ascii_digit() || allowed.contains(char));
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_timestamp = digits == 4
        && text.get(4..).is_some_and(|rest| rest.starts_with('-') && rest.matches('-').count() > 1)
        && has_only("-:.+TtZz ");
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_base_60 =
        number.starts_with(|char: char| char.is_ascii_digit()) && text.contains(':') && has_only("+-:._");
    let word = number.to_ascii_lowercase();
    is_timestamp
        || is_base_60
        || matches!(text, "=" | "<<" | "~" | "")
        || matches!(word.as_str(), "null" | "true" | "false" | ".inf" | ".nan")
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

    #[test]
    fn strings_that_some_reader_resolves_are_written_in_quotation_marks() {
        let words = [
            "2020-01-01",
            "2020-1-1",
            "2001-12-14t21:59:43.10-05:00",
            "2001-12-14 21:59:43.10 -5",
            "2001-12-15 2:59:43.10",
            "12:30",
            "12:30:00",
            "-190:20:30",
            "190:20:30.15",
            "1_0:20",
            "y",
            "N",
            "yes",
            "no",
            "on",
            "Off",
            "~",
            "null",
            "Null",
            "NULL",
            "true",
            "True",
            "FALSE",
            ".inf",
            "-.Inf",
            "+.INF",
            ".NaN",
            ".nan",
            "1_000",
            "0x1F",
            "0b11",
            "0o17",
            "017",
            "1e3",
            "1.",
            "+.5",
            "=",
            "<<",
            "",
            "1_000.5",
            "0644",
        ];
        for word in words {
            let value = serde_json::json!({ word: word });
            let text = crate::to_yaml(&value).unwrap();
            let (key, written) = text.trim_end().rsplit_once(": ").unwrap();
            for part in [key, written] {
                assert!(part.starts_with(['"', '\'']) && part.ends_with(['"', '\'']), "{word}: {text}");
            }
            assert_eq!(serde_yaml::from_str::<serde_json::Value>(&text).unwrap(), value, "{text}");
        }
        for word in [
            "1.2.3",
            "v1",
            "2020-01",
            "a:b",
            "host:80",
            "1-2",
            "12h",
            "a=b",
            "10.0.0.0/8",
            "nulls",
            "2020-01-01x",
        ] {
            assert_eq!(crate::to_yaml(&serde_json::json!([word])).unwrap(), format!("- {word}\n"));
        }
    }
}
