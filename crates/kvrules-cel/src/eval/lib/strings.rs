//! Strings, in code points.

use super::{EvalResult, Native, display, int_value, lists, no_such_overload, template};
use crate::value::{EvalError, Value};

pub(super) fn find_string_function(name: &str, member: bool) -> Option<Native> {
    if !member {
        return (name == "strings.quote").then_some(quote as Native);
    }
    Some(match name {
        "contains" => |args| two(args, |text, part| Value::Bool(text.contains(part))),
        "startsWith" => |args| two(args, |text, part| Value::Bool(text.starts_with(part))),
        "endsWith" => |args| two(args, |text, part| Value::Bool(text.ends_with(part))),
        "lowerAscii" => |args| one(args, str::to_ascii_lowercase),
        "upperAscii" => |args| one(args, str::to_ascii_uppercase),
        "trim" => |args| one(args, |text| text.trim().to_owned()),
        "charAt" => char_at,
        "substring" => substring,
        "indexOf" => |args| index_of(args, false),
        "lastIndexOf" => |args| index_of(args, true),
        "replace" => replace,
        "split" => split,
        "join" => join,
        "format" => |args| match args {
            [Value::String(text), Value::List(values)] => template::format_template(text, &values.items),
            _ => no_such_overload(),
        },
        _ => return None,
    })
}

fn one(args: &[Value], work: fn(&str) -> String) -> EvalResult {
    match args {
        [Value::String(text)] => Ok(Value::string(work(text))),
        _ => no_such_overload(),
    }
}

fn two(args: &[Value], work: fn(&str, &str) -> Value) -> EvalResult {
    match args {
        [Value::String(text), Value::String(part)] => Ok(work(text, part)),
        _ => no_such_overload(),
    }
}

fn out_of_range(index: i64) -> EvalError {
    EvalError::new(format!("index out of range: {index}"))
}

/// The byte offset of a code point; the length is the last.
fn offset(text: &str, index: i64) -> Result<usize, EvalError> {
    let position = usize::try_from(index).map_err(|_| out_of_range(index))?;
    let mut offsets = text.char_indices().map(|(offset, _)| offset).chain(std::iter::once(text.len()));
    offsets.nth(position).ok_or_else(|| out_of_range(index))
}

// cel-go ext/strings.go, charAt: the length is an index, of the empty string
fn char_at(args: &[Value]) -> EvalResult {
    let [Value::String(text), Value::Int(index)] = args else { return no_such_overload() };
    let rest = text.get(offset(text, *index)?..).unwrap_or_default();
    Ok(Value::string(rest.chars().take(1).collect::<String>()))
}

