//! The registry of judges, and how long a run of one takes.

use std::time::{Duration, Instant};

use crate::tally::Tally;
use crate::{artefacts, decisions, samples, sentences, z3};

/// Claims from which a run is long.
const LONG_RUN: u64 = 5000;

/// All judges that need no other program. The order is that of a run of all of them.
pub static JUDGES: &[&Judge] = &[&decisions::JUDGE, &artefacts::JUDGE, &sentences::JUDGE, &samples::JUDGE];

/// The judge that needs Python with z3.
pub static SOLVER_JUDGE: &Judge = &z3::JUDGE;

/// A judge of one group of claims.
#[derive(Debug)]
pub struct Judge {
    /// Name on the command line.
    pub name: &'static str,
    /// The claims that it judges.
    pub claims: &'static str,
    /// Number of claims for each seed when the tests run.
    pub claims_in_tests: u64,
    /// Kinds of claim of which every run of `claims_in_tests` or more confirms some.
    pub common_kinds: &'static [&'static str],
    /// Further kinds, of which every long run confirms some.
    pub rare_kinds: &'static [&'static str],
    /// Judges claims about random inputs until the budget is spent. The same seed gives the same inputs in the same order.
    pub run: fn(seed: u64, budget: &Budget) -> Tally,
}

impl Judge {
    /// Returns the kinds of claim of which a run of this length confirms some, and this one did not: kvrules makes them no more, or the
    /// judge cannot read them any more.
    pub fn blind_kinds(&self, tally: &Tally) -> Vec<&'static str> {
        let made = tally.made();
        let common = self.common_kinds.iter().filter(|_| made >= self.claims_in_tests);
        let rare = self.rare_kinds.iter().filter(|_| made >= self.claims_in_tests.max(LONG_RUN));
        let has_right = |kind: &str| tally.counts().get(kind).is_some_and(|counts| counts.right > 0);
        common.chain(rare).copied().filter(|kind| !has_right(kind)).collect()
    }

    /// Returns the kinds of a run that the judge does not list.
    pub fn unlisted_kinds<'t>(&self, tally: &'t Tally) -> Vec<&'t str> {
        let is_listed = |kind: &str| self.common_kinds.iter().chain(self.rare_kinds).any(|it| *it == kind);
        let judged = tally.counts().iter().filter(|(_, counts)| counts.made() > 0);
        judged.map(|(kind, _)| kind.as_str()).filter(|kind| !is_listed(kind)).collect()
    }
}

/// Returns the judge of a name.
pub fn find_judge(name: &str) -> Option<&'static Judge> {
    JUDGES.iter().copied().chain([SOLVER_JUDGE]).find(|judge| judge.name == name)
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

#[cfg(test)]
mod tests {
    use super::*;

    static WEATHER: Judge = Judge {
        name: "weather",
        claims: "",
        claims_in_tests: 10,
        common_kinds: &["rain"],
        rare_kinds: &["hail"],
        run: |_, _| Tally::default(),
    };

    fn tally_of(counts: &[(&str, u64)]) -> Tally {
        let mut tally = Tally::default();
        for (kind, number) in counts {
            tally.right_many(kind, *number);
        }
        tally
    }

    #[test]
    fn a_listed_kind_without_a_right_claim_is_reported_in_runs_that_are_long_enough() {
        let blind = |counts: &[(&str, u64)]| WEATHER.blind_kinds(&tally_of(counts));
        assert!(blind(&[("snow", 9)]).is_empty());
        assert_eq!(blind(&[("snow", 10)]), ["rain"]);
        assert!(blind(&[("snow", 4998), ("rain", 1)]).is_empty());
        assert_eq!(blind(&[("snow", 4999), ("rain", 1)]), ["hail"]);
        let mut refuted = tally_of(&[("snow", 10)]);
        refuted.wrong("rain", "seed 1", String::new);
        refuted.missed("rain");
        assert_eq!(WEATHER.blind_kinds(&refuted), ["rain"]);
    }

    #[test]
    fn a_kind_that_no_list_names_is_reported() {
        assert_eq!(WEATHER.unlisted_kinds(&tally_of(&[("hail", 1), ("rain", 1), ("snow", 1)])), ["snow"]);
    }
}
