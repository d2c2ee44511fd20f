//! Two answers side by side, and a target checked against what it claims.

use std::collections::BTreeSet;

use kvrules_diagnostics::Exactness;
use kvrules_emit::Fidelity;
use serde::Serialize;
use serde_json::Value;

/// Verdict on an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ObjectVerdict {
    /// It is rejected.
    pub rejects: bool,
    /// It is warned of.
    pub warns: bool,
}

/// Result of checking a target's claim.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimFinding {
    /// It claims to be exact, and agrees with the meaning on every object.
    Exact,
    /// It departs in the ways that it claims, and each is shown.
    AsClaimed {
        /// The smallest object that it lets through and should not.
        wider: Option<Value>,
        /// The smallest object that it refuses and should not.
        narrower: Option<Value>,
    },
    /// It claims not to express the rule, and has no effect.
    Unsupported,
    /// The claim does not hold.
    Fault(ClaimFault),
    /// Nothing was found against the claim, and not all could be examined; why, in a sentence.
    Inconclusive(String),
}

/// Reason for no answer: too many objects.
pub(crate) const TOO_LARGE: &str = "too large to decide: too many cases to check all";

/// Reason for no answer: too large expressions.
pub(crate) const TOO_LARGE_PATTERNS: &str = "too large to decide: the regular expressions are too large";

/// Reason why a claim does not hold.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimFault {
    /// It departs from the meaning in a way that it does not claim.
    UnclaimedDeparture {
        /// Direction of the departure, wider or narrower.
        way: Exactness,
        /// The smallest object that shows it.
        object: Value,
        /// Verdict by the rule's meaning.
        expected: ObjectVerdict,
        /// Verdict of the target.
        actual: ObjectVerdict,
    },
    /// It claims to depart, and no object shows it.
    UnprovenDeparture(Exactness),
    /// It cannot be run; why, in a sentence.
    CannotRun(String),
}

/// Returns the relation of one answer to another: it is wider if it accepts an object that should be rejected or warned of.
pub(crate) fn compare_verdicts(expected: ObjectVerdict, actual: ObjectVerdict) -> Exactness {
    let lacks = (expected.rejects && !actual.rejects) || (expected.warns && !actual.warns);
    Exactness::from_sides(lacks, !lacks && expected != actual)
}

/// The answers to many objects, from small to large.
#[derive(Debug, Default)]
pub(crate) struct VerdictTally {
    /// Number of objects evaluated by both.
    pub(crate) objects: usize,
    wider: Option<DepartedObject>,
    narrower: Option<DepartedObject>,
    speaks: Option<DepartedObject>,
}

#[derive(Debug)]
struct DepartedObject {
    object: Value,
    expected: ObjectVerdict,
    actual: ObjectVerdict,
}

impl VerdictTally {
    /// Notes both answers to one more object.
    pub(crate) fn note(&mut self, object: &Value, expected: ObjectVerdict, actual: ObjectVerdict) {
        self.objects += 1;
        let departed = || DepartedObject { object: object.clone(), expected, actual };
        let exactness = compare_verdicts(expected, actual);
        if exactness.may_widen() {
            self.wider.get_or_insert_with(departed);
        }
        if exactness.may_narrow() {
            self.narrower.get_or_insert_with(departed);
        }
        if actual != ObjectVerdict::default() {
            self.speaks.get_or_insert_with(departed);
        }
    }

    /// The first departure, if there is any.
    pub(crate) fn fault(self) -> Option<ClaimFault> {
        let first = self.wider.map(|it| (Exactness::Wider, it));
        first.or(self.narrower.map(|it| (Exactness::Narrower, it))).map(|(way, it)| it.fault(way))
    }

    /// Returns the finding for a claim. `complete` is true if the objects showed every case.
    pub(crate) fn finding(self, claim: &Fidelity, complete: bool) -> ClaimFinding {
        let claim = claim.exactness();
        if claim == Exactness::Unsupported {
            return self.unsupported();
        }
        let (may_widen, may_narrow) = (claim.may_widen(), claim.may_narrow());
        if let Some(departed) = self.wider.as_ref().filter(|_| !may_widen) {
            return ClaimFinding::Fault(departed.clone_fault(Exactness::Wider));
        }
        if let Some(departed) = self.narrower.as_ref().filter(|_| !may_narrow) {
            return ClaimFinding::Fault(departed.clone_fault(Exactness::Narrower));
        }
        let unproven =
            [(may_widen, &self.wider, Exactness::Wider), (may_narrow, &self.narrower, Exactness::Narrower)];
        let unproven = unproven.into_iter().find(|(may, shown, _)| *may && shown.is_none());
        if let Some((_, _, way)) = unproven.filter(|_| complete) {
            return ClaimFinding::Fault(ClaimFault::UnprovenDeparture(way));
        }
        match (complete, claim) {
            (false, _) => ClaimFinding::Inconclusive(TOO_LARGE.to_owned()),
            (true, Exactness::Exact) => ClaimFinding::Exact,
            (true, _) => ClaimFinding::AsClaimed {
                wider: self.wider.map(|departed| departed.object),
                narrower: self.narrower.map(|departed| departed.object),
            },
        }
    }

