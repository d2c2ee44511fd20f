//! A place where two schemas differ, with what can be said of it beforehand and what to try.

use super::build::Attempt;
use super::down::Down;
use super::judge::Refusal;
use crate::bound::Bound;
use crate::report::Change;

/// A difference that is to be settled.
#[derive(Debug)]
pub(super) struct Edit<'s> {
    pub(super) change: Change,
    /// The place that attempts are about.
    pub(super) downs: Vec<Down>,
    /// Which refusals are for this difference.
    pub(super) fits: Vec<Fit>,
    pub(super) bound: Bound,
    /// What may show that something accepted is refused.
    pub(super) refused: Vec<Attempt<'s>>,
    /// What may show that something refused is accepted.
    pub(super) accepted: Vec<Attempt<'s>>,
}

/// Where refusals are that a difference is to blame for.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) downs: Vec<Down>,
    /// True if they may lie below.
    pub(super) is_deep: bool,
    /// Of which keywords; of any where there is none.
    pub(super) keywords: Vec<&'static str>,
}

impl Fit {
    pub(super) fn takes(&self, refusal: &Refusal) -> bool {
        let (path, downs) = (&refusal.path, &self.downs);
        let is_here = if self.is_deep { path.len() >= downs.len() } else { path.len() == downs.len() };
        is_here
            && path.iter().zip(downs).all(|(step, down)| *step == down.step())
            && (self.keywords.is_empty() || refusal.by.iter().any(|by| self.keywords.contains(&by.as_str())))
    }
}

impl Bound {
    /// What two differences at one value come to.
    pub(super) fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Equal, bound) | (bound, Self::Equal) => bound,
            (one, other) if one == other => one,
            _ => Self::Open,
        }
    }

    /// What a difference comes to under `not`.
    pub(super) fn flipped(self) -> Self {
        match self {
            Self::Tighter => Self::Looser,
            Self::Looser => Self::Tighter,
            bound => bound,
        }
    }
}
