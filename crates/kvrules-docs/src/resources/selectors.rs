//! Label selectors in words.

use kvrules_pages::fact::Piece;
use serde_json::Value as Json;

use super::values::{items_of, join_codes, text_of, texts_of, words_piece};

/// Returns the requirements of a label selector, each in words; empty if it selects everything.
pub(super) fn selector_words(selector: &Json) -> Vec<Vec<Piece>> {
    let labels = selector.get("matchLabels").and_then(Json::as_object).into_iter().flatten();
    let labels = labels.map(|(key, value)| {
        let mut line = vec![words_piece("label "), Piece::of_code(key), words_piece(" is ")];
        line.push(Piece::of_code(value.as_str().unwrap_or_default()));
        line
    });
    labels.chain(items_of(selector, "/matchExpressions").map(expression_words)).collect()
}

fn expression_words(expression: &Json) -> Vec<Piece> {
    let key = Piece::of_code(text_of(expression, "/key"));
    let values = texts_of(expression, "/values");
    let with_values = |words: &'static str| {
        let mut line = vec![words_piece("label "), key.clone(), words_piece(words)];
        line.extend(join_codes(&values, "or"));
        line
    };
    match text_of(expression, "/operator") {
        "In" => with_values(" is "),
        "NotIn" => with_values(" is absent or not "),
        "Exists" => vec![words_piece("has the label "), key.clone()],
        "DoesNotExist" => vec![words_piece("has no label "), key.clone()],
        other => vec![words_piece("label "), key.clone(), words_piece(" "), Piece::of_code(other)],
    }
}
