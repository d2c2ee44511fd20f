//! Did you mean?

use kvrules_elaborate::annotation::{ALL_KEYS, Key};
use kvrules_syntax::{Entry, Kind};

use crate::RuleView;

/// The candidate that is spelled most like `word`, if one is near.
pub(crate) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let lower = word.to_lowercase();
    let score = |candidate: &&str| {
        // Letter case and separators are the likeliest slips.
        let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
        if plain(candidate) == plain(word) {
            1.0
        } else {
            strsim::jaro_winkler(&lower, &candidate.to_lowercase())
        }
    };
    let scored = candidates.into_iter().map(|candidate| (score(&candidate), candidate));
    scored
        .filter(|(score, _)| *score >= 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, name)| name)
}

/// The entries of a rule whose keys no version of the annotation knows, save those that are private by their name.
pub(crate) fn unknown_keys<'a>(rule: &RuleView<'a>) -> impl Iterator<Item = Entry<'a>> {
    rule.node.entries().filter(|entry| {
        let key = entry.key.text();
        let private = key.starts_with("x-") || key == "<<";
        entry.key.kind() == Kind::String && !private && Key::from_text(key).is_none()
    })
}

/// The known key that an unknown one is a misspelling of, if the rule lacks that key.
pub(crate) fn meant_key(rule: &RuleView<'_>, unknown: &str) -> Option<Key> {
    let missing = ALL_KEYS.into_iter().filter(|key| rule.entry(*key).is_none());
    nearest(unknown, missing.map(Key::as_str)).and_then(Key::from_text)
}