    /// A target must have no effect for a rule that it does not express.
    fn unsupported(self) -> ClaimFinding {
        match self.speaks {
            None => ClaimFinding::Unsupported,
            Some(spoken) => {
                let way = match compare_verdicts(spoken.expected, spoken.actual) {
                    Exactness::Exact => Exactness::Narrower,
                    way => way,
                };
                ClaimFinding::Fault(spoken.fault(way))
            }
        }
    }
}

/// The answers of a whole set to many objects, checked against what is claimed of each of its rules.
#[derive(Debug, Default)]
pub(crate) struct ClaimedAnswers {
    objects: usize,
    /// For each rule, whether it may let through what it should not.
    may_widen: Vec<bool>,
    may_narrow: bool,
    /// The ways in which some object departs, none of them undeclared.
    shown: BTreeSet<Exactness>,
    /// True if some object satisfies all rules. With a rule that rejects everything, nothing can be shown of the
    /// others.
    is_kept: bool,
    fault: Option<ClaimFault>,
}

impl ClaimedAnswers {
    /// No answers yet, to rules of which this is claimed.
    pub(crate) fn of(claims: &[&Fidelity]) -> Self {
        Self {
            may_widen: claims.iter().map(|claim| claim.exactness().may_widen()).collect(),
            may_narrow: claims.iter().any(|claim| claim.exactness().may_narrow()),
            ..Self::default()
        }
    }

    /// Records the expected verdict of each rule for an object, and the actual verdict of the whole.
    pub(crate) fn note(&mut self, object: &Value, expected: &[ObjectVerdict], actual: ObjectVerdict) {
        self.objects += 1;
        let all = ObjectVerdict {
            rejects: expected.iter().any(|expected| expected.rejects),
            warns: expected.iter().any(|expected| expected.warns),
        };
        self.is_kept |= all == ObjectVerdict::default();
        let lacks = |expected: &ObjectVerdict| {
            (expected.rejects && !actual.rejects) || (expected.warns && !actual.warns)
        };
        let is_undeclared = |(expected, may_widen): (&ObjectVerdict, &bool)| lacks(expected) && !may_widen;
        let found = if expected.iter().zip(&self.may_widen).any(is_undeclared) {
            Some(Exactness::Wider)
        } else {
            let speaks = (actual.rejects && !all.rejects) || (actual.warns && !all.warns);
            let ways = [(expected.iter().any(lacks), Exactness::Wider), (speaks, Exactness::Narrower)];
            self.shown.extend(ways.into_iter().filter(|(departs, _)| *departs).map(|(_, way)| way));
            (speaks && !self.may_narrow).then_some(Exactness::Narrower)
        };
        if let (Some(way), None) = (found, &self.fault) {
            self.fault =
                Some(ClaimFault::UnclaimedDeparture { way, object: object.clone(), expected: all, actual });
        }
    }

    /// Returns the reason why the claims do not hold, and the number of objects evaluated.
    pub(crate) fn fault(self) -> (Option<ClaimFault>, usize) {
        let claimed =
            [(self.may_widen.contains(&true), Exactness::Wider), (self.may_narrow, Exactness::Narrower)];
        let is_unproven =
            |(claimed, way): &(bool, Exactness)| *claimed && self.is_kept && !self.shown.contains(way);
        let unproven = claimed.into_iter().find(is_unproven);
        (self.fault.or(unproven.map(|(_, way)| ClaimFault::UnprovenDeparture(way))), self.objects)
    }
}

impl DepartedObject {
    fn fault(self, way: Exactness) -> ClaimFault {
        ClaimFault::UnclaimedDeparture {
            way,
            object: self.object,
            expected: self.expected,
            actual: self.actual,
        }
    }

    fn clone_fault(&self, way: Exactness) -> ClaimFault {
        ClaimFault::UnclaimedDeparture {
            way,
            object: self.object.clone(),
            expected: self.expected,
            actual: self.actual,
        }
    }
}

impl ClaimFinding {
    /// True if the claim holds in all cases.
    pub fn is_proved(&self) -> bool {
        matches!(self, Self::Exact | Self::AsClaimed { .. } | Self::Unsupported)
    }

    /// True if the claim does not hold.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Fault(_))
    }
}

impl ObjectVerdict {
    /// The word for it: `rejects`, `warns`, `accepts`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self { rejects: true, .. } => "rejects",
            Self { warns: true, .. } => "warns",
            Self { .. } => "accepts",
        }
    }
}