// cel-go ext/strings.go, substr and substrRange
fn substring(args: &[Value]) -> EvalResult {
    let (text, start, end) = match args {
        [Value::String(text), Value::Int(start)] => (text, *start, None),
        [Value::String(text), Value::Int(start), Value::Int(end)] => (text, *start, Some(*end)),
        _ => return no_such_overload(),
    };
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(EvalError::new(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let from = offset(text, start)?;
    let to = end.map_or(Ok(text.len()), |end| offset(text, end))?;
    Ok(Value::string(text.get(from..to).unwrap_or_default()))
}

/// Also for lists, where Kubernetes has the same names.
// cel-go ext/strings.go, indexOfOffset and lastIndexOfOffset
fn index_of(args: &[Value], last: bool) -> EvalResult {
    match args {
        [Value::List(items), item] => Ok(lists::element_index(items, item, last)),
        [Value::String(text), Value::String(part)] => {
            let found = if last { text.rfind(part.as_ref()) } else { text.find(part.as_ref()) };
            Ok(code_points(text, found))
        }
        // The empty string is found at any start position, even outside of the text.
        [Value::String(_), Value::String(part), Value::Int(from)] if part.is_empty() => Ok(Value::Int(*from)),
        [Value::String(_), Value::String(_), Value::Int(from)] if *from < 0 => Err(out_of_range(*from)),
        [Value::String(text), Value::String(part), Value::Int(from)] => {
            let Ok(start) = offset(text, *from) else { return Ok(Value::Int(-1)) };
            if start == text.len() {
                return Ok(Value::Int(-1));
            }
            let found = if last {
                text.match_indices(part.as_ref()).map(|(at, _)| at).take_while(|at| *at <= start).last()
            } else {
                text.get(start..).and_then(|rest| rest.find(part.as_ref())).map(|at| at + start)
            };
            Ok(code_points(text, found))
        }
        _ => no_such_overload(),
    }
}

fn code_points(text: &str, offset: Option<usize>) -> Value {
    let before = offset.and_then(|offset| text.get(..offset));
    before.map_or(Value::Int(-1), |before| int_value(before.chars().count()))
}

// cel-go ext/strings.go, replaceN: a negative number means no limit
fn replace(args: &[Value]) -> EvalResult {
    let (text, from, to, most) = match args {
        [Value::String(text), Value::String(from), Value::String(to)] => (text, from, to, -1),
        [Value::String(text), Value::String(from), Value::String(to), Value::Int(most)] => {
            (text, from, to, *most)
        }
        _ => return no_such_overload(),
    };
    Ok(Value::string(match usize::try_from(most) {
        Ok(most) => text.replacen(from.as_ref(), to, most),
        Err(_) => text.replace(from.as_ref(), to),
    }))
}

// cel-go ext/strings.go, splitN; strings, SplitN: a limit of 0 gives no parts, and an empty separator splits characters
fn split(args: &[Value]) -> EvalResult {
    let (text, separator, most) = match args {
        [Value::String(text), Value::String(separator)] => (text, separator, -1),
        [Value::String(text), Value::String(separator), Value::Int(most)] => (text, separator, *most),
        _ => return no_such_overload(),
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if most == 0 {
        return Ok(Value::from_items(Vec::new()));
    }
    let parts: Vec<Value> = if separator.is_empty() {
        characters(text, most)
    } else {
        text.splitn(most, separator.as_ref()).map(Value::from).collect()
    };
    Ok(Value::from_items(parts))
}

/// Each character, the last part with what is beyond the number of parts.
fn characters(text: &str, most: usize) -> Vec<Value> {
    let mut rest = text;
    let mut parts = Vec::new();
    while let Some(char) = rest.chars().next() {
        if parts.len() + 1 == most {
            parts.push(Value::from(rest));
            break;
        }
        let (first, after) = rest.split_at_checked(char.len_utf8()).unwrap_or((rest, ""));
        parts.push(Value::from(first));
        rest = after;
    }
    parts
}

/// Joins strings. The first element decides the overload (`defaultIsAssignableRuntimeType`); later ones may still fail.
// cel-go ext/strings.go, joinValSeparator
fn join(args: &[Value]) -> EvalResult {
    let (list, separator) = match args {
        [Value::List(list)] => (list, ""),
        [Value::List(list), Value::String(separator)] => (list, separator.as_ref()),
        _ => return no_such_overload(),
    };
    let mut parts = Vec::new();
    for (index, item) in list.items.iter().enumerate() {
        match item {
            Value::String(text) => parts.push(text.to_string()),
            _ if index == 0 => return no_such_overload(),
            other => {
                let message = format!("join: invalid input: {}", go_value(other)?);
                return Err(EvalError::new(message));
            }
        }
    }
    Ok(Value::string(parts.join(separator)))
}

/// A value as `%v` of Go shows it, where that is the value's own text.
fn go_value(value: &Value) -> Result<String, EvalError> {
    match value {
        Value::Null => Ok("0".to_owned()),
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) => Ok(display(value)),
        other => {
            Err(EvalError::unsupported_feature(format!("the text of a `{}` in an error", other.type_name())))
        }
    }
}

// cel-go ext/strings.go, quote: unlike strconv.Quote it keeps all characters that have no short escape
fn quote(args: &[Value]) -> EvalResult {
    let [Value::String(text)] = args else { return no_such_overload() };
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\u{b}' => quoted.push_str("\\v"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    Ok(Value::string(quoted))
}
