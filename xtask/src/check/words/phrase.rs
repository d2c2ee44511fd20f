//! Phrases: words in a row, matched without regard to case and with nothing but white space between them.
//!
//! `a|b` matches either word, `tell*` every word with that beginning, `*` any word, and `^` before the first word the
//! beginning of a text.

use std::ops::Range;

use super::mask::FILL;

/// A pattern of the list.
#[derive(Debug)]
pub(super) struct Phrase {
    is_at_start: bool,
    steps: Vec<Vec<Choice>>,
}

/// Pattern for a single word.
#[derive(Debug)]
enum Choice {
    Word(String),
    Prefix(String),
}

/// The words of a text, in lower case.
pub(super) struct Words {
    words: Vec<Word>,
}

struct Word {
    text: String,
    range: Range<usize>,
    /// True if only white space is between it and the word before it.
    follows: bool,
    /// True if it is the first word of the text.
    opens: bool,
}

impl Phrase {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (is_at_start, rest) = match text.strip_prefix("^ ") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let choice = |word: &str| match word.strip_suffix('*') {
            Some(start) => Choice::Prefix(start.to_lowercase()),
            None => Choice::Word(word.to_lowercase()),
        };
        let steps: Vec<Vec<Choice>> =
            rest.split_whitespace().map(|step| step.split('|').map(choice).collect()).collect();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-' | '|' | '*' | ' ');
        if steps.is_empty() || !rest.chars().all(is_word) {
            return Err(format!(
                "invalid phrase `{text}`; write words, `a|b`, `prefix*`, or `^` at the start"
            ));
        }
        Ok(Self { is_at_start, steps })
    }

    /// The places where it occurs.
    pub(super) fn matches(&self, words: &Words) -> Vec<Range<usize>> {
        let windows = words.words.windows(self.steps.len());
        let found = windows.filter(|window| {
            (!self.is_at_start || window[0].opens)
                && window[1..].iter().all(|word| word.follows)
                && self
                    .steps
                    .iter()
                    .zip(*window)
                    .all(|(choices, word)| choices.iter().any(|c| c.accepts(&word.text)))
        });
        found.map(|window| window[0].range.start..window[window.len() - 1].range.end).collect()
    }
}

impl Choice {
    fn accepts(&self, word: &str) -> bool {
        match self {
            Self::Word(text) => word == text,
            Self::Prefix(text) => word.starts_with(text.as_str()),
        }
    }
}

impl Words {
    pub(super) fn split(text: &str) -> Self {
        let mut words: Vec<Word> = Vec::new();
        let (mut follows, mut start) = (true, None);
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            // An apostrophe or a hyphen inside a word belongs to it.
            let inside = c.is_alphanumeric() || c == '_' || start.is_some() && matches!(c, '\'' | '’' | '-');
            match (start, inside) {
                (None, true) => start = Some(at),
                (Some(from), false) => {
                    let range = from..at;
                    let opens = words.is_empty() && !text[..from].contains(['`', FILL]);
                    words.push(Word { text: text[range.clone()].to_lowercase(), range, follows, opens });
                    (start, follows) = (None, c.is_whitespace());
                }
                (None, false) => follows &= c.is_whitespace() || matches!(c, '*' | '"'),
                (Some(_), true) => {}
            }
        }
        Self { words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occurs(phrase: &str, text: &str) -> bool {
        !Phrase::parse(phrase).unwrap().matches(&Words::split(text)).is_empty()
    }

    #[test]
    fn a_phrase_matches_whole_words_across_lines() {
        assert!(occurs("there is none", "where There is\n    none."));
        assert!(!occurs("there is none", "there is nonesuch"));
        assert!(!occurs("there is none", "there is, none"));
        assert!(!occurs("whole number", "a whole-number"));
    }

    #[test]
    fn choices_and_prefixes_match_one_word() {
        assert!(occurs("is|are tol*", "they are told"));
        assert!(!occurs("is|are tol*", "they are still told"));
    }

    #[test]
    fn a_phrase_can_be_bound_to_the_start() {
        assert!(occurs("^ what", " What it is"));
        assert!(!occurs("^ what", "It is what"));
        assert!(!occurs("^ what", "``` what"));
    }

    #[test]
    fn punctuation_is_no_phrase() {
        assert!(Phrase::parse("a, b").is_err());
        assert!(Phrase::parse("^ ").is_err());
    }
}
