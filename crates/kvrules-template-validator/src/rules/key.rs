//! The keys of a rule.

use crate::schema::fold_key;

/// A key that rules may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleKey {
    Rule,
    Name,
    Path,
    Message,
    Valid,
    JustWarning,
    Values,
    Min,
    Max,
    MinLength,
    MaxLength,
    Regex,
}

// The tags of ssp-operator validation/rules.go, Rule.
const KEYS: [(&str, RuleKey); 12] = [
    ("rule", RuleKey::Rule),
    ("name", RuleKey::Name),
    ("path", RuleKey::Path),
    ("message", RuleKey::Message),
    ("valid", RuleKey::Valid),
    ("justWarning", RuleKey::JustWarning),
    ("values", RuleKey::Values),
    ("min", RuleKey::Min),
    ("max", RuleKey::Max),
    ("minLength", RuleKey::MinLength),
    ("maxLength", RuleKey::MaxLength),
    ("regex", RuleKey::Regex),
];

/// The key of that name, in whatever case (E014, E015), and how errors name it.
// encoding/json decode.go, decodeState.object: the exact name, or else the first field whose name is equal when folded.
pub(super) fn find_key(text: &str) -> Option<(&'static str, RuleKey)> {
    let exact = KEYS.iter().find(|(name, _)| *name == text);
    let folded = || {
        let folded = fold_key(text)?;
        // Folding turns all forms of an ASCII letter into its capital, so a comparison in ASCII is enough.
        KEYS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&folded))
    };
    exact.or_else(folded).copied()
}
