//! `int`, `string` and their kind, `type`, `dyn`, `size`.

use std::sync::Arc;

use super::{EvalResult, Native, no_such_overload};
use crate::go_text::format_double;
use crate::value::duration::{duration_text, parse_duration};
use crate::value::time::Timestamp;
use crate::value::{EvalError, Value};

pub(super) fn find_conversion(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("size", _) => |args| {
            one(args, |value| {
                // Addresses have a size only for the cost of calls, and no `size` function.
                let sized = Some(value).filter(|it| !matches!(it, Value::Ip(_) | Value::Cidr(..)));
                sized.and_then(Value::cel_size).map_or_else(no_such_overload, |size| {
                    Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
                })
            })
        },
        ("type", false) => |args| one(args, |value| Ok(Value::Type(value.type_name().into()))),
        ("dyn", false) => |args| one(args, |value| Ok(value.clone())),
        ("bool", false) => |args| one(args, to_bool),
        ("bytes", false) => |args| one(args, to_bytes),
        ("double", false) => |args| one(args, to_double),
        ("int", false) => |args| one(args, to_int),
        ("uint", false) => |args| one(args, to_uint),
        ("string", false) => |args| one(args, to_string),
        ("duration", false) => |args| one(args, to_duration),
        ("timestamp", false) => |args| one(args, to_timestamp),
        _ => return None,
    })
}

fn one(args: &[Value], convert: fn(&Value) -> EvalResult) -> EvalResult {
    match args {
        [Value::Invalid(_) | Value::Unknown(_)] => {
            args.first().cloned().ok_or_else(EvalError::no_such_overload)?.into_result()
        }
        [arg] => convert(arg),
        _ => no_such_overload(),
    }
}

fn conversion_error(to: &str) -> EvalError {
    let to = match to {
        "duration" => "google.protobuf.Duration",
        "timestamp" => "google.protobuf.Timestamp",
        other => other,
    };
    EvalError::new(format!("type conversion error from 'string' to '{to}'"))
}

// cel-go common/types/string.go, ConvertToType: strconv.ParseBool
fn to_bool(value: &Value) -> EvalResult {
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::String(text) => match text.as_ref() {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Bool(false)),
            _ => Err(conversion_error("bool")),
        },
        _ => no_such_overload(),
    }
}

fn to_bytes(value: &Value) -> EvalResult {
    match value {
        Value::Bytes(_) => Ok(value.clone()),
        Value::String(text) => Ok(Value::Bytes(text.as_bytes().into())),
        _ => no_such_overload(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "conversion to the nearest double is what is asked for")]
fn to_double(value: &Value) -> EvalResult {
    match value {
        Value::Double(_) => Ok(value.clone()),
        Value::Int(value) => Ok(Value::Double(*value as f64)),
        Value::Uint(value) => Ok(Value::Double(*value as f64)),
        Value::String(text) => {
            parse_double(text).map(Value::Double).ok_or_else(|| conversion_error("double"))
        }
        _ => no_such_overload(),
    }
}

// cel-go common/types/string.go, ConvertToType: strconv.ParseInt with base 10, so that `0x10` is an error
#[expect(clippy::cast_possible_truncation, reason = "the range is checked, and truncation is the meaning")]
fn to_int(value: &Value) -> EvalResult {
    let out_of_range = || EvalError::new("integer overflow");
    match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Uint(value) => i64::try_from(*value).map(Value::Int).map_err(|_| out_of_range()),
        Value::Double(value) if value.abs() < 9_223_372_036_854_775_808.0 => Ok(Value::Int(*value as i64)),
        Value::Double(_) => Err(out_of_range()),
        Value::String(text) => text.parse().map(Value::Int).map_err(|_| conversion_error("int")),
        Value::Timestamp(time) => Ok(Value::Int(time.seconds)),
        Value::Duration(nanos) => Ok(Value::Int(*nanos)),
        _ => no_such_overload(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked, and truncation is the meaning"
)]
// cel-go common/types/string.go, ConvertToType: strconv.ParseUint takes no sign, while Rust takes a plus
fn to_uint(value: &Value) -> EvalResult {
    let out_of_range = || EvalError::new("unsigned integer overflow");
    match value {
        Value::Uint(_) => Ok(value.clone()),
        Value::Int(value) => u64::try_from(*value).map(Value::Uint).map_err(|_| out_of_range()),
        Value::Double(value) if *value >= 0.0 && *value < 18_446_744_073_709_551_616.0 => {
            Ok(Value::Uint(*value as u64))
        }
        Value::Double(_) => Err(out_of_range()),
        Value::String(text) if text.starts_with('+') => Err(conversion_error("uint")),
        Value::String(text) => text.parse().map(Value::Uint).map_err(|_| conversion_error("uint")),
        _ => no_such_overload(),
    }
}

fn to_string(value: &Value) -> EvalResult {
    to_string_value(value).map(Value::String)
}

/// The text of a value.
pub(super) fn to_string_value(value: &Value) -> Result<Arc<str>, EvalError> {
    Ok(match value {
        Value::String(text) => Arc::clone(text),
        Value::Bool(value) => value.to_string().into(),
        Value::Int(value) => value.to_string().into(),
        Value::Uint(value) => value.to_string().into(),
        Value::Double(value) => format_double(*value).into(),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => return Err(EvalError::new("invalid UTF-8 in bytes, cannot convert to string")),
        },
        Value::Timestamp(time) => time.to_rfc3339().into(),
        Value::Duration(nanos) => duration_text(*nanos).into(),
        Value::Ip(address) => address.to_string().into(),
        Value::Cidr(address, prefix) => format!("{address}/{prefix}").into(),
        _ => return Err(EvalError::no_such_overload()),
    })
}

