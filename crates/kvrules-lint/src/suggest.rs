//! Did you mean?

use kvrules_diagnostics::find_nearest;
use kvrules_elaborate::annotation::{ALL_KEYS, Key};
use kvrules_syntax::{Entry, SyntaxKind};

use crate::RuleView;

/// The entries of a rule whose keys no version of the annotation knows, except those that are private by their name.
pub(crate) fn unknown_keys<'a>(rule: &RuleView<'a>) -> impl Iterator<Item = Entry<'a>> {
    rule.node.entries().filter(|entry| {
        let key = entry.key.text();
        let private = key.starts_with("x-") || entry.key.is_merge_key();
        entry.key.kind() == SyntaxKind::String && !private && Key::from_text(key).is_none()
    })
}

/// The known key that an unknown one is a misspelling of, if the rule lacks that key.
pub(crate) fn intended_key(rule: &RuleView<'_>, unknown: &str) -> Option<Key> {
    let missing = ALL_KEYS.into_iter().filter(|key| rule.find_entry(*key).is_none());
    find_nearest(unknown, missing.map(Key::as_str)).and_then(Key::from_text)
}
