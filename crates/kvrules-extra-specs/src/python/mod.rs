//! Python's conversions of strings and numbers: `int`, `str`, `repr`, and the words for yes and no of oslo.

mod float;
mod int;
mod value;

pub use float::float_text;
pub use int::parse_int;
pub use value::{PyValue, string_repr};

/// The characters that `int` and `str.strip` drop at both ends: Unicode's white space.
// `int` drops the 25 characters with the property White_Space, which Rust tests for.
pub fn is_space(char: char) -> bool {
    char.is_whitespace()
}

/// Returns the result of `oslo_utils.strutils.bool_from_string` on a string in strict mode; `None` if it rejects it.
///
/// Unlike `int`, `str.strip` also drops U+001C to U+001F.
///
/// ```
/// use kvrules_extra_specs::python::parse_bool;
/// assert_eq!(parse_bool(" oFF"), Some(false));
/// assert_eq!(parse_bool("\u{1c}y"), Some(true));
/// assert_eq!(parse_bool("01"), None);
/// ```
// oslo.utils strutils.py, bool_from_string.
pub fn parse_bool(text: &str) -> Option<bool> {
    let word = text.trim_matches(|char| is_space(char) || ('\x1C'..='\x1F').contains(&char));
    // No letter beyond ASCII becomes one of the words in lower case, so str.lower is not needed in full.
    let word = word.to_ascii_lowercase();
    match word.as_str() {
        "1" | "t" | "true" | "on" | "y" | "yes" => Some(true),
        "0" | "f" | "false" | "off" | "n" | "no" => Some(false),
        _ => None,
    }
}

/// The words that mean yes, and those that mean no.
// oslo.utils strutils.py, TRUE_STRINGS and FALSE_STRINGS.
pub const BOOLEAN_WORDS: [&str; 12] =
    ["1", "t", "true", "on", "y", "yes", "0", "f", "false", "off", "n", "no"];
