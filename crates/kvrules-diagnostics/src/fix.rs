//! A repair that a finding offers.

use crate::Span;

/// Reliability of a repair.
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

/// One stretch of a file, and what is to be there.
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
    /// Description of the repair, in the imperative and without a final stop.
    pub title: String,
    /// Reliability of the repair.
    pub applicability: Applicability,
    /// The edits, in one file and not overlapping.
    pub edits: Vec<Edit>,
    /// True if one rule goes because something else says the same. Repairs that lose rules otherwise are not applied.
    pub removes_rule: bool,
}

impl Fix {
    /// A repair after which every rule means what it meant before, or had no meaning before.
    pub fn safe_fix(title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        Self::new(Applicability::Safe, title, edits)
    }

    /// A repair that may change what rules mean; its title says what changes.
    pub fn not_safe(title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        Self::new(Applicability::Unsafe, title, edits)
    }

    /// A repair that may be trusted so far.
    pub fn new(
        applicability: Applicability,
        title: impl Into<String>,
        edits: impl IntoIterator<Item = Edit>,
    ) -> Self {
        Self { title: title.into(), applicability, edits: edits.into_iter().collect(), removes_rule: false }
    }

    /// The same repair, which takes out one rule that something else says.
    #[must_use]
    pub fn removing_rule(self) -> Self {
        Self { removes_rule: true, ..self }
    }
}

impl Edit {
    /// Puts a text in at the start of a place.
    pub fn insert_at(place: Span, text: impl Into<String>) -> Self {
        Self { span: place.at_start(), replacement: text.into() }
    }

    /// Takes out what is in a place.
    pub fn remove_span(place: Span) -> Self {
        Self { span: place, replacement: String::new() }
    }
}
