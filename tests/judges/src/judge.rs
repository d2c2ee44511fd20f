//! The registry of judges, and how long a run of one takes.

use std::time::{Duration, Instant};

use crate::tally::Tally;
use crate::{artefacts, decisions, samples, sentences};

/// All judges. The order is that of a run of all of them.
pub static JUDGES: &[&Judge] = &[&decisions::JUDGE, &artefacts::JUDGE, &sentences::JUDGE, &samples::JUDGE];

/// A judge of one group of claims.
#[derive(Debug)]
pub struct Judge {
    /// Name on the command line.
    pub name: &'static str,
    /// The claims that it judges.
    pub claims: &'static str,
    /// Number of claims for each seed when the tests run.
    pub claims_in_tests: u64,
    /// Judges claims about random inputs until the budget is spent. The same seed gives the same inputs in the same order.
    pub run: fn(seed: u64, budget: &Budget) -> Tally,
}

/// Returns the judge of a name.
pub fn find_judge(name: &str) -> Option<&'static Judge> {
    JUDGES.iter().copied().find(|judge| judge.name == name)
}

/// The extent of a run: a number of judged claims, or a time.
#[derive(Clone, Copy, Debug)]
pub enum Budget {
    /// Ends after this number of judged claims, so that a run is the same on every machine.
    Claims(u64),
    /// Ends at this time.
    Until(Instant),
}

impl Budget {
    /// Ends after this time from now.
    pub fn lasting(duration: Duration) -> Self {
        Self::Until(Instant::now() + duration)
    }

    /// True if the run is to end.
    pub fn is_spent(&self, tally: &Tally) -> bool {
        match self {
            Self::Claims(number) => tally.made() >= *number,
            Self::Until(end) => Instant::now() >= *end,
        }
    }
}
