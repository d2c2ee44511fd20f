//! Relations between two rules and properties of one, each by a search of its own: what a prover that remembers must agree with.

use kvrules_ir::ElaboratedRule;
use kvrules_solver::{ProofAnswer, SearchResult, UnknownReason, find_object};
use serde_json::Value;

/// Strictness of a rule compared with another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StrictnessComparison {
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

fn to_answer(found: SearchResult) -> ProofAnswer {
    match found {
        SearchResult::Nothing => ProofAnswer::Yes,
        SearchResult::Object(object) => ProofAnswer::No(Some(object)),
        SearchResult::Unknown(reason) => ProofAnswer::Unknown(reason),
    }
}

/// Tests that every object that satisfies one rule (or for which it is skipped) satisfies the other.
pub(crate) fn check_implication(one: &ElaboratedRule, other: &ElaboratedRule) -> ProofAnswer {
    if one.predicate.obviously_implies(&other.predicate) {
        return ProofAnswer::Yes;
    }
    to_answer(find_object(&[(&one.predicate, true), (&other.predicate, false)]))
}

/// Tests that the same objects satisfy both rules.
pub(crate) fn check_equivalence(one: &ElaboratedRule, other: &ElaboratedRule) -> ProofAnswer {
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
pub(crate) fn check_contradiction(one: &ElaboratedRule, other: &ElaboratedRule) -> ProofAnswer {
    let (first, second) = ((&one.applies, true), (&other.applies, true));
    let (kept, also) = ((&one.predicate, true), (&other.predicate, true));
    match to_answer(find_object(&[first, kept, second, also])) {
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
pub(crate) fn never_applies(rule: &ElaboratedRule) -> ProofAnswer {
    to_answer(find_object(&[(&rule.applies, true)]))
}

/// Tests that every object that the rule applies to violates it.
pub(crate) fn never_satisfied(rule: &ElaboratedRule) -> ProofAnswer {
    to_answer(find_object(&[(&rule.applies, true), (&rule.predicate, true)]))
}

/// Compares the strictness of `other` with that of `one`, for example of a new rule with an old one.
pub(crate) fn compare_strictness(one: &ElaboratedRule, other: &ElaboratedRule) -> StrictnessComparison {
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
