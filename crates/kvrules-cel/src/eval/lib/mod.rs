//! The functions themselves, one file for a library.

mod authorization;
pub(super) mod conversions;
mod display;
pub(super) mod format;
pub(super) mod lists;
pub(super) mod network;
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

use super::EvalResult;
use crate::value::{EvalError, Value};

pub(super) use display::display;
pub use url::is_url;

/// A function: its operands, the receiver first, to its result.
pub(super) type Native = fn(&[Value]) -> EvalResult;

/// The function of a name, called as a member or not.
pub(super) fn find_library_function(name: &str, member: bool) -> Option<Native> {
    let libraries: [fn(&str, bool) -> Option<Native>; 13] = [
        conversions::find_conversion,
        strings::find_string_function,
        regexes::find_regex_function,
        lists::find_list_function,
        sets::find_set_function,
        optional::find_optional_function,
        time::find_time_function,
        quantity::find_quantity_function,
        semver::find_semver_function,
        network::find_network_function,
        url::find_url_function,
        format::find_format_function,
        authorization::find_authorization_function,
    ];
    libraries.iter().find_map(|library| library(name, member))
}

/// True if a failed call names its arguments' types: those of library functions do, those of the language do not.
pub(super) fn names_arguments(name: &str) -> bool {
    !matches!(name, "size" | "contains" | "startsWith" | "endsWith" | "matches" | "duration" | "timestamp")
        && !name.starts_with(['_', '@', '!', '-'])
        && !name.starts_with("get")
}

fn no_such_overload() -> EvalResult {
    Err(EvalError::no_such_overload())
}

/// A length or position as the language has it.
fn int_value(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
