//! Many questions about the same rules, with the work of all of them bounded.
//!
//! Most pairs of rules have nothing to do with each other, and an object that was found for one question often answers the
//! next. So objects are kept, and a search is made only where none of them answers.

use std::cell::Cell;
use std::collections::HashMap;

use kvrules_eval::CompiledPredicate;
use kvrules_ir::{ElaboratedRule, Predicate};
use kvrules_regex::Steps;
use serde_json::Value;

use crate::doubt::Doubt;
use crate::patterns::Patterns;
use crate::relation::Answer;
use crate::search::{Found, search};

/// The number of cases that all questions together may take.
const MOST_CASES: u64 = 40_000;

/// The number of objects that are kept.
const MOST_OBJECTS: usize = 600;

/// Answers questions about rules, and remembers what it learnt.
///
/// ```
/// use kvrules_ir::Predicate;
/// use kvrules_relate::{Answer, Prover};
///
/// let mut prover = Prover::default();
/// let nothing = [(&Predicate::True, true), (&Predicate::False, true)];
/// assert_eq!(prover.excludes(&nothing), Answer::Yes);
/// ```
#[derive(Debug)]
pub struct Prover<'p> {
    patterns: Patterns,
    cases: Steps,
    objects: Vec<Value>,
    known: Memory<'p>,
    compared: Cell<u64>,
}

type Memory<'p> = HashMap<*const Predicate, Known<'p>>;

/// A predicate, and which of the kept objects it holds for.
#[derive(Debug)]
struct Known<'p> {
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
            patterns: Patterns::default(),
            cases: Steps::new(cases),
            objects: Vec::new(),
            known: HashMap::new(),
            compared: Cell::new(0),
        }
    }

    /// The number of cases that were looked at, and of steps that automata took.
    pub fn work_done(&self) -> (u64, u64) {
        (self.cases.steps_used(), self.patterns.steps.steps_used())
    }

    /// The number of times that an object was held against a rule that it was not made for.
    pub fn comparison_count(&self) -> u64 {
        self.compared.get()
    }

    /// Proves that no object satisfies each predicate with `true` and violates each predicate with `false`.
    pub fn prove_exclusion(&mut self, parts: &[(&'p Predicate, bool)]) -> Answer {
        if self.is_shown(parts) {
            return Answer::No(None);
        }
        match self.search(parts) {
            Found::Nothing => Answer::Yes,
            Found::Unclear(doubt) => Answer::Unknown(doubt),
            Found::Object(object) => {
                if self.objects.len() < MOST_OBJECTS {
                    self.objects.push(object);
                }
                Answer::No(None)
            }
        }
    }

    /// Looks for an object on which all of `kept` hold and `broken` does not; `near` is the one of them that decides most.
    ///
    /// Few rules decide what becomes of another. So an object is looked for with `near` alone, and those of the others that it
    /// breaks are taken in, until it breaks none or there is a proof.
    pub fn find_violating_object(
        &mut self,
        kept: &[&'p Predicate],
        near: &'p Predicate,
        broken: &'p Predicate,
    ) -> Found {
        let mut parts = vec![(near, true), (broken, false)];
        let mut more = 1;
        let mut doubt = loop {
            let object = match self.search(&parts) {
                Found::Object(object) => object,
                Found::Nothing => return Found::Nothing,
                Found::Unclear(doubt) => break doubt,
            };
            let (known, compared) = (&mut self.known, &self.compared);
            let breaks = |predicate: &&&'p Predicate| {
                compared.set(compared.get() + 1);
                !known_of(known, predicate).compiled.holds_for(&object)
            };
            let missed: Vec<&'p Predicate> = kept.iter().filter(breaks).take(more).copied().collect();
            if missed.is_empty() {
                return Found::Object(object);
            }
            let at = parts.len() - 1;
            parts.splice(at..at, missed.into_iter().map(|predicate| (predicate, true)));
            more *= 2;
        };
        if parts.len() <= kept.len() && doubt != Doubt::Work {
            // All of them together may exclude what some leave open.
            let all: Vec<_> = kept.iter().map(|kept| (*kept, true)).chain([(broken, false)]).collect();
            match self.search(&all) {
                Found::Unclear(other) => doubt = other,
                found => return found,
            }
        }
        Found::Unclear(doubt)
    }

    fn search(&mut self, parts: &[(&'p Predicate, bool)]) -> Found {
        for (predicate, _) in parts {
            known_of(&mut self.known, predicate);
        }
        let judge = |predicate: &Predicate, object: &Value| {
            let known = self.known.get(&std::ptr::from_ref(predicate));
            known.is_some_and(|known| known.compiled.holds_for(object))
        };
        search(parts, &mut self.patterns, &self.cases, &judge)
    }

    /// Proves that every object that satisfies one rule satisfies the other.
    pub fn prove_implication(&mut self, one: &'p ElaboratedRule, other: &'p ElaboratedRule) -> Answer {
        if one.predicate.obviously_implies(&other.predicate) {
            return Answer::Yes;
        }
        self.prove_exclusion(&[(&one.predicate, true), (&other.predicate, false)])
    }

    /// True if it is proved that the same objects satisfy both rules.
    pub fn are_equal(&mut self, one: &'p ElaboratedRule, other: &'p ElaboratedRule) -> bool {
        let (one_alone, other_alone) = (
            [(&one.predicate, true), (&other.predicate, false)],
            [(&other.predicate, true), (&one.predicate, false)],
        );
        // Most rules are told apart by an object that is known.
        let is_apart = self.is_shown(&one_alone) || self.is_shown(&other_alone);
        !is_apart
            && self.prove_implication(one, other).is_yes()
            && self.prove_implication(other, one).is_yes()
    }

    /// Proves that no object that both rules apply to satisfies both, though both can apply and each alone can be
    /// satisfied.
    pub fn prove_contradiction(&mut self, one: &'p ElaboratedRule, other: &'p ElaboratedRule) -> Answer {
        let (first, second) = ((&one.applies, true), (&other.applies, true));
        let (kept, also) = ((&one.predicate, true), (&other.predicate, true));
        match self.prove_exclusion(&[first, kept, second, also]) {
            Answer::Yes => {}
            no_or_unknown => return no_or_unknown,
        }
        for question in [&[first, kept][..], &[second, also], &[first, second]] {
            match self.prove_exclusion(question) {
                Answer::No(_) => {}
                Answer::Yes => return Answer::No(None),
                unknown @ Answer::Unknown(_) => return unknown,
            }
        }
        Answer::Yes
    }

    /// Proves that every object satisfies the rule.
    pub fn always_holds(&mut self, rule: &'p ElaboratedRule) -> Answer {
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

fn known_of<'k, 'p>(known: &'k mut Memory<'p>, predicate: &'p Predicate) -> &'k mut Known<'p> {
    let new = || Known { compiled: CompiledPredicate::new(predicate), holds: Vec::new() };
    known.entry(std::ptr::from_ref(predicate)).or_insert_with(new)
}
