//! The reason why a predicate cannot be expressed.

use std::fmt;

/// The reason why a predicate cannot be expressed in CEL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedReason {
    /// The cause in one sentence.
    pub cause: String,
}

impl UnsupportedReason {
    pub(super) fn new(cause: impl Into<String>) -> Self {
        Self { cause: cause.into() }
    }
}

impl fmt::Display for UnsupportedReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.cause)
    }
}

impl std::error::Error for UnsupportedReason {}
