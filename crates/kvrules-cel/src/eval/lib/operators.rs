//! Operators on values.

use std::cmp::Ordering;

use super::{EvalResult, Native};
use crate::ast::operators;
use crate::value::{EvalError, Value};

/// The operator of a name.
pub(in crate::eval) fn find(name: &str) -> Option<Native> {
    Some(match name {
        operators::EQUALS => |args| binary(args, |a, b| a.try_equals(b).map(Value::Bool)),
        operators::NOT_EQUALS => |args| binary(args, |a, b| a.differs_from(b).map(Value::Bool)),
        operators::LESS => |args| ordered(args, Ordering::is_lt),
        operators::LESS_EQUALS => |args| ordered(args, Ordering::is_le),
        operators::GREATER => |args| ordered(args, Ordering::is_gt),
        operators::GREATER_EQUALS => |args| ordered(args, Ordering::is_ge),
        operators::ADD => |args| binary(args, add),
        operators::SUBTRACT => |args| binary(args, subtract),
        operators::MULTIPLY => |args| binary(args, multiply),
        operators::DIVIDE => |args| binary(args, divide),
        operators::MODULO => |args| binary(args, modulo),
        operators::NEGATE => |args| unary(args, negate),
        operators::NOT => |args| unary(args, not),
        operators::IN => |args| binary(args, contained),
        _ => return None,
    })
}

fn unary(args: &[Value], operator: fn(&Value) -> EvalResult) -> EvalResult {
    match args {
        [arg] => operator(arg),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn binary(args: &[Value], operator: fn(&Value, &Value) -> EvalResult) -> EvalResult {
    match args {
        [left, right] => operator(left, right),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn ordered(args: &[Value], test: fn(Ordering) -> bool) -> EvalResult {
    let [left, right] = args else { return Err(EvalError::no_such_overload()) };
    match left.try_compare(right)? {
        Some(ordering) => Ok(Value::Bool(test(ordering))),
        None => Err(EvalError::new("NaN values cannot be ordered")),
    }
}

fn overflow(kind: &str) -> impl FnOnce() -> EvalError {
    let message = format!("{kind} overflow");
    move || EvalError::new(message)
}

/// Integer overflow has the same message for both kinds of integers, as in the server.
fn int_overflow() -> EvalError {
    EvalError::new("integer overflow")
}

fn uint_overflow() -> EvalError {
    EvalError::new("unsigned integer overflow")
}

// cel-go common/types: Add of each type; common/types/overflow.go, addInt64Checked and its siblings
fn add(left: &Value, right: &Value) -> EvalResult {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int).ok_or_else(int_overflow),
        (Value::Uint(a), Value::Uint(b)) => a.checked_add(*b).map(Value::Uint).ok_or_else(uint_overflow),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a + b)),
        (Value::String(a), Value::String(b)) => Ok(Value::string(format!("{a}{b}"))),
        (Value::Bytes(a), Value::Bytes(b)) => Ok(Value::Bytes([a.as_ref(), b].concat().into())),
        (Value::List(a), Value::List(b)) => Ok(Value::List(a.concat(b)?.into())),
        (Value::Duration(a), Value::Duration(b)) => {
            a.checked_add(*b).map(Value::Duration).ok_or_else(overflow("duration"))
        }
        (Value::Timestamp(time), Value::Duration(by)) | (Value::Duration(by), Value::Timestamp(time)) => {
            time.add_duration(*by).map(Value::Timestamp)
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

fn subtract(left: &Value, right: &Value) -> EvalResult {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_sub(*b).map(Value::Int).ok_or_else(int_overflow),
        (Value::Uint(a), Value::Uint(b)) => a.checked_sub(*b).map(Value::Uint).ok_or_else(uint_overflow),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a - b)),
        (Value::Duration(a), Value::Duration(b)) => {
            a.checked_sub(*b).map(Value::Duration).ok_or_else(overflow("duration"))
        }
        (Value::Timestamp(a), Value::Timestamp(b)) => a.duration_since(*b).map(Value::Duration),
        (Value::Timestamp(time), Value::Duration(by)) => {
            let back = by.checked_neg().ok_or_else(overflow("duration"))?;
            time.add_duration(back).map(Value::Timestamp)
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

fn multiply(left: &Value, right: &Value) -> EvalResult {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_mul(*b).map(Value::Int).ok_or_else(int_overflow),
        (Value::Uint(a), Value::Uint(b)) => a.checked_mul(*b).map(Value::Uint).ok_or_else(uint_overflow),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a * b)),
        _ => Err(EvalError::no_such_overload()),
    }
}

// cel-go common/types/overflow.go, divideInt64Checked: the least integer divided by -1 overflows
fn divide(left: &Value, right: &Value) -> EvalResult {
    let by_zero = || EvalError::new("division by zero");
    match (left, right) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => Err(by_zero()),
        (Value::Int(a), Value::Int(b)) => a.checked_div(*b).map(Value::Int).ok_or_else(int_overflow),
        (Value::Uint(a), Value::Uint(b)) => a.checked_div(*b).map(Value::Uint).ok_or_else(by_zero),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a / b)),
        _ => Err(EvalError::no_such_overload()),
    }
}

// cel-go common/types/overflow.go, moduloInt64Checked
fn modulo(left: &Value, right: &Value) -> EvalResult {
    let by_zero = || EvalError::new("modulus by zero");
    match (left, right) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => Err(by_zero()),
        (Value::Int(a), Value::Int(b)) => a.checked_rem(*b).map(Value::Int).ok_or_else(int_overflow),
        (Value::Uint(a), Value::Uint(b)) => a.checked_rem(*b).map(Value::Uint).ok_or_else(by_zero),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn negate(value: &Value) -> EvalResult {
    match value {
        Value::Int(value) => value.checked_neg().map(Value::Int).ok_or_else(int_overflow),
        Value::Double(value) => Ok(Value::Double(-value)),
        Value::Duration(value) => value.checked_neg().map(Value::Duration).ok_or_else(overflow("duration")),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn not(value: &Value) -> EvalResult {
    match value {
        Value::Bool(value) => Ok(Value::Bool(!value)),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// `in`: an element of a list or a key of a map.
fn contained(item: &Value, container: &Value) -> EvalResult {
    match container {
        Value::List(list) => list.contains(item).map(Value::Bool),
        Value::Map(map) => map.find(item).map(|found| Value::Bool(found.is_some())),
        Value::Object(object) => object.find_key(item).map(|found| Value::Bool(found.is_some())),
        _ => Err(EvalError::no_such_overload()),
    }
}
