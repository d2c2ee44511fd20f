//! Values of documents in words and as code.

use kvrules_apiserver::definition::keyword_value;
use kvrules_pages::fact::{Fact, FactValue, FixedWords, Piece};
use kvrules_pages::prose::text_code;
use serde_json::Value as Json;

/// Longer values are shown over several lines.
const LINE: usize = 80;

/// The text under a pointer; empty if there is none.
pub(super) fn text_of<'a>(value: &'a Json, pointer: &str) -> &'a str {
    value_under(value, pointer).and_then(Json::as_str).unwrap_or_default()
}

/// The value under a pointer. Most pointers are single keywords, which need no parsing.
fn value_under<'a>(value: &'a Json, pointer: &str) -> Option<&'a Json> {
    match pointer.strip_prefix('/') {
        Some(keyword) if !keyword.contains(['/', '~']) && value.is_object() => keyword_value(value, keyword),
        _ => value.pointer(pointer),
    }
}

/// The texts of a list under a pointer.
pub(super) fn texts_of<'a>(value: &'a Json, pointer: &str) -> Vec<&'a str> {
    items_of(value, pointer).filter_map(Json::as_str).collect()
}

/// The items of a list under a pointer.
pub(super) fn items_of<'a>(value: &'a Json, pointer: &str) -> impl Iterator<Item = &'a Json> + use<'a> {
    value_under(value, pointer).and_then(Json::as_array).into_iter().flatten()
}

/// True if a keyword is true.
pub(super) fn is_true(node: &Json, keyword: &str) -> bool {
    keyword_value(node, keyword) == Some(&Json::Bool(true))
}

/// A value as code: a string bare unless that misleads.
pub(super) fn value_code(value: &Json) -> String {
    match value {
        Json::String(text) if !reads_as_other(text) => text_code(text),
        Json::String(text) => format!("\"{text}\""),
        other => other.to_string(),
    }
}

/// True if a string looks like a number, a boolean or null.
fn reads_as_other(text: &str) -> bool {
    serde_json::from_str::<Json>(text).is_ok_and(|value| !value.is_string())
}

/// A fact with a value as code, over several lines if it is long.
pub(super) fn value_fact(kind: &str, label: &str, value: &Json) -> Fact {
    let line = value_code(value);
    let is_container = value.is_object() || value.is_array();
    if is_container && line.len() > LINE {
        let code = serde_json::to_string_pretty(value).unwrap_or(line);
        return code_fact(kind, label, code);
    }
    line_fact(kind, label, vec![Piece::Code(line)])
}

/// A fact of running text.
pub(super) fn line_fact(kind: &str, label: &str, line: Vec<Piece>) -> Fact {
    Fact { kind: kind.to_owned(), ..Fact::of_line(label, line) }
}

/// A fact of words.
pub(super) fn word_fact(kind: &str, label: &str, words: &'static str) -> Fact {
    line_fact(kind, label, vec![words_piece(words)])
}

/// A fact of several running texts; of one, that one.
pub(super) fn list_fact(kind: &str, label: &str, mut items: Vec<Vec<Piece>>) -> Fact {
    if items.len() < 2 {
        return line_fact(kind, label, items.pop().unwrap_or_default());
    }
    Fact { kind: kind.to_owned(), ..Fact::of_value(&label.into(), FactValue::List(items)) }
}

/// A fact of a block of code.
pub(super) fn code_fact(kind: &str, label: &str, code: impl Into<String>) -> Fact {
    Fact { kind: kind.to_owned(), ..Fact::of_value(&label.into(), FactValue::Code(code.into())) }
}

/// Words of kvrules.
pub(super) fn words_piece(words: &'static str) -> Piece {
    Piece::Words(words.into())
}

/// Running text in the middle of a line, with the blanks at its ends.
pub(super) fn text_pieces(text: &str) -> Vec<Piece> {
    let mark = [", ", "; ", " "].into_iter().find(|mark| text.starts_with(mark));
    let rest = text.strip_prefix(mark.unwrap_or_default()).unwrap_or(text);
    let inner = Some(rest.trim()).filter(|inner| !inner.is_empty());
    let after = inner.filter(|_| rest.ends_with(' ')).map(|_| words_piece(" "));
    [mark.map(words_piece), inner.map(Piece::of_text), after].into_iter().flatten().collect()
}

/// Values as code with `, ` between them and a word before the last: `a, b or c`.
pub(super) fn join_codes<T: AsRef<str>>(values: &[T], last: &'static str) -> Vec<Piece> {
    let mut line = Vec::new();
    for (index, value) in values.iter().enumerate() {
        match index {
            0 => {}
            index if index + 1 == values.len() => {
                line.push(Piece::Words(FixedWords::from_parts(&[" ", last, " "])));
            }
            _ => line.push(words_piece(", ")),
        }
        line.push(Piece::of_code(value.as_ref()));
    }
    line
}
