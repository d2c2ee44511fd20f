//! A set of lints, by their places in the registry.

use kvrules_diagnostics::Lint;

use crate::registry::LINTS;

/// Some of all lints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LintSet(Vec<bool>);

impl LintSet {
    /// None of them.
    pub(super) fn empty_set() -> Self {
        Self(vec![false; LINTS.len()])
    }

    /// Those for which something holds.
    pub(super) fn from_predicate(holds: impl Fn(&Lint) -> bool) -> Self {
        Self(LINTS.iter().map(|lint| holds(lint)).collect())
    }

    /// True if the lint at this place is in it.
    pub(super) fn has_index(&self, index: usize) -> bool {
        self.0.get(index).copied().unwrap_or(false)
    }

    /// Adds the lint at this place.
    pub(super) fn add_index(&mut self, index: usize) {
        if let Some(retained) = self.0.get_mut(index) {
            *retained = true;
        }
    }

    /// Adds those of another set.
    pub(super) fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(retained, other)| *retained |= other);
    }

    /// Those that are not in another set.
    pub(super) fn difference_with(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(retained, other)| *retained && !other).collect())
    }

    /// True if a lint is in this set and in the other.
    pub(super) fn has_common_lint(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| *one && *other)
    }

    /// True if every lint of this set is in the other.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| !one || *other)
    }
}

/// The place of a code in the registry; none for what is not a lint, such as an error in the configuration.
pub(super) fn index_of(code: &str) -> Option<usize> {
    // The registry is ordered by code.
    LINTS.binary_search_by(|lint| lint.code.cmp(code)).ok()
}
