//! Texts of strangers, made fit for one line of a terminal.

use std::borrow::Cow;

/// `text` with what would move the cursor, break the line or turn the reading direction written as an escape. Names and
/// values come from clusters, where whoever may write an object chooses them.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let escape = |character: char| match character {
        harmful if is_harmful(harmful) => harmful.escape_default().to_string(),
        harmless => harmless.to_string(),
    };
    Cow::Owned(text.chars().map(escape).collect())
}

fn is_harmful(character: char) -> bool {
    let separator = matches!(character, '\u{2028}' | '\u{2029}');
    let direction =
        matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || separator || direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repaints_the_terminal_is_written_as_an_escape() {
        assert_eq!(plain("a\nb\u{1b}[2J\u{202e}é"), "a\\nb\\u{1b}[2J\\u{202e}é");
        assert!(matches!(plain("naïve `名`"), Cow::Borrowed(_)));
    }
}
