//! Values on which a rule and its counterpart differ, made from the formulas of all rules of their place.

use std::cell::Cell;
use std::cmp::Reverse;

use kvrules_generate::{PlaceStep, schema_at_place};
use kvrules_ir::Formula;
use kvrules_lift::{LiftedExpression, RuleTiming, RuleValues, make_case_values};
use kvrules_regex::StepBudget;
use serde_json::{Value, json};

use super::edit::{ObjectAttempt, ObjectEdit};
use super::exclusion::ExclusionSearch;
use super::formulas::{SideRules, place_steps};
use super::keyword::keyword_text;
use super::node_rules::{INNER, NodeRules, with_rules};
use super::rule_reads::ReadNames;
use super::satisfied_values::satisfied_values;
use super::schema_evaluator::{AdmissionVerdict, RULE, SchemaEvaluator};
use crate::bound::ImpliedDirection;

/// Number of values that are made for a rule in one direction, and the number of those that are kept.
const MADE: usize = 240;
const KEPT: usize = 6;
/// The most values of cases.
const MOST_CASES: usize = 2;
/// The most rules whose formulas are taken together.
const MOST_RULES: usize = 24;
/// The most runs of rules to see if the others accept a value.
const MOST_RUNS: u64 = 40_000;

/// Adds attempts for the rules of an edit: values that all rules of the accepting side let through and the other rule rejects.
pub(super) fn add_attempts(edit: &mut ObjectEdit, search: &ExclusionSearch<'_>, left: &Cell<usize>) {
    if edit.pair.is_none() || edit.bound == ImpliedDirection::Equal || left.get() == 0 {
        return;
    }
    let [old, new] = search.sides();
    if edit.bound != ImpliedDirection::Looser {
        // The other direction gets what this one leaves, and half of all at least.
        let kept = if edit.bound == ImpliedDirection::Tighter { 0 } else { left.get() / 2 };
        left.set(left.get() - kept);
        let more = differing_values(edit, old, new, true, left);
        edit.refused.splice(0..0, more);
        left.set(left.get() + kept);
    }
    if edit.bound != ImpliedDirection::Tighter {
        let more = differing_values(edit, new, old, false, left);
        edit.accepted.splice(0..0, more);
    }
}

/// Values that the rules of one side accept and the rule of the other one rejects.
fn differing_values(
    edit: &ObjectEdit,
    accepting: &SideRules<'_>,
    other: &SideRules<'_>,
    is_other_new: bool,
    left: &Cell<usize>,
) -> Vec<ObjectAttempt> {
    let found = Differing::new(edit, accepting, other, is_other_new);
    let satisfied = |rejects: &Formula| satisfied_values(accepting, &place_steps(&edit.downs), Some(rejects));
    found.map(|differing| differing.find(left, &satisfied)).unwrap_or_default()
}

/// A search for such values.
struct Differing<'s> {
    /// Values of cases in which the rules differ by their formulas.
    cases: Vec<(Value, Option<Value>)>,
    /// The condition under which the other rule rejects a value, unless it is about updates.
    rejects: Option<Formula>,
    values: RuleValues,
    /// All rules of the accepting side; none if they are too many to be prepared for each difference. Whole schemas confirm what is found.
    crowd: Option<NodeRules<'s>>,
    /// The other node with its rule alone.
    alone: SchemaEvaluator,
}

impl<'s> Differing<'s> {
    fn new(
        edit: &ObjectEdit,
        accepting: &SideRules<'s>,
        other: &SideRules<'s>,
        is_other_new: bool,
    ) -> Option<Self> {
        let place = place_steps(&edit.downs);
        let pair = edit.pair.as_ref()?;
        let rule = if is_other_new { &pair.new } else { &pair.old }.as_ref()?;
        let rejecting = other.find_rule(&place, rule)?;
        let formula = other.rule_formula(rejecting).ok()?;
        let own = related_formulas(accepting, &place, rule);
        let has_stored = formula.timing != RuleTiming::Always;
        let formula = (*formula.formula).clone();
        let holds = Formula::all_of(own.into_iter().chain([Formula::negation_of(formula.clone())]));
        let node = schema_at_place(accepting.schema, &place)?;
        let alone = with_rules(schema_at_place(other.schema, &place)?, vec![rule.clone()]);
        Some(Self {
            cases: make_case_values(&holds, node, has_stored, MOST_CASES),
            rejects: (!has_stored).then(|| Formula::negation_of(formula.clone())),
            values: RuleValues::new(other.rules.get(rejecting)?, &LiftedExpression { holds, fails: formula }),
            crowd: (accepting.rules_at(&place).count() <= MOST_RULES).then(|| NodeRules::new(node)),
            alone: SchemaEvaluator::new(&alone),
        })
    }

