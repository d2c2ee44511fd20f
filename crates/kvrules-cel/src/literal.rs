//! Literals of the language.

use std::fmt::Write;

/// Returns a text as a literal in single quotes.
///
/// ```
/// assert_eq!(kvrules_cel::literal::to_string_literal("it's\n"), r"'it\'s\n'");
/// ```
pub fn to_string_literal(text: &str) -> String {
    let mut literal = String::from("'");
    for character in text.chars() {
        match character {
            '\'' => literal.push_str("\\'"),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            // YAML changes or refuses line separators and byte order marks, so they are escaped.
            control if control.is_control() || matches!(control, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(literal, "\\u{:04x}", u32::from(control));
            }
            other => literal.push(other),
        }
    }
    literal.push('\'');
    literal
}