/// A double as Go reads it: numbers that are too large are refused, and there are hexadecimal ones.
// strconv/atof.go, ParseFloat
fn parse_double(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        return parse_hexadecimal(text);
    }
    let named = |name: &str| unsigned.eq_ignore_ascii_case(name);
    if unsigned.len() < text.len() && named("nan") {
        return None;
    }
    let is_named = named("nan") || named("inf") || named("infinity");
    text.parse::<f64>().ok().filter(|number| number.is_finite() || is_named)
}

/// `0x1.8p3`: digits, which may have `_` between them, and a power of two.
fn parse_hexadecimal(text: &str) -> Option<f64> {
    let negative = text.starts_with('-');
    let digits = text.get(text.find(['x', 'X'])? + 1..)?;
    let (digits, power) = digits.split_once(['p', 'P'])?;
    let plain = digits.replace('_', "");
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let all: String = [whole, fraction].concat();
    // Up to 13 digits have at most 52 bits, which a double represents exactly; longer numbers are not supported.
    let mantissa = u64::from_str_radix(&all, 16).ok().filter(|_| all.len() <= 13)?;
    let power: i32 = power.parse().ok()?;
    let shift = power.checked_sub(i32::try_from(fraction.len()).ok()? * 4)?;
    #[expect(clippy::cast_precision_loss, reason = "at most 52 bits")]
    let number = mantissa as f64 * 2_f64.powi(shift);
    number.is_finite().then_some(if negative { -number } else { number })
}

fn to_duration(value: &Value) -> EvalResult {
    match value {
        Value::Duration(_) => Ok(value.clone()),
        Value::Int(nanos) => Ok(Value::Duration(*nanos)),
        Value::String(text) => {
            parse_duration(text).map(Value::Duration).ok_or_else(|| conversion_error("duration"))
        }
        _ => no_such_overload(),
    }
}

// cel-go common/types/string.go and int.go, ConvertToType: only the years 1 to 9999
fn to_timestamp(value: &Value) -> EvalResult {
    match value {
        Value::Timestamp(_) => Ok(value.clone()),
        Value::Int(seconds) => Timestamp::from_seconds(*seconds, 0).map(Value::Timestamp),
        Value::String(text) => {
            let time = Timestamp::parse(text).ok_or_else(|| conversion_error("timestamp"))?;
            time.in_range().map(Value::Timestamp)
        }
        _ => no_such_overload(),
    }
}
