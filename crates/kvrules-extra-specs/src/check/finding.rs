//! A finding about a pair.

use kvrules_diagnostics::Level;

/// A finding about a key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Kind of the finding.
    pub kind: FindingKind,
    /// Severity. An error means that the pair is rejected.
    pub level: Level,
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
    /// Message, in one sentence with the key.
    pub message: String,
    /// The words of Nova, where Nova refuses the pair too.
    pub nova: Option<String>,
    /// Instruction for the user.
    pub help: Option<String>,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// The value is not one that the definition allows.
    InvalidValue,
    /// The namespace is known and the key is not.
    UnknownKey,
    /// Nothing is defined in the namespace of the key.
    UnknownNamespace,
    /// The key has no namespace and is not defined.
    Undefined,
    /// The name of a definition with its parameters was used as a key.
    TemplateKey,
    /// The key fits a definition only because a parameter takes what looks like a slip.
    AccidentalMatch,
    /// The extra spec should not be used any more.
    Deprecated,
    /// The extra spec may change.
    Experimental,
    /// The value is read as something that it does not look like.
    UnusualSpelling,
    /// A pattern that cannot be decided.
    Undecided,
}

impl FindingKind {
    /// A stable word for reports: `invalid-value`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidValue => "invalid-value",
            Self::UnknownKey => "unknown-key",
            Self::UnknownNamespace => "unknown-namespace",
            Self::Undefined => "undefined",
            Self::TemplateKey => "template-key",
            Self::AccidentalMatch => "accidental-match",
            Self::Deprecated => "deprecated",
            Self::Experimental => "experimental",
            Self::UnusualSpelling => "unusual-spelling",
            Self::Undecided => "undecided",
        }
    }
}

impl Finding {
    pub(super) fn new(
        kind: FindingKind,
        level: Level,
        key: &str,
        value: &str,
        message: impl Into<String>,
    ) -> Self {
        let (key, value, message) = (key.to_owned(), value.to_owned(), message.into());
        Self { kind, level, key, value, message, nova: None, help: None }
    }

    /// True if the pair is rejected.
    pub fn is_rejection(&self) -> bool {
        self.level == Level::Error
    }
}
