//! `sets.contains`, `sets.equivalent`, `sets.intersects`.

use super::{EvalResult, Native, no_such_overload};
use crate::value::{EvalError, List, Value};

pub(super) fn find_set_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("sets.contains", false) => |args| two(args, |left, right| subset(right, left)),
        ("sets.equivalent", false) => {
            |args| two(args, |left, right| Ok(subset(right, left)? && subset(left, right)?))
        }
        ("sets.intersects", false) => |args| two(args, intersects),
        _ => return None,
    })
}

fn two(args: &[Value], test: fn(&List, &List) -> Result<bool, EvalError>) -> EvalResult {
    match args {
        [Value::List(left), Value::List(right)] => test(left, right).map(Value::Bool),
        _ => no_such_overload(),
    }
}

// cel-go ext/sets.go, setsContains
fn subset(inner: &List, outer: &List) -> Result<bool, EvalError> {
    for item in &inner.items {
        if !outer.contains(item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

// cel-go ext/sets.go, setsIntersects
fn intersects(left: &List, right: &List) -> Result<bool, EvalError> {
    for item in &left.items {
        match right.contains(item) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            // An item that cannot be compared is not in the list.
            Err(error) if error.is_absorbed() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
