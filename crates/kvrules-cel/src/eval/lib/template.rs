//! `format`: templates with `%s`, `%d` and their kind, as version 2 of cel-go's library of strings fills them.
//!
//! Doubles of `%f` and `%e` are written for readers of English: digits in groups, an infinity as its sign, powers of
//! ten in superscripts.

use std::fmt::Write as _;

use super::{EvalResult, conversions};
use crate::functions::template::{PRINTABLE, TemplateClause};
use crate::go_text::{format_double, quote_string};
use crate::value::{EvalError, Key, Value};

/// Fills a template.
// cel-go ext/formatting.go, parseFormatString
pub(super) fn format_template(template: &str, values: &[Value]) -> EvalResult {
    let mut text = String::new();
    let mut rest = template;
    let mut used = 0_usize;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        let Some(value) = values.get(used) else {
            return Err(EvalError::new(format!("index {used} out of range")));
        };
        if after.is_empty() {
            return Err(EvalError::new("unexpected end of string"));
        }
        let clause = TemplateClause::parse_clause(after)
            .map_err(|reason| EvalError::new(format!("could not parse formatting clause: {reason}")))?;
        let part = fill_clause(&clause, value)?;
        text.push_str(&part.map_err(|reason| EvalError::new(format!("error during formatting: {reason}")))?);
        rest = clause.rest;
        used += 1;
    }
    text.push_str(rest);
    Ok(Value::string(text))
}

/// More digits after the point than these are not written here.
const MOST_DIGITS: u64 = 32_767;

/// The text of a value; the outer error for what is not known here.
fn fill_clause(clause: &TemplateClause<'_>, value: &Value) -> Result<Result<String, String>, EvalError> {
    let precision = clause.precision.unwrap_or(6);
    if matches!(clause.verb, 'f' | 'e') && precision > MOST_DIGITS {
        return Err(EvalError::unsupported_feature(format!("a precision of {precision} digits")));
    }
    Ok(match clause.verb {
        's' => plain(value),
        'd' => decimal(value),
        'f' => number(value, "fixed-point").map(|value| fixed(value, precision)),
        'e' => number(value, "scientific").map(|value| scientific(value, precision)),
        'b' => match value {
            Value::Bool(value) => Ok(i32::from(*value).to_string()),
            Value::Int(value) => Ok(signed(*value, format!("{:b}", value.unsigned_abs()))),
            Value::Uint(value) => Ok(format!("{value:b}")),
            other => clause_error("only integers and bools can be formatted as binary", other),
        },
        'o' => match value {
            Value::Int(value) => Ok(signed(*value, format!("{:o}", value.unsigned_abs()))),
            Value::Uint(value) => Ok(format!("{value:o}")),
            other => clause_error("octal clause can only be used on integers", other),
        },
        'X' => hexadecimal(value).map(|text| text.to_uppercase()),
        _ => hexadecimal(value),
    })
}

fn clause_error<T>(rule: &str, value: &Value) -> Result<T, String> {
    Err(format!("{rule}, was given {}", value.type_name()))
}

fn signed(value: i64, digits: String) -> String {
    if value < 0 { format!("-{digits}") } else { digits }
}

// cel-go ext/formatting.go, formatDecimal
fn decimal(value: &Value) -> Result<String, String> {
    match value {
        Value::Int(value) => Ok(value.to_string()),
        Value::Uint(value) => Ok(value.to_string()),
        other => clause_error("decimal clause can only be used on integers", other),
    }
}

/// A double, or a text that names one that is none.
// cel-go ext/formatting.go, stringFormatter.Fixed and stringFormatter.Scientific
fn number(value: &Value, clause: &str) -> Result<f64, String> {
    match value {
        Value::Double(value) => Ok(*value),
        Value::String(text) => match text.as_ref() {
            "NaN" => Ok(f64::NAN),
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            _ => clause_error(&format!("{clause} clause can only be used on doubles"), value),
        },
        other => clause_error(&format!("{clause} clause can only be used on doubles"), other),
    }
}

/// NaN and the infinities.
fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        return Some("NaN");
    }
    value.is_infinite().then_some(if value > 0.0 { "∞" } else { "-∞" })
}

