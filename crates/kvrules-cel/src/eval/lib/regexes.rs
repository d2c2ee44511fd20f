//! Regular expressions: RE2 as Go reads it.

use kvrules_regex::{CompileError, Finder};

use super::{EvalResult, Native, no_such_overload};
use crate::value::{ErrorKind, EvalError, Value};

pub(super) fn find_regex_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("matches", _) => |args| match args {
            [Value::String(text), Value::String(pattern)] => Ok(Value::Bool(is_match(text, pattern)?)),
            _ => no_such_overload(),
        },
        ("find", true) => |args| match args {
            [Value::String(text), Value::String(pattern)] => {
                let found = finder(pattern)?.find_iter(text).next().unwrap_or_default().to_owned();
                Ok(Value::string(found))
            }
            _ => no_such_overload(),
        },
        ("findAll", true) => |args| match args {
            [Value::String(text), Value::String(pattern)] => find_all(text, pattern, None),
            [Value::String(text), Value::String(pattern), Value::Int(most)] => {
                find_all(text, pattern, usize::try_from(*most).ok())
            }
            _ => no_such_overload(),
        },
        _ => return None,
    })
}

/// Only `\B` needs an engine for characters; the other is compiled for the patterns of rules already.
fn is_match(text: &str, pattern: &str) -> Result<bool, EvalError> {
    if pattern.contains("\\B") {
        return compile(pattern).map(|finder| finder.is_match(text));
    }
    kvrules_regex::compile_matcher(pattern).map(|matcher| matcher.is_match(text)).map_err(to_eval_error)
}

fn find_all(text: &str, pattern: &str, most: Option<usize>) -> EvalResult {
    let regex = finder(pattern)?;
    let found = regex.find_iter(text).map(Value::string);
    Ok(Value::from_items(found.take(most.unwrap_or(usize::MAX)).collect()))
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
    kvrules_regex::compile_finder(pattern).map_err(to_eval_error)
}

fn to_eval_error(error: CompileError) -> EvalError {
    match error {
        CompileError::Syntax(error) => EvalError::new(error.go_text()),
        CompileError::Matcher(_) => EvalError::unsupported_feature("a regular expression as large as this"),
    }
}
