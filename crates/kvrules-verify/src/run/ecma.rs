//! Expressions of ECMA-262 with the `u` flag, for an engine that reads one thing otherwise.
//!
//! The `jsonschema` crate gives `\d`, `\w` and `\s` the meaning of ECMA-262 and hands `\b` and `\B` on to an engine whose
//! words are those of Unicode. With `u` and without `i`, a word of ECMA-262 (22.2.2.9, `WordCharacters`) is made of
//! `A-Z`, `a-z`, `0-9` and `_` alone.

/// Between a word and what is none.
const BOUNDARY: &str = "(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))";

/// Between two characters of a word, or two of none.
const NO_BOUNDARY: &str = "(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))";

/// The expression with each `\b` and `\B` outside of classes spelled out. Inside of one, `\b` is a backspace.
pub(super) fn with_ascii_words(pattern: &str) -> String {
    let mut spelled = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('b') if !in_class => spelled.push_str(BOUNDARY),
                Some('B') if !in_class => spelled.push_str(NO_BOUNDARY),
                escaped => spelled.extend(std::iter::once('\\').chain(escaped)),
            },
            char => {
                in_class = char == '[' || (in_class && char != ']');
                spelled.push(char);
            }
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let schema = json!({"pattern": with_ascii_words(pattern)});
        jsonschema::draft202012::new(&schema).is_ok_and(|schema| schema.is_valid(&json!(text)))
    }

    #[test]
    fn a_word_ends_before_a_letter_beyond_ascii() {
        assert!(matches(r"\bvirtio\b", "virtioé"));
        assert!(matches(r"\bvirtio\b", "a virtio"));
        assert!(!matches(r"\bvirtio\b", "virtiox"));
        assert!(!matches(r"\Bx", "éx"));
        assert!(matches(r"\Bx", "xx"));
        assert!(matches(r"^\B$", ""));
    }

    #[test]
    fn what_is_escaped_or_in_a_class_stays() {
        for pattern in [r"\\b", r"[\b]", r"[^[\b\]]", r"\u{1F600}", r"\d+"] {
            assert_eq!(with_ascii_words(pattern), pattern);
        }
    }

    #[test]
    fn digits_and_words_are_those_of_ascii_and_blanks_are_not() {
        assert!(!matches(r"^\d$", "٣"));
        assert!(!matches(r"^\w$", "é"));
        assert!(matches(r"^\s$", "\u{2003}"));
    }
}
