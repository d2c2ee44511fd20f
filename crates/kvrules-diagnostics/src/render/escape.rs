//! Texts that may hold anything, made fit for one line of a terminal or a log.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` with what would move the cursor, break the line or turn the reading direction written as an escape.
///
/// Messages quote rule authors, and a rule may come from a stranger: a bare escape sequence could repaint the
/// terminal, and a bidirectional override could make one text look like another.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    escape_chars(text, is_harmful)
}

/// As [`escape_line`], but line breaks stay: for help texts, which may take several lines.
pub(super) fn escape_lines(text: &str) -> Cow<'_, str> {
    escape_chars(text, |character| character != '\n' && is_harmful(character))
}

/// `text`, laid out in lines already, with what would move the cursor or turn the reading direction written as an escape.
///
/// Tabs stay, and so do carriage returns that end a line, so that a difference of files with such line ends still applies.
///
/// ```
/// use kvrules_diagnostics::render::laid_out;
/// assert_eq!(laid_out("a\tb\r\n\u{1b}[2Jc\rd"), "a\tb\r\n\\u{1b}[2Jc\\rd");
/// ```
pub fn laid_out(text: &str) -> Cow<'_, str> {
    if !text.contains(|character| !is_layout(character) && is_harmful(character)) && !has_return_inside(text)
    {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix("\r\n") {
            Some(line) => (line, "\r\n"),
            None => line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n")),
        };
        escaped += &escape_chars(line, |character| character != '\t' && is_harmful(character));
        escaped += end;
    }
    Cow::Owned(escaped)
}

fn is_layout(character: char) -> bool {
    matches!(character, '\n' | '\t' | '\r')
}

fn has_return_inside(text: &str) -> bool {
    text.split('\n').any(|line| line.strip_suffix('\r').unwrap_or(line).contains('\r'))
        || text.ends_with('\r')
}

/// A JSON document with what would move the cursor or turn the reading direction written as JSON escapes: the values stay.
///
/// JSON has such characters in its strings alone, where `\uXXXX` means the same; the line breaks between values stay.
///
/// ```
/// use kvrules_diagnostics::render::json_text;
/// assert_eq!(json_text("[\n\"\u{9b}2J\"\n]"), "[\n\"\\u009b2J\"\n]");
/// ```
pub fn json_text(text: &str) -> Cow<'_, str> {
    let is_unfit = |character: char| !is_layout(character) && is_harmful(character);
    if !text.contains(is_unfit) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_unfit(character) {
            // None of them lies beyond the first plane, so four digits are enough.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Characters of a source that a terminal acts upon, replaced by others of the same length, so that offsets stay true.
/// Those of one byte are left: what draws the source has signs for them.
pub(super) fn same_length(text: &str) -> Cow<'_, str> {
    let is_unfit = |character: char| !character.is_ascii() && is_harmful(character);
    if !text.contains(is_unfit) {
        return Cow::Borrowed(text);
    }
    let replacement = |character: char| match character.len_utf8() {
        2 => '\u{b7}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    Cow::Owned(text.chars().map(|char| if is_unfit(char) { replacement(char) } else { char }).collect())
}

fn escape_chars(text: &str, unfit: impl Fn(char) -> bool) -> Cow<'_, str> {
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

/// True if a character is better written as an escape in a file: terminals and editors act upon it, or it cannot be seen. Line breaks
/// and tabs are among them.
///
/// ```
/// use kvrules_diagnostics::render::needs_escape;
/// assert!(['\u{1b}', '\u{85}', '\u{202e}', '\u{2028}', '\u{feff}'].into_iter().all(needs_escape));
/// assert!(!['a', 'é', '名', '\u{a0}'].into_iter().any(needs_escape));
/// ```
pub fn needs_escape(character: char) -> bool {
    character == '\u{feff}' || is_harmful(character)
}

/// True if a terminal acts upon a character and does not only show it.
pub(super) fn is_harmful(character: char) -> bool {
    let separator = matches!(character, '\u{2028}' | '\u{2029}');
    let direction = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    character.is_control() || separator || direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_passed_on_as_it_is() {
        assert!(matches!(escape_line("naïve `名`"), Cow::Borrowed("naïve `名`")));
    }

    #[test]
    fn control_characters_become_escapes() {
        assert_eq!(escape_line("a\tb\nc\u{1b}[31m\u{202e}"), "a\\tb\\nc\\u{1b}[31m\\u{202e}");
    }

    #[test]
    fn what_is_laid_out_keeps_its_lines() {
        assert!(matches!(laid_out("a\tb\r\nc\n"), Cow::Borrowed(_)));
        assert_eq!(laid_out("a\r\n\rb\u{9b}\r"), "a\r\n\\rb\\u{9b}\\r");
    }

    #[test]
    fn json_means_the_same_with_escapes() {
        let value = serde_json::json!({"\u{202e}a": "\u{7f}\u{85}\u{2028}\n\u{1f600}"});
        let text = serde_json::to_string_pretty(&value).unwrap();
        let escaped = json_text(&text);
        assert!(!escaped.contains(|character| character != '\n' && is_harmful(character)), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }

    #[test]
    fn what_is_replaced_in_a_source_keeps_its_length() {
        let text = "a\u{9b}\u{202e}\u{61c}b\u{1b}";
        let replaced = same_length(text);
        assert_eq!((replaced.len(), replaced.as_ref()), (text.len(), "a\u{b7}\u{fffd}\u{b7}b\u{1b}"));
    }

    #[test]
    fn line_breaks_stay_in_texts_of_several_lines() {
        assert_eq!(escape_lines("a\nb\r"), "a\nb\\r");
    }
}
