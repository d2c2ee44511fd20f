//! `format`: templates with `%s`, `%d` and their kind.

use super::{Result1, conversions::double_text};
use crate::value::time::duration_text;
use crate::value::{EvalError, Value};

/// Fills a template.
pub(super) fn format(template: &str, values: &[Value]) -> Result1 {
    let mut text = String::new();
    let mut chars = template.chars().peekable();
    let mut values = values.iter();
    let mut used = 0_usize;
    while let Some(char) = chars.next() {
        if char != '%' {
            text.push(char);
            continue;
        }
        if chars.peek() == Some(&'%') {
            chars.next();
            text.push('%');
            continue;
        }
        let precision = precision(&mut chars)?;
        let Some(verb) = chars.next() else { return Err(EvalError::new("unexpected end of string")) };
        let Some(value) = values.next() else {
            return Err(EvalError::new(format!("index {used} out of range")));
        };
        used += 1;
        let part = clause(verb, precision, value);
        text.push_str(&part.map_err(|reason| EvalError::new(format!("error during formatting: {reason}")))?);
    }
    Ok(Value::string(text))
}

fn precision(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<usize, EvalError> {
    if chars.next_if_eq(&'.').is_none() {
        return Ok(6);
    }
    let mut digits = String::new();
    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    let precision: Option<usize> = digits.parse().ok().filter(|precision| *precision <= 1000);
    precision.ok_or_else(|| EvalError::new("error while converting precision to integer"))
}

fn clause(verb: char, precision: usize, value: &Value) -> Result<String, String> {
    match verb {
        's' => plain(value),
        'd' => match value {
            Value::Int(value) => Ok(value.to_string()),
            Value::Uint(value) => Ok(value.to_string()),
            Value::Double(value) if !value.is_finite() => plain(&Value::Double(*value)),
            other => refused("decimal clause can only be used on integers", other),
        },
        'f' | 'e' => number(verb, precision, value),
        'b' => match value {
            Value::Bool(value) => Ok(i32::from(*value).to_string()),
            Value::Int(value) => Ok(signed(*value, format!("{:b}", value.unsigned_abs()))),
            Value::Uint(value) => Ok(format!("{value:b}")),
            other => refused("only integers and bools can be formatted as binary", other),
        },
        'o' => match value {
            Value::Int(value) => Ok(signed(*value, format!("{:o}", value.unsigned_abs()))),
            Value::Uint(value) => Ok(format!("{value:o}")),
            other => refused("octal clause can only be used on integers", other),
        },
        'x' => hexadecimal(value),
        'X' => hexadecimal(value).map(|text| text.to_uppercase()),
        other => Err(format!("could not parse formatting clause: unrecognized formatting clause {other:?}")),
    }
}

fn refused(rule: &str, value: &Value) -> Result<String, String> {
    Err(format!("{rule}, was given {}", value.type_name()))
}

fn signed(value: i64, digits: String) -> String {
    if value < 0 { format!("-{digits}") } else { digits }
}

#[expect(clippy::cast_precision_loss, reason = "a number is shown with few digits")]
fn number(verb: char, precision: usize, value: &Value) -> Result<String, String> {
    let value = match value {
        Value::Double(value) => *value,
        Value::Int(value) => *value as f64,
        Value::Uint(value) => *value as f64,
        other if verb == 'f' => return refused("fixed-point clause can only be used on doubles", other),
        other => return refused("scientific clause can only be used on doubles", other),
    };
    if !value.is_finite() {
        return plain(&Value::Double(value));
    }
    if verb == 'f' {
        return Ok(format!("{value:.precision$}"));
    }
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    Ok(format!("{digits}e{sign}{:02}", exponent.abs()))
}

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
        other => refused("only integers, byte buffers, and strings can be formatted as hex", other),
    }
}

/// `%s`
fn plain(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) if value.is_nan() => "NaN".to_owned(),
        Value::Double(value) if value.is_infinite() => {
            if *value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
        }
        Value::Double(value) => double_text(*value),
        Value::String(text) | Value::Type(text) => text.to_string(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Timestamp(time) => time.text(),
        Value::Duration(nanos) => duration_text(*nanos),
        Value::List(list) => {
            let items = list.items.iter().map(plain).collect::<Result<Vec<_>, _>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let entry = |(key, value): (&crate::value::Key, &Value)| {
                Ok::<_, String>(format!("{}: {}", plain(&key.value())?, plain(value)?))
            };
            let entries = map.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
            format!("{{{}}}", entries.join(", "))
        }
        other => {
            let rule = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, \
                        durations, and timestamps";
            return refused(rule, other);
        }
    })
}