/// `%f`: the integer in groups of three digits.
// golang.org/x/text/internal/number, decimalVisibleDigits and appendDecimal
fn fixed(value: f64, precision: u64) -> String {
    if let Some(special) = special(value) {
        return special.to_owned();
    }
    let digits = format!("{:.*}", usize::try_from(precision).unwrap_or(0), value.abs());
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let mut text = String::from(if value < 0.0 { "-" } else { "" });
    for (index, digit) in whole.char_indices() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    // The server stores the minimum number of digits in one byte.
    let least = usize::try_from(precision % 256).unwrap_or(0);
    let fraction = fraction.trim_end_matches('0');
    if least.max(fraction.len()) > 0 {
        let _ = write!(text, ".{fraction:0<least$}");
    }
    text
}

const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// `%e`: always with six digits after the point, since the server takes the precision for a width.
// cel-go ext/formatting.go, Scientific; golang.org/x/text/internal/number, appendScientific
fn scientific(value: f64, width: u64) -> String {
    let mut text = String::new();
    if let Some(special) = special(value) {
        text.push_str(special);
    } else {
        let written = format!("{:.6e}", value.abs());
        let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if value < 0.0 { "-" } else { "" };
        let minus = if exponent < 0 { "⁻" } else { "" };
        let _ = write!(text, "{sign}{digits}\u{202f}×\u{202f}10{minus}");
        let power = format!("{:02}", exponent.abs());
        let superscript = |digit: u8| SUPERSCRIPTS.get(usize::from(digit.wrapping_sub(b'0'))).copied();
        text.extend(power.bytes().filter_map(superscript));
    }
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count());
    " ".repeat(missing) + &text
}

// cel-go ext/formatting.go, stringFormatter.Hex
fn hexadecimal(value: &Value) -> Result<String, String> {
    let bytes = |bytes: &[u8]| {
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
    };
    match value {
        Value::Int(value) => Ok(signed(*value, format!("{:x}", value.unsigned_abs()))),
        Value::Uint(value) => Ok(format!("{value:x}")),
        Value::String(text) => Ok(bytes(text.as_bytes())),
        Value::Bytes(data) => Ok(bytes(data)),
        other => clause_error("only integers, byte buffers, and strings can be formatted as hex", other),
    }
}

/// `%s`
// cel-go ext/formatting.go, FormatString
fn plain(value: &Value) -> Result<String, String> {
    match value {
        Value::Null => Ok("null".to_owned()),
        Value::List(list) => {
            let items = list.items.iter().map(member).collect::<Result<Vec<_>, _>>()?;
            Ok(format!("[{}]", items.join(", ")))
        }
        Value::Map(map) => {
            let entry =
                |(key, value): (&Key, &Value)| Ok::<_, String>((member(&key.to_value())?, member(value)?));
            let mut entries = map.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
            entries.sort_by(|(left, _), (right, _)| left.cmp(right));
            let entries: Vec<String> =
                entries.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            Ok(format!("{{{}}}", entries.join(", ")))
        }
        Value::Type(name) => Ok(name.to_string()),
        Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Double(_)
        | Value::String(_)
        | Value::Bytes(_)
        | Value::Timestamp(_)
        | Value::Duration(_) => match conversions::to_string_value(value) {
            Ok(text) => Ok(text.to_string()),
            Err(error) => {
                Err(format!("could not convert argument {} to string", quote_string(&error.message)))
            }
        },
        other => clause_error(PRINTABLE, other),
    }
}

/// A value inside of a list or a map, as a literal of the language.
// cel-go ext/formatting.go, clauseForType and quoteForCEL
fn member(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(quote_string(text)),
        Value::Bytes(_) => Ok(format!("b{}", quote_string(&plain(value)?))),
        Value::Timestamp(_) => Ok(format!("timestamp({})", quote_string(&plain(value)?))),
        Value::Duration(_) => Ok(format!("duration({})", quote_string(&plain(value)?))),
        Value::Double(value) if !value.is_finite() => Ok(quote_string(&format_double(*value))),
        Value::Double(value) => Ok(format!("{value:.6}")),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Type(_)
        | Value::List(_)
        | Value::Map(_) => plain(value),
        other => Err(format!("no formatting function for {}", other.type_name())),
    }
}
