//! Optional values.

use super::{EvalResult, Native, no_such_overload};
use crate::value::{EvalError, Value};

pub(super) fn find_optional_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("optional.none", false) => |_| Ok(Value::Optional(None)),
        ("optional.of", false) => |args| match args {
            [value] => Ok(Value::optional_of(value.clone())),
            _ => no_such_overload(),
        },
        ("optional.ofNonZeroValue", false) => |args| match args {
            [value] if is_zero(value) => Ok(Value::Optional(None)),
            [value] => Ok(Value::optional_of(value.clone())),
            _ => no_such_overload(),
        },
        ("optional.unwrap", false) | ("unwrapOpt", true) => unwrap,
        ("hasValue", true) => |args| match args {
            [Value::Optional(value)] => Ok(Value::Bool(value.is_some())),
            _ => no_such_overload(),
        },
        ("value", true) => |args| match args {
            [Value::Optional(Some(value))] => Ok((**value).clone()),
            [Value::Optional(None)] => Err(EvalError::new("optional.none() dereference")),
            _ => no_such_overload(),
        },
        ("or", true) => |args| match args {
            [Value::Optional(Some(_)), Value::Optional(_)] => {
                args.first().cloned().ok_or_else(EvalError::no_such_overload)
            }
            [Value::Optional(None), other @ Value::Optional(_)] => Ok(other.clone()),
            _ => no_such_overload(),
        },
        ("orValue", true) => |args| match args {
            [Value::Optional(Some(value)), _] => Ok((**value).clone()),
            [Value::Optional(None), other] => Ok(other.clone()),
            _ => no_such_overload(),
        },
        _ => return None,
    })
}

// cel-go common/types, IsZeroValue of each type; a type without it is never zero
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Int(0) | Value::Uint(0) | Value::Duration(0) => true,
        Value::Double(value) => *value == 0.0,
        Value::Optional(value) => value.is_none(),
        Value::Timestamp(time) => time.seconds == -62_135_596_800 && time.nanos == 0,
        Value::String(_) | Value::Bytes(_) => value.cel_size() == Some(0),
        // apiserver pkg/cel/common valuesunstructured.go: the lists and maps of a schema have no IsZeroValue
        Value::List(list) => !list.is_declared() && list.items.is_empty(),
        Value::Map(map) => !map.is_declared && map.is_empty(),
        _ => false,
    }
}

fn unwrap(args: &[Value]) -> EvalResult {
    let [Value::List(list)] = args else { return no_such_overload() };
    let mut items = Vec::new();
    for item in &list.items {
        match item {
            Value::Optional(value) => items.extend(value.iter().map(|value| (**value).clone())),
            other => {
                let message = format!("value {} is not optional", super::display(other));
                return Err(EvalError::new(message));
            }
        }
    }
    Ok(Value::from_items(items))
}
