//! End of a run: its status, or its failure.

use crate::paths;
use std::path::Path;

/// Meaning of the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// There is nothing to report.
    Clean,
    /// There are findings, or output would change.
    Findings,
    /// Something could not be read, written or understood.
    RunError,
    /// Nothing was found, and not all could be examined.
    Inconclusive,
}

impl Status {
    /// The exit status.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::RunError => 2,
            Self::Inconclusive => 3,
        }
    }
}

/// Reason why a run stopped: usage, configuration, files.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A sentence, and what to do about it.
    Message {
        /// Description of the error.
        message: String,
        /// Advice on what to do.
        help: Option<String>,
    },
    /// Findings that are shown already laid out, as those in a configuration.
    Rendered(String),
}

impl Failure {
    /// A failure with a message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Message { message: message.into(), help: None }
    }

    /// The failure to do something (`read`, `write`) with a file.
    pub(crate) fn file(what: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::new(format!("cannot {what} `{}`: {}", paths::display_path(path), io_reason(error)))
    }

    /// Says what to do.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        match self {
            Self::Message { message, .. } => Self::Message { message, help: Some(help.into()) },
            shown @ Self::Rendered(_) => shown,
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Message { message, help: Some(help) } => write!(formatter, "{message}; {help}"),
            Self::Message { message, help: None } => formatter.write_str(message),
            Self::Rendered(text) => formatter.write_str(text.trim_end()),
        }
    }
}

/// An error of the operating system in plain words.
pub(crate) fn io_reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}
