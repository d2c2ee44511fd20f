//! Report of a verification.

use kvrules_emit::Fidelity;

use crate::claims::{ClaimFault, ClaimFinding};

/// Results for all rules and targets.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Each target that evaluates objects, in the order of the request.
    pub targets: Vec<TargetReport>,
    /// Number of distinct rules.
    pub rules: usize,
    /// Number of definitions of extra specs.
    pub extra_specs: usize,
    /// Number of versions of CustomResourceDefinitions.
    pub resources: usize,
    /// Number of RuleSets.
    pub rule_sets: usize,
    /// Number of policies, once for each kind of objects.
    pub policies: usize,
    /// Number of synthesised objects.
    pub objects: usize,
    /// Number of times an artefact evaluated an object.
    pub comparisons: usize,
    /// The sets whose rules were tried with fewer values than others, because they are many and the objects large.
    pub reduced: Vec<String>,
}

/// Results for one target.
#[derive(Clone, Debug)]
pub struct TargetReport {
    /// Its name.
    pub target: &'static str,
    /// Each rule once, in the order of the sets.
    pub rules: Vec<RuleReport>,
    /// Each rule set as a whole; those of one rule have nothing to add.
    pub sets: Vec<SetReport>,
}

/// Results for one rule.
#[derive(Clone, Debug)]
pub struct RuleReport {
    /// The rule's name.
    pub rule: String,
    /// The sets that have it.
    pub sets: Vec<String>,
    /// Fidelity that the target claims.
    pub claim: Fidelity,
    /// Result of checking the claim.
    pub finding: ClaimFinding,
    /// Number of objects evaluated.
    pub objects: usize,
}

/// Result of comparing a set as a whole with its rules one by one.
#[derive(Clone, Debug, Default)]
pub struct SetReport {
    /// The set's name.
    pub set: String,
    /// Reason why they differ.
    pub fault: Option<ClaimFault>,
    /// Reason why the comparison is undecided, if no fault was found among the objects that were evaluated.
    pub inconclusive: Option<String>,
    /// True if each rule by itself is proved, and all together were compared on some objects only.
    pub is_sample: bool,
    /// Number of objects evaluated.
    pub objects: usize,
}

/// Number of rules of a target by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultCount {
    /// Proved to be exact.
    pub exact: usize,
    /// Not exact, as they claim, and shown to be so.
    pub as_claimed: usize,
    /// Unsupported in the target, as it claims.
    pub unsupported: usize,
    /// Claims that do not hold, those of whole sets included.
    pub faults: usize,
    /// Claims of which not all cases were examined.
    pub inconclusive: usize,
}

impl TargetReport {
    /// Counts the rules by result.
    pub fn count_results(&self) -> ResultCount {
        let mut count = ResultCount {
            faults: self.sets.iter().filter(|set| set.fault.is_some()).count(),
            ..ResultCount::default()
        };
        count.inconclusive = self.sets.iter().filter(|set| set.inconclusive.is_some()).count();
        for rule in &self.rules {
            *match rule.finding {
                ClaimFinding::Exact => &mut count.exact,
                ClaimFinding::AsClaimed { .. } => &mut count.as_claimed,
                ClaimFinding::Unsupported => &mut count.unsupported,
                ClaimFinding::Fault(_) => &mut count.faults,
                ClaimFinding::Inconclusive(_) => &mut count.inconclusive,
            } += 1;
        }
        count
    }
}

impl Report {
    /// This report and another, of other rules.
    #[must_use]
    pub fn merged_with(mut self, other: Self) -> Self {
        self.rules += other.rules;
        self.extra_specs += other.extra_specs;
        self.resources += other.resources;
        self.rule_sets += other.rule_sets;
        self.policies += other.policies;
        self.objects += other.objects;
        self.comparisons += other.comparisons;
        self.note_reduced(other.reduced);
        for target in other.targets {
            match self.targets.iter_mut().find(|known| known.target == target.target) {
                Some(known) => {
                    known.rules.extend(target.rules);
                    known.sets.extend(target.sets);
                }
                None => self.targets.push(target),
            }
        }
        self
    }

    /// Notes sets whose rules were tried with fewer values.
    pub(crate) fn note_reduced(&mut self, sets: impl IntoIterator<Item = String>) {
        for set in sets {
            if !self.reduced.contains(&set) {
                self.reduced.push(set);
            }
        }
    }

    /// True if every claim that was checked holds.
    pub fn all_claims_hold(&self) -> bool {
        self.targets.iter().all(|target| target.count_results().faults == 0)
    }

    /// True if some claim could not be checked in all cases.
    pub fn is_inconclusive(&self) -> bool {
        self.targets.iter().any(|target| target.count_results().inconclusive > 0)
    }
}
