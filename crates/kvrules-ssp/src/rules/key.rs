//! The keys of a rule.

use crate::schema::fold;

/// A key that rules may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
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

const KEYS: [(&str, Key); 12] = [
    ("rule", Key::Rule),
    ("name", Key::Name),
    ("path", Key::Path),
    ("message", Key::Message),
    ("valid", Key::Valid),
    ("justWarning", Key::JustWarning),
    ("values", Key::Values),
    ("min", Key::Min),
    ("max", Key::Max),
    ("minLength", Key::MinLength),
    ("maxLength", Key::MaxLength),
    ("regex", Key::Regex),
];

/// The key of that name, in whatever case (E014, E015), and how errors name it.
pub(super) fn key(text: &str) -> Option<(&'static str, Key)> {
    let exact = KEYS.iter().find(|(name, _)| *name == text);
    let folded = || {
        let folded = fold(text)?;
        KEYS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&folded))
    };
    exact.or_else(folded).copied()
}
