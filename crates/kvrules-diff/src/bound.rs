//! Direction that the kind of a difference implies before any object is evaluated.

use crate::report::{Change, Direction, EffectAnswer};

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

    /// The direction, if an object was found that is rejected now, and one that is accepted now. That none was found proves nothing.
    pub(crate) fn direction(self, refused: bool, accepted: bool) -> Direction {
        match (self, refused, accepted) {
            (Self::Equal, _, _) => Direction::Equal,
            (_, true, true) => Direction::Incomparable,
            (Self::Tighter, true, false) => Direction::Tightened,
            (_, true, false) => Direction::TightenedLooseningUnknown,
            (Self::Looser, false, true) => Direction::Loosened,
            (_, false, true) => Direction::LoosenedTighteningUnknown,
            (_, false, false) => Direction::Unknown,
        }
    }

    /// True if witnesses and bound leave no direction open.
    pub(crate) fn is_decided(self, refused: bool, accepted: bool) -> bool {
        use Direction::{LoosenedTighteningUnknown, TightenedLooseningUnknown, Unknown};
        !matches!(
            self.direction(refused, accepted),
            Unknown | TightenedLooseningUnknown | LoosenedTighteningUnknown
        )
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

    /// Returns the note about what is undecided in a direction; `None` if nothing is.
    pub(crate) fn undecided_note(self, direction: Direction, objects: usize, noun: &str) -> Option<String> {
        let counted = if objects == 1 { format!("1 {noun}") } else { format!("{objects} {noun}s") };
        let none = format!("no difference found in {counted}");
        Some(match (direction, self) {
            (Direction::Unknown, Self::Tighter) => format!("it can only be stricter; {none}"),
            (Direction::Unknown, Self::Looser) => format!("it can only be milder; {none}"),
            (Direction::Unknown, _) => none,
            (Direction::TightenedLooseningUnknown, _) => {
                format!("it may be milder too: no proof against it, and no example in {counted}")
            }
            (Direction::LoosenedTighteningUnknown, _) => {
                format!("it may be stricter too: no proof against it, and no example in {counted}")
            }
            _ => return None,
        })
    }
}

impl Change {
    /// Sets the direction from the witnesses and the bound. A direction that has neither a witness nor a proof against it stays unknown,
    /// and a note says so. `noun` is the word for what was evaluated.
    pub(crate) fn conclude(&mut self, bound: ImpliedDirection, noun: &str) {
        self.direction = bound.direction(self.refused.is_some(), self.accepted.is_some());
        self.at_most = bound.at_most().filter(|_| self.direction == Direction::Unknown);
        self.proved = [self.tightens(), self.loosens()].iter().all(|it| *it != EffectAnswer::Unknown);
        self.notes.extend(bound.undecided_note(self.direction, self.objects, noun));
    }
}
