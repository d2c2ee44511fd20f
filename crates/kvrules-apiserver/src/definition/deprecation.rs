//! The warning of a deprecated version.

use kvrules_cel::go_text::is_print;

use super::internal::DefinitionVersion;

/// The most bytes of a warning.
const MOST_BYTES: usize = 256;

/// Returns the problems of the deprecation warning of a version.
// apiextensions validation.go, validateDeprecationWarning
pub(super) fn deprecation_problems(version: &DefinitionVersion<'_>) -> Vec<String> {
    let Some(warning) = version.warning else { return Vec::new() };
    if !version.is_deprecated {
        return vec!["can only be set for deprecated versions".to_owned()];
    }
    let mut problems = Vec::new();
    // Counts bytes, although the message speaks of characters.
    if warning.len() > MOST_BYTES {
        problems.push("must be <= 256 characters long".to_owned());
    }
    if warning.is_empty() {
        problems.push("must not be an empty string".to_owned());
    }
    // Only the first such character is reported, by its byte. Go's `unicode.IsPrint` is false for control characters
    // too, so the server's separate check for those never applies.
    if let Some((at, _)) = warning.char_indices().find(|(_, char)| !is_print(*char)) {
        problems.push(format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {at}"
        ));
    }
    problems
}
