//! Two answers side by side, and a target checked against what it claims.

use std::collections::BTreeSet;

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

/// In which way an artefact departs from the meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DepartureDirection {
    /// It lets through what should be rejected or warned of.
    Wider,
    /// It rejects or warns where it should accept.
    Narrower,
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
        /// Direction of the departure.
        way: DepartureDirection,
        /// The smallest object that shows it.
        object: Value,
        /// Verdict by the rule's meaning.
        meant: ObjectVerdict,
        /// Verdict of the target.
        said: ObjectVerdict,
    },
    /// It claims to depart, and no object shows it.
    UnprovenDeparture(DepartureDirection),
    /// It cannot be run; why, in a sentence.
    CannotRun(String),
}

/// In which way one answer departs from another.
pub(crate) fn departure_direction(meant: ObjectVerdict, said: ObjectVerdict) -> Option<DepartureDirection> {
    let lacks = (meant.rejects && !said.rejects) || (meant.warns && !said.warns);
    match (lacks, meant == said) {
        (_, true) => None,
        (true, false) => Some(DepartureDirection::Wider),
        (false, false) => Some(DepartureDirection::Narrower),
    }
}

/// The answers to many objects, from small to large.
#[derive(Debug, Default)]
pub(crate) struct VerdictTally {
    /// Number of objects judged by both.
    pub(crate) objects: usize,
    wider: Option<DepartedObject>,
    narrower: Option<DepartedObject>,
    speaks: Option<DepartedObject>,
}

#[derive(Debug)]
struct DepartedObject {
    object: Value,
    meant: ObjectVerdict,
    said: ObjectVerdict,
}

impl VerdictTally {
    /// Notes both answers to one more object.
    pub(crate) fn note(&mut self, object: &Value, meant: ObjectVerdict, said: ObjectVerdict) {
        self.objects += 1;
        let departed = || DepartedObject { object: object.clone(), meant, said };
        match departure_direction(meant, said) {
            Some(DepartureDirection::Wider) => _ = self.wider.get_or_insert_with(departed),
            Some(DepartureDirection::Narrower) => _ = self.narrower.get_or_insert_with(departed),
            None => {}
        }
        if said != ObjectVerdict::default() {
            self.speaks.get_or_insert_with(departed);
        }
    }

    /// The first departure, if there is any.
    pub(crate) fn fault(self) -> Option<ClaimFault> {
        let first = self.wider.map(|it| (DepartureDirection::Wider, it));
        first.or(self.narrower.map(|it| (DepartureDirection::Narrower, it))).map(|(way, it)| it.fault(way))
    }

    /// Returns the finding for a claim. `complete` is true if the objects showed every case.
    pub(crate) fn finding(self, claim: &Fidelity, complete: bool) -> ClaimFinding {
        let (may_widen, may_narrow) = match claim {
            Fidelity::Exact => (false, false),
            Fidelity::Wider(_) => (true, false),
            Fidelity::Narrower(_) => (false, true),
            Fidelity::Incomparable(_) => (true, true),
            Fidelity::Unsupported(_) => return self.silent(),
        };
        if let Some(departed) = self.wider.as_ref().filter(|_| !may_widen) {
            return ClaimFinding::Fault(departed.clone_fault(DepartureDirection::Wider));
        }
        if let Some(departed) = self.narrower.as_ref().filter(|_| !may_narrow) {
            return ClaimFinding::Fault(departed.clone_fault(DepartureDirection::Narrower));
        }
        let unshown = [
            (may_widen, &self.wider, DepartureDirection::Wider),
            (may_narrow, &self.narrower, DepartureDirection::Narrower),
        ];
        let unshown = unshown.into_iter().find(|(may, shown, _)| *may && shown.is_none());
        if let Some((_, _, way)) = unshown.filter(|_| complete) {
            return ClaimFinding::Fault(ClaimFault::UnprovenDeparture(way));
        }
        match (complete, claim) {
            (false, _) => ClaimFinding::Inconclusive(TOO_LARGE.to_owned()),
            (true, Fidelity::Exact) => ClaimFinding::Exact,
            (true, _) => ClaimFinding::AsClaimed {
                wider: self.wider.map(|departed| departed.object),
                narrower: self.narrower.map(|departed| departed.object),
            },
        }
    }

