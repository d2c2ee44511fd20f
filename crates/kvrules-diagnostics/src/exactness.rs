//! Exactness of a translation from one notation to another.

use serde::{Deserialize, Serialize};

/// Relation between what a translation accepts and what its source accepts.
///
/// ```
/// use kvrules_diagnostics::Exactness;
///
/// assert_eq!(Exactness::ALL.map(Exactness::as_str), ["exact", "wider", "narrower", "incomparable", "unsupported"]);
/// assert_eq!(Exactness::Wider.join_with(Exactness::Narrower), Exactness::Incomparable);
/// assert_eq!(Exactness::Wider.negated(), Exactness::Narrower);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exactness {
    /// It accepts the same.
    #[default]
    Exact,
    /// It accepts more.
    Wider,
    /// It accepts less.
    Narrower,
    /// It accepts more in one place and less in another.
    Incomparable,
    /// It does not express the source at all.
    Unsupported,
}

impl Exactness {
    /// Every relation, in the order in which reports list them.
    pub const ALL: [Self; 5] =
        [Self::Exact, Self::Wider, Self::Narrower, Self::Incomparable, Self::Unsupported];

    /// Creates the relation from its two sides: it may accept more, and it may accept less.
    pub fn from_sides(may_widen: bool, may_narrow: bool) -> Self {
        match (may_widen, may_narrow) {
            (false, false) => Self::Exact,
            (true, false) => Self::Wider,
            (false, true) => Self::Narrower,
            (true, true) => Self::Incomparable,
        }
    }

    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Wider => "wider",
            Self::Narrower => "narrower",
            Self::Incomparable => "incomparable",
            Self::Unsupported => "unsupported",
        }
    }

    /// True if it may accept what the source does not.
    pub fn may_widen(self) -> bool {
        matches!(self, Self::Wider | Self::Incomparable)
    }

    /// True if it may reject what the source accepts.
    pub fn may_narrow(self) -> bool {
        matches!(self, Self::Narrower | Self::Incomparable)
    }

    /// Returns the relation of the whole of two parts that must both accept.
    #[must_use]
    pub fn join_with(self, other: Self) -> Self {
        if self == Self::Unsupported || other == Self::Unsupported {
            return Self::Unsupported;
        }
        Self::from_sides(self.may_widen() || other.may_widen(), self.may_narrow() || other.may_narrow())
    }

    /// Returns the relation of the negations of both.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Wider => Self::Narrower,
            Self::Narrower => Self::Wider,
            Self::Exact | Self::Incomparable | Self::Unsupported => self,
        }
    }
}
