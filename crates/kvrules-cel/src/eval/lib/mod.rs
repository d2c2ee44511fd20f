//! The functions themselves, one file for a library.

pub(super) mod conversions;
mod display;
pub(super) mod format;
pub(super) mod lists;
mod network;
pub(super) mod operators;
mod optional;
mod quantity;
mod regexes;
mod semver;
mod sets;
mod strings;
mod template;
mod time;
mod url;

use super::Result1;
use crate::value::{EvalError, Value};

pub(super) use display::display;
pub(crate) use url::is_url;

/// A function: its operands, the receiver first, to its result.
pub(super) type Native = fn(&[Value]) -> Result1;

/// The function of a name, called as a member or not.
pub(super) fn find(name: &str, member: bool) -> Option<Native> {
    let libraries: [fn(&str, bool) -> Option<Native>; 12] = [
        conversions::find,
        strings::find,
        regexes::find,
        lists::find,
        sets::find,
        optional::find,
        time::find,
        quantity::find,
        semver::find,
        network::find,
        url::find,
        format::find,
    ];
    libraries.iter().find_map(|library| library(name, member))
}

/// True if a failed call names its arguments' types: those of library functions do, those of the language do not.
pub(super) fn names_arguments(name: &str) -> bool {
    !matches!(name, "size" | "contains" | "startsWith" | "endsWith" | "matches" | "duration" | "timestamp")
        && !name.starts_with(['_', '@', '!', '-'])
        && !name.starts_with("get")
}

fn overload() -> Result1 {
    Err(EvalError::no_such_overload())
}

/// A length or position as the language has it.
fn int(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
