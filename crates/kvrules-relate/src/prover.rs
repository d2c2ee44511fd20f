//! Many questions about the same rules, with the work of all of them bounded.
//!
//! Most pairs of rules have nothing to do with each other, and an object that was found for one question often answers the
//! next. So objects are kept, and a search is made only where none of them answers.

use std::collections::HashMap;

use kvrules_eval::CompiledPredicate;
use kvrules_ir::{ElaboratedRule, Predicate};
use kvrules_regex::Steps;
use serde_json::Value;

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
    known: HashMap<*const Predicate, Known<'p>>,
}

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
        }
    }

    /// The number of cases that were looked at, and of steps that automata took.
    pub fn work(&self) -> (u64, u64) {
        (self.cases.used(), self.patterns.steps.used())
    }

    /// Whether it is proved that no object is such that each of these predicates holds (`true`) or does not (`false`).
    pub fn excludes(&mut self, parts: &[(&'p Predicate, bool)]) -> Answer {
        if self.is_shown(parts) {
            return Answer::No(None);
        }
        let judge = |predicate: &Predicate, object: &Value| {
            let known = self.known.get(&std::ptr::from_ref(predicate));
            known.is_some_and(|known| known.compiled.holds(object))
        };
        match search(parts, &mut self.patterns, &self.cases, &judge) {
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

    /// Whether every object that keeps one rule keeps the other.
    pub fn implies(&mut self, one: &'p ElaboratedRule, other: &'p ElaboratedRule) -> Answer {
        if one.predicate.implies(&other.predicate) {
            return Answer::Yes;
        }
        self.excludes(&[(&one.predicate, true), (&other.predicate, false)])
    }

    /// Whether no object that both rules apply to satisfies both, though both can apply and each alone can be satisfied.
    pub fn contradicts(&mut self, one: &'p ElaboratedRule, other: &'p ElaboratedRule) -> Answer {
        let (first, second) = ((&one.applies, true), (&other.applies, true));
        let (kept, also) = ((&one.predicate, true), (&other.predicate, true));
        match self.excludes(&[first, kept, second, also]) {
            Answer::Yes => {}
            no_or_unknown => return no_or_unknown,
        }
        for question in [&[first, kept][..], &[second, also], &[first, second]] {
            match self.excludes(question) {
                Answer::No(_) => {}
                Answer::Yes => return Answer::No(None),
                unknown @ Answer::Unknown(_) => return unknown,
            }
        }
        Answer::Yes
    }

    /// Whether every object keeps the rule.
    pub fn always_holds(&mut self, rule: &'p ElaboratedRule) -> Answer {
        self.excludes(&[(&rule.predicate, false)])
    }

    /// Whether one of the kept objects is as asked.
    fn is_shown(&mut self, parts: &[(&'p Predicate, bool)]) -> bool {
        for (predicate, _) in parts {
            let known = self.known.entry(std::ptr::from_ref(*predicate));
            let known = known
                .or_insert_with(|| Known { compiled: CompiledPredicate::new(predicate), holds: Vec::new() });
            let new = self.objects.iter().skip(known.holds.len());
            known.holds.extend(new.map(|object| known.compiled.holds(object)));
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
