//! A finding about a pair.

use kvrules_diagnostics::{Level, Lint};

use crate::lints;

/// A finding about a key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Lint that reports it.
    pub lint: &'static Lint,
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

impl Finding {
    pub(super) fn new(lint: &'static Lint, key: &str, value: &str, message: impl Into<String>) -> Self {
        let (key, value, message) = (key.to_owned(), value.to_owned(), message.into());
        Self { lint, level: lint.level, key, value, message, nova: None, help: None }
    }

    /// True if no definition takes the key.
    pub fn is_unknown_key(&self) -> bool {
        [&lints::UNKNOWN_EXTRA_SPEC, &lints::UNKNOWN_NAMESPACE].contains(&self.lint)
    }

    /// True if it is unknown whether the value is allowed.
    pub fn is_undecided(&self) -> bool {
        self.lint == &lints::EXTRA_SPEC_VALUE && self.nova.is_none()
    }

    /// True if the pair is rejected.
    pub fn is_rejection(&self) -> bool {
        self.level == Level::Error
    }
}
