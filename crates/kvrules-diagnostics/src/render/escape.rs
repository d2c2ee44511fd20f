//! Texts that may hold anything, made fit for one line of a terminal or a log.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` with what would move the cursor, break the line or turn the reading direction written as an escape.
///
/// Messages quote rule authors, and a rule may come from a stranger: a bare escape sequence could repaint the
/// terminal, and a bidirectional override could make one text look like another.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, harmful)
}

/// As [`line`], but line breaks stay: for help texts, which may take several lines.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    escape(text, |character| character != '\n' && harmful(character))
}

fn escape(text: &str, unfit: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&unfit) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if unfit(character) {
            // Writing to a `String` does not fail.
            let _ = write!(escaped, "{}", character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

fn harmful(character: char) -> bool {
    let separator = matches!(character, '\u{2028}' | '\u{2029}');
    let direction =
        matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || separator || direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_passed_on_as_it_is() {
        assert!(matches!(line("naïve `名`"), Cow::Borrowed("naïve `名`")));
    }

    #[test]
    fn control_characters_become_escapes() {
        assert_eq!(line("a\tb\nc\u{1b}[31m\u{202e}"), "a\\tb\\nc\\u{1b}[31m\\u{202e}");
    }

    #[test]
    fn line_breaks_stay_in_texts_of_several_lines() {
        assert_eq!(lines("a\nb\r"), "a\nb\\r");
    }
}
