//! Regular expressions: RE2 as Go reads it.

use kvrules_regex::Finder;

use super::{Native, Result1, overload};
use crate::value::{ErrorKind, EvalError, Value};

pub(super) fn find(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("matches", _) => |args| match args {
            [Value::String(text), Value::String(pattern)] => {
                Ok(Value::Bool(compile(pattern)?.is_match(text)))
            }
            _ => overload(),
        },
        ("find", true) => |args| match args {
            [Value::String(text), Value::String(pattern)] => {
                let found = finder(pattern)?.find_iter(text).next().unwrap_or_default().to_owned();
                Ok(Value::string(found))
            }
            _ => overload(),
        },
        ("findAll", true) => |args| match args {
            [Value::String(text), Value::String(pattern)] => find_all(text, pattern, None),
            [Value::String(text), Value::String(pattern), Value::Int(most)] => {
                find_all(text, pattern, usize::try_from(*most).ok())
            }
            _ => overload(),
        },
        _ => return None,
    })
}

fn find_all(text: &str, pattern: &str, most: Option<usize>) -> Result1 {
    let regex = finder(pattern)?;
    let found = regex.find_iter(text).map(Value::string);
    Ok(Value::list(found.take(most.unwrap_or(usize::MAX)).collect()))
}

/// The pattern of `find` and `findAll`.
// apiserver pkg/cel/library/regex.go, find and findAll
fn finder(pattern: &str) -> Result<Finder, EvalError> {
    compile(pattern).map_err(|error| match error.kind {
        ErrorKind::Plain => EvalError::new(format!("Illegal regex: {error}")),
        _ => error,
    })
}

fn compile(pattern: &str) -> Result<Finder, EvalError> {
    let parsed = kvrules_regex::parse(pattern).map_err(|error| EvalError::new(error.go_text()))?;
    parsed.finder().map_err(|_| EvalError::unsupported("a regular expression as large as this"))
}
