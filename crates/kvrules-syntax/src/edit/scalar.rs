//! Scalars as their place asks for them.

use std::fmt::Write as _;

use kvrules_diagnostics::render::needs_escape;

use crate::{NodeStyle, Notation, yaml11};

/// A value to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarEdit<'v> {
    /// A string.
    Text(&'v str),
    /// A number, `true`, `false`, `null`, or a whole list: JSON on one line, written as it is.
    Literal(&'v str),
}

/// A value in place of a scalar of this style.
pub(super) fn write_scalar(value: ScalarEdit<'_>, notation: Notation, style: NodeStyle) -> Option<String> {
    match (notation, value) {
        (Notation::Yaml, ScalarEdit::Literal(literal)) => one_line(literal),
        (Notation::Yaml, ScalarEdit::Text(text)) => write_yaml_string(text, style),
        (_, ScalarEdit::Literal(literal)) => notation.escape_json(literal),
        (_, ScalarEdit::Text(text)) => notation.escape_json(&quote_json(text)),
    }
}

fn one_line(text: &str) -> Option<String> {
    (!text.contains(['\n', '\r'])).then(|| text.to_owned())
}

/// A string of YAML, in the style that its place has where that can hold it.
fn write_yaml_string(text: &str, style: NodeStyle) -> Option<String> {
    match style {
        NodeStyle::Plain if is_plain(text) => Some(text.to_owned()),
        NodeStyle::Single if !text.contains(needs_escape) => Some(format!("'{}'", text.replace('\'', "''"))),
        NodeStyle::Plain | NodeStyle::Single | NodeStyle::Double => Some(quote_json(text)),
        NodeStyle::Literal | NodeStyle::Folded => None,
    }
}

/// True if a text is a string without quotation marks. False if that is not obvious.
fn is_plain(text: &str) -> bool {
    let mut chars = text.chars();
    let begins = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '_');
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '.' | '-' | ':' | '$');
    let word = text.to_ascii_lowercase();
    chars.next().is_some_and(begins)
        && chars.all(goes_on)
        && !text.ends_with(':')
        && !matches!(word.as_str(), "true" | "false" | "null")
        && yaml11::parse_boolean(&word).is_none()
}

/// A text in double quotation marks: a string of JSON, which is one of YAML too.
///
/// ```
/// assert_eq!(kvrules_syntax::edit::quote_json("a \"b\"\n"), r#""a \"b\"\n""#);
/// ```
pub fn quote_json(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // None of them lies beyond the first plane, so four digits are enough.
            c if needs_escape(c) => _ = write!(quoted, "\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_yaml_would_take_for_something_else_is_quoted() {
        for text in ["", "no", "1", "-a", "a: b", "a:", "[a]", "*a", "#a", "a b", ".5", "é", "${{A}}"] {
            assert!(
                write_yaml_string(text, NodeStyle::Plain).is_some_and(|written| written.starts_with('"')),
                "{text}"
            );
        }
        for text in ["jsonpath::.spec.domain", "a-b", "/spec"] {
            assert_eq!(write_yaml_string(text, NodeStyle::Plain).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_backslash_is_doubled_once_for_each_notation() {
        let inside =
            |style| write_scalar(ScalarEdit::Text(r"\d'"), Notation::Json(Some(style)), NodeStyle::Double);
        assert_eq!(inside(NodeStyle::Literal).as_deref(), Some(r#""\\d'""#));
        assert_eq!(inside(NodeStyle::Single).as_deref(), Some(r#""\\d''""#));
        assert_eq!(inside(NodeStyle::Double).as_deref(), Some(r#"\"\\\\d'\""#));
        assert_eq!(inside(NodeStyle::Plain), None);
        assert_eq!(write_yaml_string("it's", NodeStyle::Single).as_deref(), Some("'it''s'"));
    }
}