    fn find(mut self, left: &Cell<usize>, satisfied: &dyn Fn(&Formula) -> Vec<Value>) -> Vec<ObjectAttempt> {
        let steps = StepBudget::new(MOST_RUNS);
        let cases = std::mem::take(&mut self.cases);
        let mut found = self.differing_of(cases, &steps);
        if !found.is_empty() || self.crowd.is_none() {
            return found;
        }
        if let Some(rejects) = &self.rejects {
            let values = satisfied(rejects).into_iter().map(|value| (value, None)).collect();
            found = self.differing_of(values, &steps);
            if !found.is_empty() {
                return found;
            }
        }
        let first = self.values.make_value(0);
        // Each change by itself comes first: of these one mostly shows the difference.
        let mut changed = self.values.changed_values(&first).into_iter();
        for index in 0..MADE {
            if found.len() >= KEPT || left.get() == 0 {
                break;
            }
            left.set(left.get().saturating_sub(1));
            let made = match changed.next() {
                Some(value) => self.values.accepted_value(&value).map(|value| (value, None)),
                None => self.values.next_pair(index),
            };
            let Some((value, stored)) = made else { continue };
            found.extend(self.differing(value, stored, &steps));
        }
        found
    }

    /// Attempts with those of some values that the accepting side lets through and the other rule rejects.
    fn differing_of(&self, values: Vec<(Value, Option<Value>)>, steps: &StepBudget) -> Vec<ObjectAttempt> {
        let mut found = Vec::new();
        for (value, stored) in values {
            let made = self.values.accepted_value(&value);
            found.extend(made.and_then(|value| self.differing(value, stored, steps)));
        }
        found
    }

    /// An attempt with a value, if all rules of the accepting side let it through and the other rule rejects it.
    fn differing(&self, value: Value, stored: Option<Value>, steps: &StepBudget) -> Option<ObjectAttempt> {
        let object = json!({ INNER: value });
        let before = stored.as_ref().map(|stored| json!({ INNER: stored }));
        let is_accepted = |object: &Value, before: Option<&Value>| {
            self.crowd.as_ref().is_none_or(|crowd| crowd.accepts_object(object, before, steps))
        };
        let by_rule = |verdict: AdmissionVerdict| verdict.refusals.iter().any(|refusal| refusal.by == RULE);
        let differs = match &before {
            Some(before) => {
                by_rule(self.alone.evaluate_update(&object, before))
                    && is_accepted(before, None)
                    && is_accepted(&object, Some(before))
            }
            None => by_rule(self.alone.evaluate_create(&object)) && is_accepted(&object, None),
        };
        differs.then(|| match stored {
            Some(stored) => ObjectAttempt::Update(stored, value),
            None => ObjectAttempt::Exactly(value),
        })
    }
}

/// The formulas of the rules of a place that read what a rule reads, those that share most first.
fn related_formulas(side: &SideRules<'_>, place: &[PlaceStep], rule: &Value) -> Vec<Formula> {
    let reads = ReadNames::of_rule(place, keyword_text(rule, "rule"));
    let mut found = side.index().related(&reads);
    found.retain(|number| side.rules.get(*number).is_some_and(|rule| rule.place == place));
    found.sort_by_cached_key(|number| {
        Reverse(side.index().reads_of(*number).map_or(0, |other| reads.count_shared(other)))
    });
    let formulas = found.into_iter().filter_map(|number| side.rule_formula(number).ok());
    formulas.take(MOST_RULES).map(|formula| (*formula.formula).clone()).collect()
}

/// The values of a place that its rules accept when they are new.
pub(super) fn accepted_values(side: &SideRules<'_>, place: &[PlaceStep], number: usize) -> Vec<Value> {
    let lifted =
        side.rules_at(place).filter_map(|(index, rule)| Some((rule, side.rule_formula(index).ok()?)));
    let own: Vec<_> =
        lifted.filter(|(_, formula)| formula.timing == RuleTiming::Always).take(MOST_RULES).collect();
    let (Some((rule, _)), Some(node)) = (own.first(), schema_at_place(side.schema, place)) else {
        return Vec::new();
    };
    let holds = Formula::all_of(own.iter().map(|(_, formula)| (*formula.formula).clone()));
    let fails = Formula::negation_of(holds.clone());
    let mut values = RuleValues::new(rule, &LiftedExpression { holds, fails });
    let crowd = NodeRules::new(node);
    let steps = StepBudget::new(MOST_RUNS);
    let satisfied = satisfied_values(side, place, None);
    let made = satisfied.into_iter().chain((0..MADE).map(|index| values.make_value(index)));
    made.filter(|value| crowd.accepts_object(&json!({ INNER: value }), None, &steps)).take(number).collect()
}
