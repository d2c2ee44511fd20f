//! Relations between two rules, and properties of one rule.

use kvrules_ir::ElaboratedRule;
use serde_json::Value;

use crate::doubt::Doubt;
use crate::search::{Found, find_object};

/// The answer to a question about all objects.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Yes; this is proved.
    Yes,
    /// No. The object shows it, if a single one can.
    No(Option<Value>),
    /// Undecided.
    Unknown(Doubt),
}

/// Strictness of a rule compared with another.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// They accept the same objects.
    Equal,
    /// The other accepts less. The object is accepted by the first alone.
    Tighter(Value),
    /// The other accepts more. The object is accepted by the other alone.
    Looser(Value),
    /// Each accepts an object that the other does not: the first that of the first, the second that of the other.
    Incomparable(Value, Value),
    /// Undecided.
    Unknown(Doubt),
}

impl Answer {
    /// True if the answer is a proved yes.
    pub fn is_yes(&self) -> bool {
        *self == Self::Yes
    }

    fn of(found: Found) -> Self {
        match found {
            Found::Nothing => Self::Yes,
            Found::Object(object) => Self::No(Some(object)),
            Found::Unclear(doubt) => Self::Unknown(doubt),
        }
    }
}

/// Tests that every object that satisfies one rule (or for which it is skipped) satisfies the other.
pub fn check_implication(one: &ElaboratedRule, other: &ElaboratedRule) -> Answer {
    if one.predicate.obviously_implies(&other.predicate) {
        return Answer::Yes;
    }
    Answer::of(find_object(&[(&one.predicate, true), (&other.predicate, false)]))
}

/// Tests that the same objects satisfy both rules.
pub fn check_equivalence(one: &ElaboratedRule, other: &ElaboratedRule) -> Answer {
    match check_implication(one, other) {
        Answer::Yes => check_implication(other, one),
        // An object may show a difference where the other direction is not known.
        Answer::Unknown(doubt) => match check_implication(other, one) {
            Answer::No(object) => Answer::No(object),
            _ => Answer::Unknown(doubt),
        },
        Answer::No(object) => Answer::No(object),
    }
}

/// Tests that no object that both rules apply to satisfies both, though both can apply and each alone can be
/// satisfied.
pub fn check_contradiction(one: &ElaboratedRule, other: &ElaboratedRule) -> Answer {
    let (first, second) = ((&one.applies, true), (&other.applies, true));
    let (kept, also) = ((&one.predicate, true), (&other.predicate, true));
    match Answer::of(find_object(&[first, kept, second, also])) {
        Answer::Yes => {}
        no_or_unknown => return no_or_unknown,
    }
    for question in [&[first, kept][..], &[second, also], &[first, second]] {
        match find_object(question) {
            Found::Object(_) => {}
            Found::Nothing => return Answer::No(None),
            Found::Unclear(doubt) => return Answer::Unknown(doubt),
        }
    }
    Answer::Yes
}

/// Tests that the rule is skipped on every object.
pub fn never_applies(rule: &ElaboratedRule) -> Answer {
    Answer::of(find_object(&[(&rule.applies, true)]))
}

/// Tests that every object satisfies the rule.
pub fn always_holds(rule: &ElaboratedRule) -> Answer {
    Answer::of(find_object(&[(&rule.predicate, false)]))
}

/// Tests that every object that the rule applies to violates it.
pub fn never_satisfied(rule: &ElaboratedRule) -> Answer {
    Answer::of(find_object(&[(&rule.applies, true), (&rule.predicate, true)]))
}

/// Compares the strictness of `other` with that of `one`, for example of a new rule with an old one.
pub fn compare_strictness(one: &ElaboratedRule, other: &ElaboratedRule) -> Comparison {
    match (check_implication(one, other), check_implication(other, one)) {
        (Answer::Unknown(doubt), _) | (_, Answer::Unknown(doubt)) => Comparison::Unknown(doubt),
        (Answer::Yes, Answer::Yes) => Comparison::Equal,
        (Answer::No(Some(lost)), Answer::No(Some(won))) => Comparison::Incomparable(lost, won),
        (Answer::No(Some(lost)), Answer::Yes) => Comparison::Tighter(lost),
        (Answer::Yes, Answer::No(Some(won))) => Comparison::Looser(won),
        (Answer::No(None), _) | (_, Answer::No(None)) => Comparison::Unknown(Doubt::Cases),
    }
}
