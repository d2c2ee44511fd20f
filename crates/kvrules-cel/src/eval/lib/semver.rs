//! Semantic versions; their comparison is next to that of quantities.

use std::sync::Arc;

use super::{EvalResult, Native, no_such_overload};
use crate::value::semver::Semver;
use crate::value::{EvalError, Value};

pub(super) fn find_semver_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("semver", false) => |args| Ok(Value::Semver(Arc::new(parse(args)?))),
        ("isSemver", false) => |args| match parse(args) {
            Err(error) if error == EvalError::no_such_overload() => Err(error),
            parsed => Ok(Value::Bool(parsed.is_ok())),
        },
        ("major", true) => |args| part(args, |[major, _, _]| major),
        ("minor", true) => |args| part(args, |[_, minor, _]| minor),
        ("patch", true) => |args| part(args, |[_, _, patch]| patch),
        _ => return None,
    })
}

fn parse(args: &[Value]) -> Result<Semver, EvalError> {
    match args {
        [Value::String(text)] => Semver::parse(text, false),
        [Value::String(text), Value::Bool(normalize)] => Semver::parse(text, *normalize),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn part(args: &[Value], pick: fn([u64; 3]) -> u64) -> EvalResult {
    match args {
        [Value::Semver(version)] => Ok(Value::Int(i64::try_from(pick(version.numbers)).unwrap_or(i64::MAX))),
        _ => no_such_overload(),
    }
}
