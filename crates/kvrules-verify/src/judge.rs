//! Two answers side by side, and a target held to what it claims.

use kvrules_emit::Fidelity;
use serde::Serialize;
use serde_json::Value;

/// What is said of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Said {
    /// It is rejected.
    pub rejects: bool,
    /// It is warned of.
    pub warns: bool,
}

/// In which way an artefact departs from the meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// It lets through what should be rejected or warned of.
    Wider,
    /// It rejects or warns where nothing should be said.
    Narrower,
}

/// What came of a target's claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// It claims to be exact, and agrees with the meaning on every object.
    Exact,
    /// It departs in the ways that it claims, and each is shown.
    AsClaimed {
        /// The smallest object that it lets through and should not.
        wider: Option<Value>,
        /// The smallest object that it refuses and should not.
        narrower: Option<Value>,
    },
    /// It claims not to say the rule, and says nothing.
    Silent,
    /// The claim does not hold.
    Fault(Fault),
    /// Nothing was found against the claim, and not all could be looked at; why, in a sentence.
    Inconclusive(String),
}

/// Why a claim does not hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// It departs from the meaning in a way that it does not claim.
    Departs {
        /// Which.
        way: Way,
        /// The smallest object that shows it.
        object: Value,
        /// What is meant.
        meant: Said,
        /// What it says.
        said: Said,
    },
    /// It claims to depart, and no object shows it.
    Unshown(Way),
    /// It cannot be run; why, in a sentence.
    Broken(String),
}

/// In which way one answer departs from another.
pub(crate) fn way(meant: Said, said: Said) -> Option<Way> {
    let lacks = (meant.rejects && !said.rejects) || (meant.warns && !said.warns);
    match (lacks, meant == said) {
        (_, true) => None,
        (true, false) => Some(Way::Wider),
        (false, false) => Some(Way::Narrower),
    }
}

/// The answers to many objects, from small to large.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// How many objects were judged by both.
    pub(crate) objects: usize,
    wider: Option<Departed>,
    narrower: Option<Departed>,
    speaks: Option<Departed>,
}

#[derive(Debug)]
struct Departed {
    object: Value,
    meant: Said,
    said: Said,
}

impl Tally {
    /// Notes both answers to one more object.
    pub(crate) fn note(&mut self, object: &Value, meant: Said, said: Said) {
        self.objects += 1;
        let departed = || Departed { object: object.clone(), meant, said };
        match way(meant, said) {
            Some(Way::Wider) => _ = self.wider.get_or_insert_with(departed),
            Some(Way::Narrower) => _ = self.narrower.get_or_insert_with(departed),
            None => {}
        }
        if said != Said::default() {
            self.speaks.get_or_insert_with(departed);
        }
    }

    /// The first departure, if there is any.
    pub(crate) fn fault(self) -> Option<Fault> {
        let first = self.wider.map(|it| (Way::Wider, it));
        first.or(self.narrower.map(|it| (Way::Narrower, it))).map(|(way, it)| it.fault(way))
    }

    /// What becomes of a claim. `complete` is whether the objects showed every case.
    pub(crate) fn finding(self, claim: &Fidelity, complete: bool) -> Finding {
        let (may_widen, may_narrow) = match claim {
            Fidelity::Exact => (false, false),
            Fidelity::Wider(_) => (true, false),
            Fidelity::Narrower(_) => (false, true),
            Fidelity::Incomparable(_) => (true, true),
            Fidelity::Unsupported(_) => return self.silent(),
        };
        if let Some(departed) = self.wider.as_ref().filter(|_| !may_widen) {
            return Finding::Fault(departed.clone_fault(Way::Wider));
        }
        if let Some(departed) = self.narrower.as_ref().filter(|_| !may_narrow) {
            return Finding::Fault(departed.clone_fault(Way::Narrower));
        }
        let unshown = [(may_widen, &self.wider, Way::Wider), (may_narrow, &self.narrower, Way::Narrower)];
        let unshown = unshown.into_iter().find(|(may, shown, _)| *may && shown.is_none());
        if let Some((_, _, way)) = unshown {
            return Finding::Fault(Fault::Unshown(way));
        }
        match (complete, claim) {
            (false, _) => Finding::Inconclusive("there are too many cases to go through all".to_owned()),
            (true, Fidelity::Exact) => Finding::Exact,
            (true, _) => Finding::AsClaimed {
                wider: self.wider.map(|departed| departed.object),
                narrower: self.narrower.map(|departed| departed.object),
            },
        }
    }

    /// Of a rule that a target does not say, it must say nothing.
    fn silent(self) -> Finding {
        match self.speaks {
            None => Finding::Silent,
            Some(spoken) => {
                let way = way(spoken.meant, spoken.said).unwrap_or(Way::Narrower);
                Finding::Fault(spoken.fault(way))
            }
        }
    }
}

impl Departed {
    fn fault(self, way: Way) -> Fault {
        Fault::Departs { way, object: self.object, meant: self.meant, said: self.said }
    }

    fn clone_fault(&self, way: Way) -> Fault {
        Fault::Departs { way, object: self.object.clone(), meant: self.meant, said: self.said }
    }
}

impl Finding {
    /// Whether the claim does not hold.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Fault(_))
    }
}

impl Way {
    /// The word for it: `wider`, `narrower`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wider => "wider",
            Self::Narrower => "narrower",
        }
    }
}

impl Said {
    /// The word for it: `rejects`, `warns`, `accepts`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self { rejects: true, .. } => "rejects",
            Self { warns: true, .. } => "warns",
            Self { .. } => "accepts",
        }
    }
}
