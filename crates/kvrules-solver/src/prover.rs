//! Many questions about the same rules, with the work of all of them bounded.
//!
//! Most pairs of rules are unrelated, and an object found for one question often answers the next. So objects are
//! kept, and a search is needed only if none of them answers.

use std::cell::Cell;
use std::collections::HashMap;

use kvrules_eval::CompiledPredicate;
use kvrules_ir::{ElaboratedRule, Predicate};
use kvrules_regex::StepBudget;
use serde_json::Value;

use crate::patterns::PatternCache;
use crate::relation::ProofAnswer;
use crate::search::{SearchResult, search_object};
use crate::unknown_reason::UnknownReason;

/// The number of cases that all questions together may take.
const MOST_CASES: u64 = 40_000;

/// The number of objects that are kept.
const MOST_OBJECTS: usize = 600;

/// Answers questions about rules, and remembers what it learnt.
///
/// ```
/// use kvrules_ir::Predicate;
/// use kvrules_solver::{ProofAnswer, Prover};
///
/// let mut prover = Prover::default();
/// let nothing = [(&Predicate::True, true), (&Predicate::False, true)];
/// assert_eq!(prover.prove_exclusion(&nothing), ProofAnswer::Yes);
/// ```
#[derive(Debug)]
pub struct Prover<'p> {
    patterns: PatternCache,
    cases: StepBudget,
    objects: Vec<Value>,
    known: PredicateMemory<'p>,
    compared: Cell<u64>,
}

type PredicateMemory<'p> = HashMap<*const Predicate, KnownPredicate<'p>>;

/// A predicate, and which of the kept objects it holds for.
#[derive(Debug)]
struct KnownPredicate<'p> {
    compiled: CompiledPredicate<'p>,
    holds: Vec<bool>,
}

impl Default for Prover<'_> {
    fn default() -> Self {
        Self::with_cases(MOST_CASES)
    }
}

impl<'p> Prover<'p> {
    /// A prover that looks at so many cases and no more.
    pub fn with_cases(cases: u64) -> Self {
        Self {
            patterns: PatternCache::default(),
            cases: StepBudget::new(cases),
            objects: Vec::new(),
            known: HashMap::new(),
            compared: Cell::new(0),
        }
    }

    /// The number of cases that were examined, and of steps that automata took.
    pub fn work_done(&self) -> (u64, u64) {
        (self.cases.steps_used(), self.patterns.steps.steps_used())
    }

    /// The number of times that an object was checked against a rule that it was not made for.
    pub fn comparison_count(&self) -> u64 {
        self.compared.get()
    }

