//! Subjects that are not found.

/// The reason why a subject is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSubject {
    /// The problem.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
}
