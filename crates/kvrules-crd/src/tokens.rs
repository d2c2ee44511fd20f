//! Words and signs of an expression that may not parse.

use std::ops::Range;

/// The word or the sign at an offset of an expression.
pub(crate) fn token_range(source: &str, offset: usize) -> Range<usize> {
    let rest = source.get(offset..).unwrap_or_default();
    let word =
        |text: &str| text.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(text.len());
    let len = match rest.chars().next() {
        // At the end of the text, mark the last character or operator instead.
        None => {
            let last = source.trim_end();
            let one = last.char_indices().next_back().map_or(0, |(at, _)| at);
            let two = OPERATORS.into_iter().find(|sign| sign.len() == 2 && last.ends_with(sign));
            return two.map_or(one, |sign| last.len() - sign.len())..last.len();
        }
        Some(char) if char.is_alphanumeric() || char == '_' => word(rest),
        // For an opening bracket, mark the name of the function before it.
        Some('(') => {
            let before = source.get(..offset).unwrap_or_default();
            let name = before.trim_end_matches(|char: char| char.is_alphanumeric() || char == '_');
            return if name.len() < offset { name.len()..offset } else { offset..offset + 1 };
        }
        // For a dot, mark the field or function after it.
        Some('.') => {
            let name = rest.trim_start_matches(['.', '?']);
            rest.len() - name.len() + word(name)
        }
        Some('\'' | '"') => {
            let quote = rest.chars().next().unwrap_or('"');
            rest.chars()
                .skip(1)
                .position(|char| char == quote || char == '\n')
                .map_or(rest.len(), |at| rest.chars().take(at + 2).map(char::len_utf8).sum())
        }
        Some(char) => {
            let two = ["==", "!=", "<=", ">=", "&&", "||"].into_iter().any(|sign| rest.starts_with(sign));
            if two { 2 } else { char.len_utf8() }
        }
    };
    offset..offset + len
}

/// Operators that need something behind them, the longer ones first.
pub(crate) const OPERATORS: [&str; 14] =
    ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!"];
