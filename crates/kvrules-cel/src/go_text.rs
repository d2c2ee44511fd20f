//! Values as the server prints them in its texts: strings as Go quotes them, numbers as Go formats them, JSON as Go
//! encodes it.

use std::fmt::Write as _;
use std::sync::OnceLock;

use regex::Regex;
use serde_json::{Number, Value as Json};

/// A string in double quotes, with Go's escapes (`strconv.Quote`).
pub fn quote_string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        push_escaped(&mut quoted, c);
    }
    quoted.push('"');
    quoted
}

// strconv/quote.go, appendEscapedRune
fn push_escaped(quoted: &mut String, c: char) {
    let short = match c {
        '"' | '\\' => Some(c),
        '\u{7}' => Some('a'),
        '\u{8}' => Some('b'),
        '\u{c}' => Some('f'),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        '\u{b}' => Some('v'),
        _ => None,
    };
    let code = u32::from(c);
    // Writing to a string does not fail.
    let _ = match short {
        Some(letter) => write!(quoted, "\\{letter}"),
        None if is_print(c) => write!(quoted, "{c}"),
        None if code < 0x80 => write!(quoted, "\\x{code:02x}"),
        None if code < 0x1_0000 => write!(quoted, "\\u{code:04x}"),
        None => write!(quoted, "\\U{code:08x}"),
    };
}

/// True if Go prints a character as it is (`unicode.IsPrint`).
pub fn is_print(c: char) -> bool {
    static PRINTED: OnceLock<Option<Regex>> = OnceLock::new();
    if c.is_ascii() {
        return c == ' ' || c.is_ascii_graphic();
    }
    let printed = PRINTED.get_or_init(|| Regex::new(r"^[\p{L}\p{M}\p{N}\p{P}\p{S}]$").ok());
    printed.as_ref().is_some_and(|regex| regex.is_match(c.encode_utf8(&mut [0; 4])))
}

/// A float as `%g` and `%v` print it: with an exponent below -4 and from a million on.
// strconv/ftoa.go, %e is used
pub fn format_double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent) if value != 0.0 && !(-4..6).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => value.to_string(),
    }
}

/// A value as an error shows it: strings quoted, numbers plain, lists and objects as JSON with sorted keys.
// apimachinery field/errors.go, (*Error).ErrorBody
pub fn format_json_value(json: &Json) -> String {
    match json {
        Json::String(text) => quote_string(text),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| format_double(of_number(number)), |it| it.to_string())
        }
        other => encode_json(other),
    }
}

/// JSON as Go encodes it: keys sorted, and characters that HTML gives a meaning escaped.
pub fn encode_json(json: &Json) -> String {
    match json {
        Json::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            let members: Vec<String> = sorted
                .into_iter()
                .map(|(name, value)| format!("{}:{}", encode_text(name), encode_json(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(encode_json).collect::<Vec<_>>().join(",")),
        Json::String(text) => encode_text(text),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| encode_float(of_number(number)), |it| it.to_string())
        }
        other => other.to_string(),
    }
}

/// A value decoded from JSON as `%v` prints it.
pub fn format_plain(json: &Json) -> String {
    match json {
        Json::Null => "<nil>".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(_) => format_json_value(json),
        Json::String(text) => text.clone(),
        Json::Array(items) => format!("[{}]", items.iter().map(format_plain).collect::<Vec<_>>().join(" ")),
        Json::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            let members: Vec<String> =
                sorted.into_iter().map(|(name, value)| format!("{name}:{}", format_plain(value))).collect();
            format!("map[{}]", members.join(" "))
        }
    }
}

fn of_number(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

// encoding/json encode.go, appendString: escapes what HTML and JavaScript would read
fn encode_text(text: &str) -> String {
    let mut encoded = Json::from(text).to_string();
    for (plain, escaped) in [
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u{2028}", "\\u2028"),
        ("\u{2029}", "\\u2029"),
    ] {
        if encoded.contains(plain) {
            encoded = encoded.replace(plain, escaped);
        }
    }
    encoded
}

// encoding/json encode.go, floatEncoder.encode
fn encode_float(value: f64) -> String {
    if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
        return value.to_string();
    }
    let scientific = format!("{value:e}");
    match scientific.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => scientific,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn doubles_have_an_exponent_from_a_million_on() {
        let shown =
            [1_234_567.0, 1e6, 999_999.0, 123_456.75, 0.0001, 0.00001, -0.0, 1e100].map(format_double);
        let expected = ["1.234567e+06", "1e+06", "999999", "123456.75", "0.0001", "1e-05", "-0", "1e+100"];
        assert_eq!(shown, expected);
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(format_double), ["+Inf", "-Inf", "NaN"]);
    }

    #[test]
    fn strings_are_quoted_as_go_does() {
        let texts = [
            ("a\"b\\c", r#""a\"b\\c""#),
            ("\0\u{7}\n\u{7f}", r#""\x00\a\n\x7f""#),
            ("\u{feff}é\u{301}\u{a0}", "\"\\ufeffé\u{301}\\u00a0\""),
            ("\u{1f600}\u{e0001}", "\"\u{1f600}\\U000e0001\""),
        ];
        for (text, quoted) in texts {
            assert_eq!(quote_string(text), quoted);
        }
    }

    #[test]
    fn containers_are_json_with_sorted_keys() {
        assert_eq!(
            format_json_value(&json!({"b": [1.0, 1e-7, 1e21], "a": "<&>"})),
            r#"{"a":"\u003c\u0026\u003e","b":[1,1e-7,1e+21]}"#
        );
        assert_eq!(
            [
                format_json_value(&json!(0.0)),
                format_json_value(&json!(null)),
                format_json_value(&json!(true))
            ],
            ["0", "null", "true"]
        );
        assert_eq!(
            [
                format_json_value(&json!(1e6)),
                format_json_value(&json!(1_048_576.0)),
                format_json_value(&json!(999_999.5))
            ],
            ["1e+06", "1.048576e+06", "999999.5"]
        );
    }
}
