//! Counts of a judge's run: claims that are right, claims that are wrong, and claims that could have been made, by their kind.

use std::collections::BTreeMap;
use std::fmt;

/// Wrong claims of one kind that are kept with everything that is needed to repeat them.
const KEPT_OF_A_KIND: usize = 10;

/// Counts of one kind of claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Claims that the judge confirmed.
    pub right: u64,
    /// Claims that the judge refuted.
    pub wrong: u64,
    /// Claims that hold by the judge, and that kvrules did not make.
    pub missed: u64,
}

impl Counts {
    /// Number of claims that kvrules made.
    pub fn made(&self) -> u64 {
        self.right + self.wrong
    }
}

/// A refuted claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongClaim {
    /// Kind of the claim.
    pub kind: String,
    /// Seed and case with which it is repeated.
    pub origin: String,
    /// Input, claim, and the value that refutes it.
    pub details: String,
}

/// Counts by kind of claim, and the refuted claims.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: BTreeMap<String, Counts>,
    wrong: Vec<WrongClaim>,
    unjudged: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts a confirmed claim.
    pub fn right(&mut self, kind: &str) {
        self.counts_mut(kind).right += 1;
    }

    /// Counts several confirmed claims of one kind.
    pub fn right_many(&mut self, kind: &str, number: u64) {
        self.counts_mut(kind).right += number;
    }

    /// Counts a claim that holds and was not made.
    pub fn missed(&mut self, kind: &str) {
        self.counts_mut(kind).missed += 1;
    }

    /// Counts a refuted claim. `details` makes what is needed to repeat it, and is called for the first ones of a kind.
    pub fn wrong(&mut self, kind: &str, origin: impl fmt::Display, details: impl FnOnce() -> String) {
        let counts = self.counts_mut(kind);
        counts.wrong += 1;
        if counts.wrong <= KEPT_OF_A_KIND as u64 {
            self.wrong.push(WrongClaim {
                kind: kind.to_owned(),
                origin: origin.to_string(),
                details: details(),
            });
        }
    }

    /// Counts a claim as right, or as wrong with the details of its refutation.
    pub fn judge(&mut self, kind: &str, origin: impl fmt::Display, refutation: Option<String>) {
        match refutation {
            None => self.right(kind),
            Some(details) => self.wrong(kind, origin, || details),
        }
    }

    /// Counts a claim by what a search for a refutation found: none, one, or the reason why the claim is not decided.
    pub fn judge_found(
        &mut self,
        kind: &str,
        origin: impl fmt::Display,
        found: Result<Option<String>, String>,
        details: impl FnOnce(String) -> String,
    ) {
        match found {
            Ok(None) => self.right(kind),
            Ok(Some(refutation)) => self.wrong(kind, origin, || details(refutation)),
            Err(reason) => self.unjudged(&format!("{kind}: {reason}")),
        }
    }

    /// Counts a claim or an input that the judge cannot read, by the reason. It is neither right nor wrong.
    pub fn unjudged(&mut self, reason: &str) {
        *self.unjudged.entry(reason.to_owned()).or_default() += 1;
    }

    /// Returns the number of claims that were judged.
    pub fn made(&self) -> u64 {
        self.counts.values().map(Counts::made).sum()
    }

    /// Returns the number of refuted claims.
    pub fn number_wrong(&self) -> u64 {
        self.counts.values().map(|counts| counts.wrong).sum()
    }

    /// Returns the counts of each kind of claim.
    pub fn counts(&self) -> &BTreeMap<String, Counts> {
        &self.counts
    }

    /// Returns how often each reason kept the judge from judging.
    pub fn unjudged_reasons(&self) -> &BTreeMap<String, u64> {
        &self.unjudged
    }

    /// Returns the refuted claims that were kept.
    pub fn wrong_claims(&self) -> &[WrongClaim] {
        &self.wrong
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: Self) {
        for (kind, counts) in other.counts {
            let sum = self.counts.entry(kind).or_default();
            sum.right += counts.right;
            sum.wrong += counts.wrong;
            sum.missed += counts.missed;
        }
        for (reason, number) in other.unjudged {
            *self.unjudged.entry(reason).or_default() += number;
        }
        for claim in other.wrong {
            if self.wrong.iter().filter(|kept| kept.kind == claim.kind).count() < KEPT_OF_A_KIND {
                self.wrong.push(claim);
            }
        }
    }

    fn counts_mut(&mut self, kind: &str) -> &mut Counts {
        if !self.counts.contains_key(kind) {
            self.counts.insert(kind.to_owned(), Counts::default());
        }
        self.counts.entry(kind.to_owned()).or_default()
    }
}

/// The table, and below it the refuted claims.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.counts.keys().map(|kind| kind.chars().count()).max().unwrap_or_default().max(5);
        writeln!(f, "{:width$} {:>10} {:>7} {:>9}", "claim", "right", "wrong", "missed")?;
        let mut total = Counts::default();
        for (kind, counts) in &self.counts {
            writeln!(f, "{kind:width$} {:>10} {:>7} {:>9}", counts.right, counts.wrong, counts.missed)?;
            total.right += counts.right;
            total.wrong += counts.wrong;
            total.missed += counts.missed;
        }
        writeln!(f, "{:width$} {:>10} {:>7} {:>9}", "total", total.right, total.wrong, total.missed)?;
        for (reason, number) in &self.unjudged {
            writeln!(f, "not judged: {number} × {reason}")?;
        }
        for claim in &self.wrong {
            writeln!(f, "\nwrong: {} ({})", claim.kind, claim.origin)?;
            for line in claim.details.lines() {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_claim_has_its_counts_and_wrong_ones_are_kept_with_their_origin() {
        let mut tally = Tally::default();
        tally.right("implied");
        tally.missed("implied");
        tally.judge("constant", "seed 1, case 4", Some("self.a > 0\nrefuted by {a: 0}".into()));
        let mut sum = Tally::default();
        sum.add(tally.clone());
        sum.add(tally);
        assert_eq!((sum.made(), sum.number_wrong()), (4, 2));
        assert_eq!(sum.counts()["implied"], Counts { right: 2, wrong: 0, missed: 2 });
        let shown = sum.to_string();
        assert!(shown.contains("constant          0       2         0"), "{shown}");
        assert!(
            shown.contains("wrong: constant (seed 1, case 4)\n  self.a > 0\n  refuted by {a: 0}\n"),
            "{shown}"
        );
    }

    #[test]
    fn a_claim_that_is_not_decided_is_neither_right_nor_wrong() {
        let mut tally = Tally::default();
        for found in [Ok(None), Ok(Some("0".to_owned())), Err("a double".to_owned())] {
            tally.judge_found("equal", "seed 1", found, |state| format!("refuted by {state}"));
        }
        assert_eq!(tally.counts()["equal"], Counts { right: 1, wrong: 1, missed: 0 });
        assert_eq!(tally.wrong_claims()[0].details, "refuted by 0");
        assert_eq!(tally.unjudged_reasons()["equal: a double"], 1);
    }

    #[test]
    fn only_the_first_wrong_claims_of_a_kind_are_kept() {
        let mut tally = Tally::default();
        for case in 0..100 {
            tally.wrong("implied", case, String::new);
        }
        assert_eq!((tally.number_wrong(), tally.wrong_claims().len()), (100, KEPT_OF_A_KIND));
    }
}
