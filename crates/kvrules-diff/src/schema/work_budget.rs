//! Bounds on the work of a walk over two schemas.

use kvrules_regex::StepBudget;

/// The number of values that are checked against nodes one by one.
const MOST_VALUES: u64 = 200_000;

/// The number of steps that searches of automata take for texts that distinguish two nodes.
const MOST_MOVES: u64 = 40_000_000;

/// The number of values on which single rules are run.
const MOST_RUNS: u64 = 60_000;

/// The number of rules that are run to see whether all rules of a node let a value through.
const MAX_KEPT: u64 = 400_000;

/// The runs that each of many rules that differ has at least, and the rules that are run for it.
const RUNS_OF_RULE: u64 = 600;
const KEPT_OF_RULE: u64 = 4_000;

/// A bound for a whole comparison that leaves each of `number` rules so much.
pub(super) fn at_least(most: u64, number: usize, for_each: u64) -> u64 {
    most.max(for_each.saturating_mul(u64::try_from(number).unwrap_or(u64::MAX)))
}

/// The work that is left to a walk.
#[derive(Debug)]
pub(super) struct WorkBudget {
    pub(super) values: StepBudget,
    pub(super) moves: StepBudget,
    pub(super) runs: StepBudget,
    pub(super) retained: StepBudget,
}

impl Default for WorkBudget {
    fn default() -> Self {
        let (values, moves) = (StepBudget::new(MOST_VALUES), StepBudget::new(MOST_MOVES));
        Self { values, moves, runs: StepBudget::new(MOST_RUNS), retained: StepBudget::new(MAX_KEPT) }
    }
}

impl WorkBudget {
    /// Work to find values for so many rules that differ.
    pub(super) fn for_rules(number: usize) -> Self {
        let runs = StepBudget::new(at_least(MOST_RUNS, number, RUNS_OF_RULE));
        let retained = StepBudget::new(at_least(MAX_KEPT, number, KEPT_OF_RULE));
        Self { runs, retained, ..Self::default() }
    }

    /// Steps for the first of `number` differences: a fair share of what is left of `all`, at least `least` if there are so
    /// many, and no more than `most`.
    pub(super) fn share(all: &StepBudget, number: usize, (least, most): (u64, u64)) -> StepBudget {
        let number = u64::try_from(number).unwrap_or(u64::MAX).max(1);
        StepBudget::new((all.steps_left() / number).max(least).min(most).min(all.steps_left()))
    }

    /// The number of steps of all kinds, moves of automata by the thousand.
    pub(super) fn used(&self) -> u64 {
        self.values.steps_used()
            + self.moves.steps_used() / 1000
            + self.runs.steps_used()
            + self.retained.steps_used()
    }
}