    /// A target must have no effect for a rule that it does not express.
    fn silent(self) -> ClaimFinding {
        match self.speaks {
            None => ClaimFinding::Unsupported,
            Some(spoken) => {
                let way =
                    departure_direction(spoken.meant, spoken.said).unwrap_or(DepartureDirection::Narrower);
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
    shown: BTreeSet<DepartureDirection>,
    /// True if some object satisfies all rules. With a rule that rejects everything, nothing can be shown of the
    /// others.
    is_kept: bool,
    fault: Option<ClaimFault>,
}

impl ClaimedAnswers {
    /// No answers yet, to rules of which this is claimed.
    pub(crate) fn of(claims: &[&Fidelity]) -> Self {
        let widens = |claim: &&Fidelity| matches!(claim, Fidelity::Wider(_) | Fidelity::Incomparable(_));
        let narrows = |claim: &&Fidelity| matches!(claim, Fidelity::Narrower(_) | Fidelity::Incomparable(_));
        Self {
            may_widen: claims.iter().map(widens).collect(),
            may_narrow: claims.iter().any(narrows),
            ..Self::default()
        }
    }

    /// Records the expected verdict of each rule for an object, and the actual verdict of the whole.
    pub(crate) fn note(&mut self, object: &Value, meant: &[ObjectVerdict], said: ObjectVerdict) {
        self.objects += 1;
        let all = ObjectVerdict {
            rejects: meant.iter().any(|meant| meant.rejects),
            warns: meant.iter().any(|meant| meant.warns),
        };
        self.is_kept |= all == ObjectVerdict::default();
        let lacks = |meant: &ObjectVerdict| (meant.rejects && !said.rejects) || (meant.warns && !said.warns);
        let is_undeclared = |(meant, may_widen): (&ObjectVerdict, &bool)| lacks(meant) && !may_widen;
        let found = if meant.iter().zip(&self.may_widen).any(is_undeclared) {
            Some(DepartureDirection::Wider)
        } else {
            let speaks = (said.rejects && !all.rejects) || (said.warns && !all.warns);
            let ways = [
                (meant.iter().any(lacks), DepartureDirection::Wider),
                (speaks, DepartureDirection::Narrower),
            ];
            self.shown.extend(ways.into_iter().filter(|(departs, _)| *departs).map(|(_, way)| way));
            (speaks && !self.may_narrow).then_some(DepartureDirection::Narrower)
        };
        if let (Some(way), None) = (found, &self.fault) {
            self.fault =
                Some(ClaimFault::UnclaimedDeparture { way, object: object.clone(), meant: all, said });
        }
    }

    /// Returns the reason why the claims do not hold, and the number of objects judged.
    pub(crate) fn fault(self) -> (Option<ClaimFault>, usize) {
        let claimed = [
            (self.may_widen.contains(&true), DepartureDirection::Wider),
            (self.may_narrow, DepartureDirection::Narrower),
        ];
        let is_unshown = |(claimed, way): &(bool, DepartureDirection)| {
            *claimed && self.is_kept && !self.shown.contains(way)
        };
        let unshown = claimed.into_iter().find(is_unshown);
        (self.fault.or(unshown.map(|(_, way)| ClaimFault::UnprovenDeparture(way))), self.objects)
    }
}

impl DepartedObject {
    fn fault(self, way: DepartureDirection) -> ClaimFault {
        ClaimFault::UnclaimedDeparture { way, object: self.object, meant: self.meant, said: self.said }
    }

    fn clone_fault(&self, way: DepartureDirection) -> ClaimFault {
        ClaimFault::UnclaimedDeparture {
            way,
            object: self.object.clone(),
            meant: self.meant,
            said: self.said,
        }
    }
}

impl ClaimFinding {
    /// True if the claim does not hold.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Fault(_))
    }
}

impl DepartureDirection {
    /// The word for it: `wider`, `narrower`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wider => "wider",
            Self::Narrower => "narrower",
        }
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
