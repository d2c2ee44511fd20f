//! Regular expressions of Python, for readers.

use kvrules_pages::Text;
use kvrules_pages::document::PatternText;
use kvrules_pages::prose::{Prose, describe_pieces, pattern_code};
use kvrules_regex::Regex;
use kvrules_regex::python::PythonRegex;

/// An expression that the whole of a text must match, with a reading where one helps.
pub(super) fn pattern_text(source: &str) -> PatternText {
    PatternText {
        source: source.to_owned(),
        code: pattern_code(source),
        reading: pattern_reading(source).as_ref().map(Text::from_prose),
    }
}

/// The classes of Python are those of all scripts, which no list of ranges makes readable: those of ASCII are read, and
/// the rest is reported of.
fn pattern_reading(source: &str) -> Option<Prose> {
    let pieces = ascii_regex(source)?.describe_in_words()?;
    let wording = describe_pieces(&pieces);
    Some(if is_wider(source) { wording.text("; characters of other scripts also match") } else { wording })
}

/// The expression with the classes of ASCII, as whole texts are matched.
pub(super) fn ascii_regex(source: &str) -> Option<Regex> {
    let ascii = PythonRegex::new(&format!("(?a:{source})")).or_else(|_| PythonRegex::new(source)).ok()?;
    ascii.to_regex().ok()
}

/// True if the classes of Python take more than those of ASCII.
fn is_wider(source: &str) -> bool {
    let tree = |pattern: String| PythonRegex::new(&pattern).ok().map(|regex| regex.ast().clone());
    tree(format!("(?:{source})")) != tree(format!("(?a:{source})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_python_are_said_in_words() {
        let cases = [
            (r"\d+", Some("1 or more of 0–9; characters of other scripts also match")),
            ("[A-Z0-9_]+", Some("1 or more of A–Z, 0–9, `_`")),
            ("([a-zA-Z0-9_-]{1,64})?", Some("optionally 1 to 64 of a–z, A–Z, 0–9, `-`, `_`")),
            ("gold|silver", Some("exactly `gold` or `silver`")),
            (".+", Some("1 or more characters other than line breaks")),
            ("(", None),
        ];
        for (source, expected) in cases {
            assert_eq!(
                pattern_reading(source).map(|prose| prose.to_plain()).as_deref(),
                expected,
                "{source}"
            );
        }
    }
}
