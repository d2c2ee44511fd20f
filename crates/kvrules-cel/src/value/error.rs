//! Errors of an evaluation.

use std::fmt;

/// An evaluation that failed, in the server's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// The error message.
    pub message: String,
    /// Kind of the error.
    pub kind: ErrorKind,
}

/// Kinds of errors that behave differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An ordinary error: `&&`, `||` and quantifiers may absorb it.
    Plain,
    /// No overload of the function called takes these arguments; the caller may complete the text.
    Overload,
    /// As [`ErrorKind::Overload`], with its text complete.
    // Distinct from `Overload`, because evaluation adds the types of the arguments to the text of an `Overload`.
    Mismatch,
    /// The cost limit was passed: nothing absorbs it.
    Cancelled,
    /// The server's own code fails at this point: nothing absorbs it.
    Internal,
    /// Something this crate does not know; never guessed. Nothing absorbs it.
    Unsupported,
}

impl EvalError {
    /// An ordinary error.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: ErrorKind::Plain }
    }

    /// `no such overload`, in the wording of operators.
    pub fn no_such_overload() -> Self {
        Self { message: "no such overload".to_owned(), kind: ErrorKind::Overload }
    }

    /// `no such overload`, in the wording of functions whose arguments have other types than declared.
    pub fn argument_mismatch() -> Self {
        Self { message: "no such overload".to_owned(), kind: ErrorKind::Mismatch }
    }

    /// A field or key that is missing.
    pub fn no_such_key(key: impl fmt::Display) -> Self {
        Self::new(format!("no such key: {key}"))
    }

    /// The limit of one evaluation was passed.
    pub fn operation_cancelled() -> Self {
        let message = "operation cancelled: actual cost limit exceeded".to_owned();
        Self { message, kind: ErrorKind::Cancelled }
    }

    /// The server's own code fails here, and says this.
    pub fn internal_error(message: impl fmt::Display) -> Self {
        Self { message: format!("internal error: {message}"), kind: ErrorKind::Internal }
    }

    /// Creates the error for something that this crate does not evaluate, by name.
    pub fn unsupported_feature(what: impl fmt::Display) -> Self {
        Self { message: format!("{what} is not supported here"), kind: ErrorKind::Unsupported }
    }

    /// True if `&&`, `||` and quantifiers may continue after it.
    pub fn is_absorbed(&self) -> bool {
        matches!(self.kind, ErrorKind::Plain | ErrorKind::Overload | ErrorKind::Mismatch)
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}
