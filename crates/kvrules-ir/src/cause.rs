//! Causes for which a rule is left out of every target.

use std::fmt;

/// Cause for which a rule has no meaning that targets could express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmissionCause {
    /// Kind of the cause.
    pub kind: OmissionKind,
    /// The cause in one sentence.
    pub text: String,
}

/// The sorts of causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmissionKind {
    /// Something in the rule is missing, of the wrong type, or cannot be read.
    Unreadable,
    /// The kind of the rule is not known.
    UnknownRule,
    /// A path does not parse.
    PathSyntax,
    /// The regular expression does not parse, or is too large to run.
    Regex,
    /// A path names a field that its object does not have, or indexes what is not a list.
    UnknownField,
    /// A path uses a construct that no predicate says.
    PathConstruct,
    /// An argument can yield more than one value.
    ManyValues,
}

impl OmissionCause {
    /// A cause of this sort.
    pub fn new(kind: OmissionKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    /// Something in the rule cannot be read.
    pub fn unreadable_rule(text: impl Into<String>) -> Self {
        Self::new(OmissionKind::Unreadable, text)
    }
}

impl fmt::Display for OmissionCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
