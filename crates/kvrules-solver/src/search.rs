//! The search for an object on which some predicates hold and others do not.

use std::collections::BTreeMap;

use kvrules_ir::Predicate;
use kvrules_regex::StepBudget;
use serde_json::Value;

use crate::address::Address;
use crate::case::SearchCase;
use crate::decompose::decompose_goal;
use crate::goal::{GoalAgenda, SearchGoal};
use crate::numbers::{equal_texts, settle_numbers};
use crate::object::build_object;
use crate::patterns::PatternCache;
use crate::unknown_reason::UnknownReason;
use crate::value::{ValueChoice, choose_values};

/// Cases beyond this number are not examined.
const MOST_CASES: u64 = 2_000;

/// Limit on the weight of the cases of one search: the demands and the places that are copied for each.
const MOST_WEIGHT: usize = 300_000;

/// Result of the search for an object.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchResult {
    /// An object that gives every predicate the required result.
    Object(Value),
    /// No object exists; this is a proof.
    Nothing,
    /// Undecided.
    Unknown(UnknownReason),
}

/// Looks for an object on which each of these predicates holds (`true`) or does not (`false`).
pub fn find_object(parts: &[(&Predicate, bool)]) -> SearchResult {
    search_object(
        parts,
        &mut PatternCache::default(),
        &StepBudget::new(MOST_CASES),
        &kvrules_eval::predicate_holds,
    )
}

/// Evaluates a predicate on an object.
pub(crate) type PredicateEvaluator<'j> = dyn Fn(&Predicate, &Value) -> bool + 'j;

/// The same with patterns and predicates that were compiled before. Each case takes one of the `steps`.
pub(crate) fn search_object(
    parts: &[(&Predicate, bool)],
    patterns: &mut PatternCache,
    steps: &StepBudget,
    evaluator: &PredicateEvaluator<'_>,
) -> SearchResult {
    patterns.are_broken = false;
    let parts_in_turn = parts.iter().rev();
    let goals =
        parts_in_turn.map(|(predicate, holds)| SearchGoal::Holds(predicate, *holds, Vec::new())).collect();
    let mut search = ObjectSearch { parts, patterns, steps, evaluator, cases: 0, weight: 0, mixed: false };
    match search.search_case(SearchCase::default(), GoalAgenda { goals, choices: Vec::new() }) {
        SearchResult::Nothing if search.mixed => SearchResult::Unknown(UnknownReason::ConflictingTypes),
        SearchResult::Nothing if search.patterns.are_broken => {
            SearchResult::Unknown(UnknownReason::PatternsTooLarge)
        }
        found => found,
    }
}

struct ObjectSearch<'p, 'q> {
    parts: &'q [(&'p Predicate, bool)],
    patterns: &'q mut PatternCache,
    steps: &'q StepBudget,
    evaluator: &'q PredicateEvaluator<'q>,
    cases: u64,
    weight: usize,
    mixed: bool,
}

impl<'p> ObjectSearch<'p, '_> {
    /// Follows one case to its end, splitting it if there is a choice.
    fn search_case(&mut self, mut case: SearchCase<'p>, mut agenda: GoalAgenda<'p>) -> SearchResult {
        self.cases += 1;
        self.weight += 1 + case.weight() + agenda.choices.len();
        if self.cases > MOST_CASES || self.weight > MOST_WEIGHT {
            return SearchResult::Unknown(UnknownReason::TooManyCases);
        }
        if !self.steps.try_take(1) {
            return SearchResult::Unknown(UnknownReason::WorkExhausted);
        }
        while let Some(goal) = agenda.goals.pop() {
            let followed = decompose_goal(goal, &mut case, &mut agenda);
            self.mixed |= case.mixed;
            if followed.is_err() {
                return SearchResult::Nothing;
            }
        }
        // The narrowest choice first.
        let narrowest =
            agenda.choices.iter().enumerate().min_by_key(|(_, ways)| ways.len()).map(|(at, _)| at);
        let Some(narrowest) = narrowest else { return self.finish_case(case) };
        let mut reason = None;
        for way in agenda.choices.swap_remove(narrowest) {
            let agenda = GoalAgenda { goals: vec![way], choices: agenda.choices.clone() };
            match self.search_case(case.clone(), agenda) {
                SearchResult::Nothing => {}
                SearchResult::Object(object) => return SearchResult::Object(object),
                SearchResult::Unknown(why) => reason = reason.or(Some(why)),
            }
            if matches!(reason, Some(UnknownReason::TooManyCases | UnknownReason::WorkExhausted)) {
                break;
            }
        }
        reason.map_or(SearchResult::Nothing, SearchResult::Unknown)
    }

    /// Searches values for a case without remaining choices.
    fn finish_case(&mut self, mut case: SearchCase<'p>) -> SearchResult {
        let Ok(groups) = equal_texts(&case) else { return SearchResult::Nothing };
        let is_compared = !case.comparisons.is_empty();
        if is_compared {
            // Before numbers are chosen, a failure is a proof.
            match self.choose_values(&case, &groups) {
                Ok(_) => {}
                Err(found) => return found,
            }
            if settle_numbers(&mut case).is_err() {
                return SearchResult::Nothing;
            }
        }
        let values = match self.choose_values(&case, &groups) {
            Ok(values) => values,
            Err(SearchResult::Nothing) if is_compared => {
                return SearchResult::Unknown(UnknownReason::UnresolvedComparisons);
            }
            Err(found) => return found,
        };
        let present = case.present.iter().map(|address| (address.clone(), case.types.get(address).copied()));
        let object = build_object(present, values);
        let shows =
            self.parts.iter().all(|(predicate, holds)| (self.evaluator)(predicate, &object) == *holds);
        let reason =
            if is_compared { UnknownReason::UnresolvedComparisons } else { UnknownReason::UnresolvedValues };
        if shows { SearchResult::Object(object) } else { SearchResult::Unknown(reason) }
    }

    /// A value for each place.
    fn choose_values(
        &mut self,
        case: &SearchCase<'p>,
        groups: &[Vec<Address<'p>>],
    ) -> Result<BTreeMap<Address<'p>, Value>, SearchResult> {
        let alone = case.values.keys().filter(|place| !groups.iter().any(|group| group.contains(place)));
        let all = groups.iter().cloned().chain(alone.map(|place| vec![place.clone()]));
        let (mut values, mut reason) = (BTreeMap::new(), None);
        for group in all {
            let known: Vec<_> = group.iter().filter_map(|place| case.values.get(place)).collect();
            match choose_values(&known, self.patterns) {
                ValueChoice::Values(found) => values.extend(group.into_iter().zip(found)),
                ValueChoice::Nothing => return Err(SearchResult::Nothing),
                ValueChoice::Unknown(why) => reason = reason.or(Some(why)),
            }
        }
        reason.map_or(Ok(values), |reason| Err(SearchResult::Unknown(reason)))
    }
}
