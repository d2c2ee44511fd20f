//! Reasons for no object or no answer: a conflict is an answer, a doubt is none.

/// Reason why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Doubt {
    /// There are too many cases.
    Cases,
    /// Patterns are too large to be compared, or use what has no automaton.
    Patterns,
    /// Demands on a value as a number and as a text meet in a way that is not worked out.
    Values,
    /// Comparisons between places leave a choice that was not found.
    Comparisons,
    /// The predicates give one place different types.
    Types,
    /// The work that all questions together may take is done.
    Work,
}

impl Doubt {
    /// True if the question is too large to be answered.
    pub fn is_size_limit(self) -> bool {
        matches!(self, Self::Cases | Self::Patterns | Self::Work)
    }

    /// Returns the reason shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cases => "too many cases",
            Self::Patterns => "the patterns are too large to compare",
            Self::Values => "requirements on a value both as a number and as a string are not combined",
            Self::Comparisons => "comparisons between several fields are not resolved",
            Self::Types => "a field has several types",
            Self::Work => "too many rules, or too large patterns, to compare",
        }
    }
}

/// A contradiction: the demands of a case exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict;
