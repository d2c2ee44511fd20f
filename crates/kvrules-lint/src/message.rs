//! The message of a rule, as the lints on messages look at it.

use kvrules_elaborate::annotation::Key;
use kvrules_syntax::{Node, SyntaxKind};

use crate::RuleView;

/// Words that every text has, and that do not describe a rule.
const COMMON: [&str; 14] =
    ["a", "an", "and", "are", "be", "has", "have", "is", "must", "not", "of", "that", "the", "this"];

/// The message, if it is a text that is not empty. An empty one is an error of its own.
pub(crate) fn message_node<'a>(rule: &RuleView<'a>) -> Option<Node<'a>> {
    let node = rule.key_value(Key::Message).filter(|node| node.kind() == SyntaxKind::String)?;
    (!rule.uncertain && !node.text().is_empty()).then_some(node)
}

/// Words that may stand between those of a name and change nothing.
const BETWEEN: [&str; 5] = ["a", "an", "and", "of", "the"];

/// True if a string contains no word.
pub(crate) fn is_blank(text: &str) -> bool {
    !text.contains(char::is_alphanumeric)
}

/// True if every word of a message is in the rule's name.
pub(crate) fn repeats_name(rule: &RuleView<'_>, message: &str) -> bool {
    let Some(name) = rule.key_value(Key::Name).and_then(Node::as_str) else { return false };
    let named = message_words(name);
    // Iterates lazily, because most messages have a word outside of the name near their beginning.
    let mut wording = words_of(message).filter(|word| !BETWEEN.contains(&word.as_str())).peekable();
    wording.peek().is_some() && wording.all(|word| named.contains(&word))
}

/// The words of a text in lower case; `bootOrder` is two of them.
pub(crate) fn message_words(text: &str) -> Vec<String> {
    words_of(text).collect()
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    let mut rest = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    std::iter::from_fn(move || {
        let mut small = false;
        let ends = |c: char| {
            let ends = !c.is_alphanumeric() || (small && c.is_uppercase());
            small = c.is_lowercase();
            ends
        };
        let (word, after) = rest.split_at_checked(rest.find(ends).unwrap_or(rest.len()))?;
        rest = after.trim_start_matches(|c: char| !c.is_alphanumeric());
        (!word.is_empty()).then(|| word.to_lowercase())
    })
}

/// True if a word carries no meaning by itself.
pub(crate) fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
}

/// A word without the ending of a plural.
pub(crate) fn singular_word(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_a_capital_begins() {
        assert_eq!(
            message_words("the bootOrder of disk-1 (.spec)"),
            ["the", "boot", "order", "of", "disk", "1", "spec"]
        );
        assert_eq!(message_words("CPU"), ["cpu"]);
        assert_eq!(message_words(" …! "), [""; 0]);
    }

    #[test]
    fn a_text_of_marks_alone_is_blank() {
        assert!(is_blank(" ") && is_blank("...") && is_blank("\u{200b}"));
        assert!(!is_blank("m") && !is_blank("内存不足"));
    }
}
