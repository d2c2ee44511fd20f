//! Patterns for engines of other languages, which have neither Python's syntax nor its Unicode classes.

use kvrules_regex::python::{PatternDialect, PythonRegex};

/// A text with a character on which engines may disagree about classes: one beyond ASCII, or one of the separators that
/// Python alone takes for white space.
pub(crate) const FOREIGN: &str = r"[^\x00-\x1b\x20-\x7f]";

/// A pattern for other engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortablePattern {
    /// The pattern, tied to both ends of the text, with the classes of ASCII.
    pub(crate) text: String,
    /// True if the result is the same for every string, and not only for those in ASCII.
    pub(crate) exact: bool,
}

impl PortablePattern {
    /// None for what other engines have not.
    pub(crate) fn of(pattern: &str) -> Option<Self> {
        // The ASCII meaning of `\d`, `\w` and `\s` is the one that engines share.
        let ascii = PythonRegex::new(&format!("(?a:{pattern})")).ok()?;
        let printed =
            ascii.print_for(PatternDialect::Ecma).ok().filter(|printed| printed.inexact.is_empty())?;
        // If the flag does not change the tree, no class in the pattern depends on it.
        let same = PythonRegex::new(pattern).ok()?.ast() == ascii.ast();
        let unwrapped =
            || PythonRegex::new(&format!("(?:{pattern})")).is_ok_and(|regex| regex.ast() == ascii.ast());
        Some(Self { text: printed.text, exact: same || unwrapped() })
    }

    /// The pattern, which where it is not exact lets texts pass that other engines could misread.
    pub(crate) fn lenient(self) -> (String, bool) {
        if self.exact { (self.text, true) } else { (format!("{}|{FOREIGN}", self.text), false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_without_classes_is_exact_and_another_passes_what_it_cannot_judge() {
        let lenient = |pattern: &str| PortablePattern::of(pattern).map(PortablePattern::lenient);
        assert_eq!(lenient("a[b-d]+"), Some(("^a[b-d]+$".to_owned(), true)));
        let (text, exact) = lenient(r"\d+").unwrap_or_default();
        assert!(!exact && text.ends_with(FOREIGN), "{text}");
        assert_eq!(lenient("(a)?(?(1)b|c)"), None);
    }
}
