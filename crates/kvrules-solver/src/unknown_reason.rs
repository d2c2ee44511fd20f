//! Reasons for no object or no answer. A conflict is an answer; an unknown reason is not.

/// Reason why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum UnknownReason {
    /// There are too many cases.
    TooManyCases,
    /// Patterns are too large to be compared, or use what has no automaton.
    PatternsTooLarge,
    /// Demands on a value as a number and as a text meet in a way that is not worked out.
    UnresolvedValues,
    /// Comparisons between places leave a choice that was not found.
    UnresolvedComparisons,
    /// The predicates give one place different types.
    ConflictingTypes,
    /// The work that all questions together may take is done.
    WorkExhausted,
}

impl UnknownReason {
    /// True if the question is too large to be answered.
    pub fn is_size_limit(self) -> bool {
        matches!(self, Self::TooManyCases | Self::PatternsTooLarge | Self::WorkExhausted)
    }

    /// Returns the reason shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooManyCases => "too many cases",
            Self::PatternsTooLarge => "the patterns are too large to compare",
            Self::UnresolvedValues => {
                "requirements on a value both as a number and as a string are not combined"
            }
            Self::UnresolvedComparisons => "comparisons between several fields are not resolved",
            Self::ConflictingTypes => "a field has several types",
            Self::WorkExhausted => "too many rules, or too large patterns, to compare",
        }
    }
}

/// A contradiction: the demands of a case exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict;
