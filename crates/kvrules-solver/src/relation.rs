//! Relations between two rules, and properties of one rule.

use kvrules_ir::ElaboratedRule;
use serde_json::Value;

use crate::search::{SearchResult, find_object};
use crate::unknown_reason::UnknownReason;

/// The answer to a question about all objects.
#[derive(Clone, Debug, PartialEq)]
pub enum ProofAnswer {
    /// Yes; this is proved.
    Yes,
    /// No. The object shows it, if a single one can.
    No(Option<Value>),
    /// Undecided.
    Unknown(UnknownReason),
}

/// Strictness of a rule compared with another.
#[derive(Clone, Debug, PartialEq)]
pub enum StrictnessComparison {
    /// They accept the same objects.
    Equal,
    /// The other accepts less. The object is accepted by the first alone.
    Tighter(Value),
    /// The other accepts more. The object is accepted by the other alone.
    Looser(Value),
    /// Each accepts an object that the other does not: the first that of the first, the second that of the other.
    Incomparable(Value, Value),
    /// Undecided.
    Unknown(UnknownReason),
}

impl ProofAnswer {
    /// True if the answer is a proved yes.
    pub fn is_yes(&self) -> bool {
        *self == Self::Yes
    }

    fn from_search(found: SearchResult) -> Self {
        match found {
            SearchResult::Nothing => Self::Yes,
            SearchResult::Object(object) => Self::No(Some(object)),
            SearchResult::Unknown(reason) => Self::Unknown(reason),
        }
    }
}

/// Tests that every object that satisfies one rule (or for which it is skipped) satisfies the other.
pub fn check_implication(one: &ElaboratedRule, other: &ElaboratedRule) -> ProofAnswer {
    if one.predicate.obviously_implies(&other.predicate) {
        return ProofAnswer::Yes;
    }
    ProofAnswer::from_search(find_object(&[(&one.predicate, true), (&other.predicate, false)]))
}

/// Tests that the same objects satisfy both rules.
pub fn check_equivalence(one: &ElaboratedRule, other: &ElaboratedRule) -> ProofAnswer {
    match check_implication(one, other) {
        ProofAnswer::Yes => check_implication(other, one),
        // If one direction is unknown, an object may still disprove the other.
        ProofAnswer::Unknown(reason) => match check_implication(other, one) {
            ProofAnswer::No(object) => ProofAnswer::No(object),
            _ => ProofAnswer::Unknown(reason),
        },
        ProofAnswer::No(object) => ProofAnswer::No(object),
    }
}

/// Tests that no object that both rules apply to satisfies both, though both can apply and each alone can be
/// satisfied.
pub fn check_contradiction(one: &ElaboratedRule, other: &ElaboratedRule) -> ProofAnswer {
    let (first, second) = ((&one.applies, true), (&other.applies, true));
    let (kept, also) = ((&one.predicate, true), (&other.predicate, true));
    match ProofAnswer::from_search(find_object(&[first, kept, second, also])) {
        ProofAnswer::Yes => {}
        no_or_unknown => return no_or_unknown,
    }
    for question in [&[first, kept][..], &[second, also], &[first, second]] {
        match find_object(question) {
            SearchResult::Object(_) => {}
            SearchResult::Nothing => return ProofAnswer::No(None),
            SearchResult::Unknown(reason) => return ProofAnswer::Unknown(reason),
        }
    }
    ProofAnswer::Yes
}

/// Tests that the rule is skipped on every object.
pub fn never_applies(rule: &ElaboratedRule) -> ProofAnswer {
    ProofAnswer::from_search(find_object(&[(&rule.applies, true)]))
}

/// Tests that every object satisfies the rule.
pub fn always_holds(rule: &ElaboratedRule) -> ProofAnswer {
    ProofAnswer::from_search(find_object(&[(&rule.predicate, false)]))
}

/// Tests that every object that the rule applies to violates it.
pub fn never_satisfied(rule: &ElaboratedRule) -> ProofAnswer {
    ProofAnswer::from_search(find_object(&[(&rule.applies, true), (&rule.predicate, true)]))
}

/// Compares the strictness of `other` with that of `one`, for example of a new rule with an old one.
pub fn compare_strictness(one: &ElaboratedRule, other: &ElaboratedRule) -> StrictnessComparison {
    match (check_implication(one, other), check_implication(other, one)) {
        (ProofAnswer::Unknown(reason), _) | (_, ProofAnswer::Unknown(reason)) => {
            StrictnessComparison::Unknown(reason)
        }
        (ProofAnswer::Yes, ProofAnswer::Yes) => StrictnessComparison::Equal,
        (ProofAnswer::No(Some(lost)), ProofAnswer::No(Some(won))) => {
            StrictnessComparison::Incomparable(lost, won)
        }
        (ProofAnswer::No(Some(lost)), ProofAnswer::Yes) => StrictnessComparison::Tighter(lost),
        (ProofAnswer::Yes, ProofAnswer::No(Some(won))) => StrictnessComparison::Looser(won),
        (ProofAnswer::No(None), _) | (_, ProofAnswer::No(None)) => {
            StrictnessComparison::Unknown(UnknownReason::TooManyCases)
        }
    }
}
