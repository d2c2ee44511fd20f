//! Regular expressions: RE2 as Go reads it.

use super::{Native, Result1, overload};
use crate::value::{EvalError, Value};

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
                let found = compile(pattern)?.find(text).map_or("", |found| found.as_str());
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
    let regex = compile(pattern)?;
    let found = regex.find_iter(text).map(|found| Value::string(found.as_str()));
    Ok(Value::list(found.take(most.unwrap_or(usize::MAX)).collect()))
}

/// The greatest compiled size in bytes, as for patterns of schemas.
const SIZE_LIMIT: usize = 128 << 20;

fn compile(pattern: &str) -> Result<regex::Regex, EvalError> {
    let parsed = kvrules_regex::parse(pattern).map_err(|error| EvalError::new(error.go_text()))?;
    regex::RegexBuilder::new(&parsed.to_rust())
        .size_limit(SIZE_LIMIT)
        .nest_limit(8192)
        .build()
        .map_err(|_| EvalError::unsupported("a regular expression as large as this"))
}
