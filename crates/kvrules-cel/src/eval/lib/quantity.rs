//! Resource quantities.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{EvalResult, Native, no_such_overload};
use crate::value::quantity::KubeQuantity;
use crate::value::{EvalError, Value};

pub(super) fn find_quantity_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("quantity", false) => |args| match args {
            [Value::String(text)] => Ok(Value::Quantity(Arc::new(KubeQuantity::parse(text)?))),
            _ => no_such_overload(),
        },
        ("isQuantity", false) => |args| match args {
            [Value::String(text)] => Ok(Value::Bool(KubeQuantity::parse(text).is_ok())),
            _ => no_such_overload(),
        },
        ("sign", false) => |args| one(args, |quantity| Ok(Value::Int(quantity.sign()))),
        ("isInteger", true) => |args| one(args, |quantity| Ok(Value::Bool(quantity.as_integer().is_some()))),
        ("asInteger", true) => |args| one(args, as_integer),
        ("asApproximateFloat", true) => |args| one(args, |quantity| Ok(Value::Double(quantity.as_double()))),
        ("add", true) => |args| arithmetic(args, false),
        ("sub", true) => |args| arithmetic(args, true),
        ("compareTo", true) => |args| compared(args, |ordering| Value::Int(ordering as i64)),
        ("isGreaterThan", true) => |args| compared(args, |ordering| Value::Bool(ordering.is_gt())),
        ("isLessThan", true) => |args| compared(args, |ordering| Value::Bool(ordering.is_lt())),
        _ => return None,
    })
}

fn one(args: &[Value], work: fn(&KubeQuantity) -> EvalResult) -> EvalResult {
    match args {
        [Value::Quantity(quantity)] => work(quantity),
        _ => no_such_overload(),
    }
}

// apiserver pkg/cel/library/quantity.go, quantityGetValue
fn as_integer(quantity: &KubeQuantity) -> EvalResult {
    quantity.as_integer().map(Value::Int).ok_or_else(|| EvalError::new("cannot convert value to integer"))
}

// apiserver pkg/cel/library/quantity.go, quantityAdd, quantityAddInt, quantitySub and quantitySubInt
fn arithmetic(args: &[Value], negated: bool) -> EvalResult {
    let sum = match args {
        [Value::Quantity(left), Value::Quantity(right)] => left.add_signed(right, negated)?,
        [Value::Quantity(left), Value::Int(right)] => {
            left.add_signed(&KubeQuantity::from_int(*right), negated)?
        }
        _ => return no_such_overload(),
    };
    Ok(Value::Quantity(Arc::new(sum)))
}

/// Versions are compared by functions of the same names.
fn compared(args: &[Value], answer: fn(Ordering) -> Value) -> EvalResult {
    match args {
        [Value::Quantity(left), Value::Quantity(right)] => Ok(answer(left.compare_to(right))),
        [Value::Semver(left), Value::Semver(right)] => Ok(answer(left.compare_precedence(right))),
        _ => no_such_overload(),
    }
}
