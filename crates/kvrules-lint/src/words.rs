//! User text inside messages.

use kvrules_syntax::{Kind, Node};

/// Longer texts are cut.
const MOST_SHOWN: usize = 60;

/// A text of the user in backticks: on one line, and not too long of it.
pub(crate) fn code(text: &str) -> String {
    let mut shown = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == MOST_SHOWN {
            shown.push('…');
            break;
        }
        match c {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            '`' => shown.push('\''),
            c if c.is_control() => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    format!("`{shown}`")
}

/// A list of words in backticks: `a`, `b` or `c`.
pub(crate) fn either(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| code(word)).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// What a value is, for "must be …, not …".
pub(crate) fn described(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Null => "null".to_owned(),
        Kind::True | Kind::False => format!("the word {}", code(node.text())),
        Kind::Number => format!("the number {}", code(node.text())),
        Kind::String => format!("the string {}", code(node.text())),
        Kind::Parameter => format!("{} without quotation marks", code(node.text())),
        Kind::List => "a list".to_owned(),
        Kind::Map => "an object".to_owned(),
        Kind::Hole | Kind::Alias => "nothing that can be read".to_owned(),
    }
}
