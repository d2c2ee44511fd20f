//! Titles of the hundreds of the codes. `cargo xtask codegen` reads the titles off this text for the book.

/// A group of lints: the prefix of their codes, and its title.
///
/// ```
/// let (prefix, title) = kvrules_lint::find_group("KV205").unwrap();
/// assert_eq!((prefix, title), ("KV2", "Paths"));
/// ```
pub type LintGroup = (&'static str, &'static str);

/// Every group, ordered by prefix.
#[rustfmt::skip]
pub static GROUPS: &[LintGroup] = &[
    ("KV0", "Reading YAML and JSON"),
    ("KV1", "Shape of rules"),
    ("KV2", "Paths"),
    ("KV3", "Presence of fields"),
    ("KV4", "Arguments"),
    ("KV5", "Regular expressions"),
    ("KV6", "Relations between rules"),
    ("KV7", "Messages"),
    ("KV8", "Units and deprecated paths"),
    ("KV9", "Deployed validator, targets, ignores, extra specs, and Kubernetes definitions and policies"),
];

/// The group of a code.
pub fn find_group(code: &str) -> Option<LintGroup> {
    GROUPS.iter().copied().find(|(prefix, _)| code.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LINTS;

    #[test]
    fn every_lint_is_in_a_group() {
        for lint in LINTS {
            assert!(find_group(lint.code).is_some(), "{}", lint.code);
        }
    }

    #[test]
    fn groups_are_ordered_and_their_prefixes_differ() {
        assert!(GROUPS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
