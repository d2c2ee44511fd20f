//! Direction that the kind of a difference implies before any object is evaluated.

use crate::report::Direction;

/// Direction that the kind of a difference implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImpliedDirection {
    /// No effect.
    Equal,
    /// Accepts nothing that was rejected.
    Tighter,
    /// Rejects nothing that was accepted.
    Looser,
    /// Any direction is possible.
    Open,
}

impl ImpliedDirection {
    /// Of a limit that went up or down; `up` says that more of it lets more through.
    pub(crate) fn of_order(before: i64, after: i64, up: bool) -> Self {
        match (before == after, (after > before) == up) {
            (true, _) => Self::Equal,
            (false, true) => Self::Looser,
            (false, false) => Self::Tighter,
        }
    }

    /// The direction, given whether an object was found that is refused now and one that is accepted now; and whether it
    /// is proved.
    pub(crate) fn direction(self, refused: bool, accepted: bool) -> (Direction, bool) {
        match (self, refused, accepted) {
            (Self::Equal, _, _) => (Direction::Equal, true),
            (_, true, true) => (Direction::Incomparable, true),
            (bound, true, false) => (Direction::Tightened, bound == Self::Tighter),
            (bound, false, true) => (Direction::Loosened, bound == Self::Looser),
            (_, false, false) => (Direction::Unknown, false),
        }
    }

    /// The bound of a difference that is proved not to tighten or not to loosen.
    pub(crate) fn without(self, tightening: bool, loosening: bool) -> Self {
        match (self, tightening, loosening) {
            (Self::Equal, _, _) | (_, true, true) | (Self::Tighter, true, _) | (Self::Looser, _, true) => {
                Self::Equal
            }
            (Self::Open, true, false) => Self::Looser,
            (Self::Open, false, true) => Self::Tighter,
            (bound, _, _) => bound,
        }
    }

    /// Returns the direction of the difference, if it has an effect.
    pub(crate) fn at_most(self) -> Option<Direction> {
        match self {
            Self::Tighter => Some(Direction::Tightened),
            Self::Looser => Some(Direction::Loosened),
            Self::Equal | Self::Open => None,
        }
    }

    /// Returns the note for a difference that no object shows.
    pub(crate) fn undecided_note(self, objects: usize) -> String {
        let noun = if objects == 1 { "object" } else { "objects" };
        let none = format!("no difference found in {objects} {noun}");
        match self {
            Self::Tighter => format!("it can only be stricter; {none}"),
            Self::Looser => format!("it can only be milder; {none}"),
            Self::Equal | Self::Open => none,
        }
    }
}
