//! The status of a mutant.

/// Status of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutantStatus {
    /// A case fails with it.
    Killed,
    /// No case fails with it, although an object shows the difference.
    Survived,
    /// No case fails with it, and it is not decided if an object shows a difference.
    Undecided,
    /// It answers as the rules do about every object; it does not count.
    Equivalent,
}

impl MutantStatus {
    /// Returns its name for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Survived => "survived",
            Self::Undecided => "undecided",
            Self::Equivalent => "equivalent",
        }
    }
}
