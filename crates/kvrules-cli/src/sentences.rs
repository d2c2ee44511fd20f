//! Small helps for writing sentences.

use kvrules::Level;
pub(crate) use kvrules_diagnostics::{count_noun, join_words};

/// The first few of `names`, and how many more there are of what they name.
pub(crate) fn list_few<'a>(names: &[&'a str], noun: &str) -> String {
    const SHOWN: usize = 3;
    // "and 1 more" would take as much space as the name, so show the name.
    let shown: Vec<&'a str> =
        names.iter().copied().take(if names.len() == SHOWN + 1 { SHOWN + 1 } else { SHOWN }).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more {noun}s", shown.join(", ")),
    }
}

/// `2 errors, 1 warning`, or `no findings`, of findings with these levels.
pub(crate) fn describe_levels(found: impl Iterator<Item = Level>) -> String {
    let nouns = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Info, "note")];
    let found: Vec<Level> = found.collect();
    let counts = nouns.map(|(level, noun)| (found.iter().filter(|found| **found == level).count(), noun));
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    let words: Vec<String> = counts.map(|(number, noun)| count_noun(number, noun)).collect();
    if words.is_empty() { "no findings".to_owned() } else { words.join(", ") }
}

/// A text in lines of at most so many characters, broken between words. A word that is longer has a line to itself.
pub(crate) fn wrap_lines(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap_lines("an ox ate it", 5), ["an ox", "ate", "it"].map(String::from));
        assert_eq!(wrap_lines("a longest word", 4), ["a", "longest", "word"].map(String::from));
        assert!(wrap_lines("", 5).is_empty());
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(
            (count_noun(0, "rule"), count_noun(1, "rule")),
            ("0 rules".to_owned(), "1 rule".to_owned())
        );
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(list_few(&["a", "b"], "set"), "a, b");
        assert_eq!(list_few(&["a", "b", "c", "d"], "set"), "a, b, c, d");
        assert_eq!(list_few(&["a", "b", "c", "d", "e"], "set"), "a, b, c and 2 more sets");
    }
}
