//! A place where two schemas differ, with what is known of it beforehand and what to try.

use super::build::SchemaAttempt;
use super::schema_validator::ValueRefusal;
use super::value_step::ValueStep;
use crate::bound::ImpliedDirection;
use crate::report::Change;

/// A difference that is to be settled.
#[derive(Debug)]
pub(super) struct SchemaEdit<'s> {
    pub(super) change: Change,
    /// The place that attempts are about.
    pub(super) downs: Vec<ValueStep>,
    /// Rejections that this difference causes.
    pub(super) fits: Vec<RefusalFilter>,
    pub(super) bound: ImpliedDirection,
    /// Attempts that may show that an accepted value is now rejected.
    pub(super) refused: Vec<SchemaAttempt<'s>>,
    /// Attempts that may show that a rejected value is now accepted.
    pub(super) accepted: Vec<SchemaAttempt<'s>>,
}

/// Location of rejections that a difference causes.
#[derive(Clone, Debug)]
pub(super) struct RefusalFilter {
    pub(super) downs: Vec<ValueStep>,
    /// True if they may be below the location.
    pub(super) is_deep: bool,
    /// Of which keywords; of any if there is none.
    pub(super) keywords: Vec<&'static str>,
}

impl RefusalFilter {
    pub(super) fn accepts_refusal(&self, refusal: &ValueRefusal) -> bool {
        let (path, downs) = (&refusal.path, &self.downs);
        let is_here = if self.is_deep { path.len() >= downs.len() } else { path.len() == downs.len() };
        is_here
            && path.iter().zip(downs).all(|(step, down)| *step == down.to_step())
            && (self.keywords.is_empty() || refusal.by.iter().any(|by| self.keywords.contains(&by.as_str())))
    }
}

impl ImpliedDirection {
    /// Combines two differences at one value.
    pub(super) fn combine_with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Equal, bound) | (bound, Self::Equal) => bound,
            (one, other) if one == other => one,
            _ => Self::Open,
        }
    }

    /// Returns the bound of a difference under `not`.
    pub(super) fn negated_bound(self) -> Self {
        match self {
            Self::Tighter => Self::Looser,
            Self::Looser => Self::Tighter,
            bound => bound,
        }
    }
}