    /// Proves that no object satisfies each predicate with `true` and violates each predicate with `false`.
    pub fn prove_exclusion(&mut self, parts: &[(&'p Predicate, bool)]) -> ProofAnswer {
        if self.is_shown(parts) {
            return ProofAnswer::No(None);
        }
        match self.search_object(parts) {
            SearchResult::Nothing => ProofAnswer::Yes,
            SearchResult::Unknown(reason) => ProofAnswer::Unknown(reason),
            SearchResult::Object(object) => {
                if self.objects.len() < MOST_OBJECTS {
                    self.objects.push(object);
                }
                ProofAnswer::No(None)
            }
        }
    }

    /// Looks for an object on which all of `kept` hold and `broken` does not; `near` is the one of them that decides most.
    ///
    /// Few rules decide about another. So an object is looked for with `near` alone, and those of the others that it
    /// breaks are taken in, until it breaks none or there is a proof.
    pub fn find_violating_object(
        &mut self,
        kept: &[&'p Predicate],
        near: &'p Predicate,
        broken: &'p Predicate,
    ) -> SearchResult {
        let mut parts = vec![(near, true), (broken, false)];
        let mut more = 1;
        let mut reason = loop {
            let object = match self.search_object(&parts) {
                SearchResult::Object(object) => object,
                SearchResult::Nothing => return SearchResult::Nothing,
                SearchResult::Unknown(reason) => break reason,
            };
            let (known, compared) = (&mut self.known, &self.compared);
            let breaks = |predicate: &&&'p Predicate| {
                compared.set(compared.get() + 1);
                !known_of(known, predicate).compiled.holds_for(&object)
            };
            let missed: Vec<&'p Predicate> = kept.iter().filter(breaks).take(more).copied().collect();
            if missed.is_empty() {
                return SearchResult::Object(object);
            }
            let at = parts.len() - 1;
            parts.splice(at..at, missed.into_iter().map(|predicate| (predicate, true)));
            more *= 2;
        };
        if parts.len() <= kept.len() && reason != UnknownReason::WorkExhausted {
            // All premises together may exclude an object that some of them allow.
            let all: Vec<_> = kept.iter().map(|kept| (*kept, true)).chain([(broken, false)]).collect();
            match self.search_object(&all) {
                SearchResult::Unknown(other) => reason = other,
                found => return found,
            }
        }
        SearchResult::Unknown(reason)
    }

    fn search_object(&mut self, parts: &[(&'p Predicate, bool)]) -> SearchResult {
        for (predicate, _) in parts {
            known_of(&mut self.known, predicate);
        }
        let evaluator = |predicate: &Predicate, object: &Value| {
            let known = self.known.get(&std::ptr::from_ref(predicate));
            known.is_some_and(|known| known.compiled.holds_for(object))
        };
        search_object(parts, &mut self.patterns, &self.cases, &evaluator)
    }

    /// Proves that every object that satisfies one rule satisfies the other.
    pub fn prove_implication(&mut self, one: &'p ElaboratedRule, other: &'p ElaboratedRule) -> ProofAnswer {
        if one.predicate.obviously_implies(&other.predicate) {
            return ProofAnswer::Yes;
        }
        self.prove_exclusion(&[(&one.predicate, true), (&other.predicate, false)])
    }

    /// True if it is proved that the same objects satisfy both rules.
    pub fn are_equal(&mut self, one: &'p ElaboratedRule, other: &'p ElaboratedRule) -> bool {
        let (one_alone, other_alone) = (
            [(&one.predicate, true), (&other.predicate, false)],
            [(&other.predicate, true), (&one.predicate, false)],
        );
        // A known object distinguishes most rules without a proof.
        let is_apart = self.is_shown(&one_alone) || self.is_shown(&other_alone);
        !is_apart
            && self.prove_implication(one, other).is_yes()
            && self.prove_implication(other, one).is_yes()
    }

    /// Proves that no object that both rules apply to satisfies both, though both can apply and each alone can be
    /// satisfied.
    pub fn prove_contradiction(&mut self, one: &'p ElaboratedRule, other: &'p ElaboratedRule) -> ProofAnswer {
        let (first, second) = ((&one.applies, true), (&other.applies, true));
        let (kept, also) = ((&one.predicate, true), (&other.predicate, true));
        match self.prove_exclusion(&[first, kept, second, also]) {
            ProofAnswer::Yes => {}
            no_or_unknown => return no_or_unknown,
        }
        for question in [&[first, kept][..], &[second, also], &[first, second]] {
            match self.prove_exclusion(question) {
                ProofAnswer::No(_) => {}
                ProofAnswer::Yes => return ProofAnswer::No(None),
                unknown @ ProofAnswer::Unknown(_) => return unknown,
            }
        }
        ProofAnswer::Yes
    }

    /// Proves that every object satisfies the rule.
    pub fn always_holds(&mut self, rule: &'p ElaboratedRule) -> ProofAnswer {
        self.prove_exclusion(&[(&rule.predicate, false)])
    }

    /// True if one of the kept objects gives each predicate the required result.
    fn is_shown(&mut self, parts: &[(&'p Predicate, bool)]) -> bool {
        for (predicate, _) in parts {
            let known = known_of(&mut self.known, predicate);
            let new = self.objects.iter().skip(known.holds.len());
            known.holds.extend(new.map(|object| known.compiled.holds_for(object)));
        }
        let verdicts: Vec<(&[bool], bool)> = parts
            .iter()
            .filter_map(|(predicate, holds)| {
                Some((self.known.get(&std::ptr::from_ref(*predicate))?.holds.as_slice(), *holds))
            })
            .collect();
        (0..self.objects.len()).any(|at| verdicts.iter().all(|(known, wanted)| known.get(at) == Some(wanted)))
    }
}

fn known_of<'k, 'p>(
    known: &'k mut PredicateMemory<'p>,
    predicate: &'p Predicate,
) -> &'k mut KnownPredicate<'p> {
    let new = || KnownPredicate { compiled: CompiledPredicate::new(predicate), holds: Vec::new() };
    known.entry(std::ptr::from_ref(predicate)).or_insert_with(new)
}
