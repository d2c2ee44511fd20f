//! A repair that a finding offers.

use crate::Span;

/// How far a repair may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// For a person to look at; it is never applied.
    DisplayOnly,
    /// It may change what rules mean, and its title says so.
    Unsafe,
    /// Every rule means afterwards what it meant before, or had no meaning before.
    Safe,
}

impl Applicability {
    /// The word that users see: `safe`, `unsafe`, `display-only`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DisplayOnly => "display-only",
            Self::Unsafe => "unsafe",
            Self::Safe => "safe",
        }
    }
}

/// One stretch of a file, and what is to stand there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The bytes that go; an empty span where something is only put in.
    pub span: Span,
    /// The text of the file that comes, written as the place asks: inside a quoted scalar already escaped.
    pub replacement: String,
}

/// Edits that together repair one finding. They are applied all or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What is done, in the imperative and without a final stop.
    pub title: String,
    /// How far it may be trusted.
    pub applicability: Applicability,
    /// The edits, in one file and not overlapping.
    pub edits: Vec<Edit>,
}
