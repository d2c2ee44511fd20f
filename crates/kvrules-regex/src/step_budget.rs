//! Bounds on work, counted in steps so that the answer is the same on every machine.

use std::cell::Cell;

/// A number of steps that some work may take.
///
/// ```
/// let steps = kvrules_regex::StepBudget::new(10);
/// assert!(steps.try_take(10));
/// assert!(!steps.try_take(1));
/// assert_eq!(steps.steps_used(), 10);
/// ```
#[derive(Clone, Debug, Default)]
pub struct StepBudget {
    most: u64,
    left: Cell<u64>,
}

impl StepBudget {
    /// Allows `most` steps.
    pub fn new(most: u64) -> Self {
        Self { most, left: Cell::new(most) }
    }

    /// Takes steps off; false, and none are left, if there were not so many.
    pub fn try_take(&self, count: u64) -> bool {
        let left = self.left.get().checked_sub(count);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The number of steps that are left.
    pub fn steps_left(&self) -> u64 {
        self.left.get()
    }

    /// The number of steps that were taken.
    pub fn steps_used(&self) -> u64 {
        self.most - self.left.get()
    }
}
