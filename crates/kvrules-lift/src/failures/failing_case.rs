//! The condition under which a rule ends in an error and nothing else of its place rejects the value, and cases in which it holds.

use kvrules_generate::PlaceStep;
use kvrules_ir::{Collection, Constant, EntryVariables, Formula, Quantification, Term, TermRelation};
use serde_json::Value as Json;

use super::case_values::CaseValues;
use crate::atoms::{replace_term, replace_variable};
use crate::decide::{Conversions, Decider, Satisfiability};
use crate::examine::{decider_of, item_facts, with_constant_fields};
use crate::placed::stored_value_exists;
use crate::proof::ground_case;
use crate::rules::DefinitionRule;
use crate::state::LiftedExpression;

/// The most cases of which values are made.
const MOST_CASES: usize = 6;

/// Another rule of the same place, which a value has to pass.
#[derive(Clone, Copy)]
pub struct RuleOfPlace<'r> {
    /// The rule.
    pub rule: &'r DefinitionRule<'r>,
    /// Its formulas.
    pub formulas: &'r LiftedExpression,
}

/// The values that end a rule in an error.
pub(super) enum FailingCases {
    /// There are none.
    Never,
    /// Values of the cases that were found, each with the value that it replaces where the rule is about updates.
    Some(Vec<(Json, Option<Json>)>),
}

/// Finds cases in which a rule ends in an error and no other one of its place is false, and makes values of them.
pub(super) fn failing_cases(
    rule: &DefinitionRule,
    formulas: &LiftedExpression,
    others: &[RuleOfPlace<'_>],
    conversions: Conversions,
) -> FailingCases {
    let own = failing_condition(rule, formulas);
    let passes = others.iter().flat_map(|other| passing_condition(rule, *other));
    let whole = Formula::all_of(std::iter::once(own.clone()).chain(passes));
    for condition in [whole, own] {
        match cases_of(&condition, rule, conversions) {
            FailingCases::Some(pairs) if pairs.is_empty() => {}
            found => return found,
        }
    }
    FailingCases::Some(Vec::new())
}

/// Values of the cases in which a condition holds.
fn cases_of(condition: &Formula, rule: &DefinitionRule, conversions: Conversions) -> FailingCases {
    let Some(case) = ground_case(condition, &rule.schema) else { return FailingCases::Some(Vec::new()) };
    let mut decider = decider_of(rule).and_valid_stored();
    decider.note_examples(&case.examples);
    let condition = decider.add_formula(&case.formula, conversions);
    let (answer, cases) = decider.find_cases(condition, MOST_CASES);
    if answer == Satisfiability::Never {
        return FailingCases::Never;
    }
    let has_stored = rule.source.is_transition_rule() || rule.source.optional_old_self;
    let mut pairs = Vec::new();
    for case in &cases {
        let pair = CaseValues::of_case(case, &rule.schema, has_stored).to_pair();
        pairs.extend(pair.filter(|pair| !pairs.contains(pair)));
    }
    FailingCases::Some(pairs)
}

/// Makes values of a schema for which a condition is likely to hold, at most so many, from the cases in which it may hold. With `has_stored`
/// each comes with a value that it replaces. Whoever needs certainty evaluates the condition on them.
///
/// ```
/// use kvrules_ir::{Constant, Formula, Term};
/// use kvrules_lift::make_case_values;
///
/// let this = Term::Root("self".to_owned());
/// let pattern = Term::Constant(Constant::Text("^v[0-9]+$".to_owned()));
/// let matches = Formula::has_truth(Term::call_of("matches", true, vec![this, pattern]), true);
/// let schema = serde_json::json!({"type": "string", "minLength": 3});
/// let values = make_case_values(&matches, &schema, false, 1);
/// assert_eq!(values, [("v00".into(), None)]);
/// ```
pub fn make_case_values(
    condition: &Formula,
    schema: &Json,
    has_stored: bool,
    most: usize,
) -> Vec<(Json, Option<Json>)> {
    let Some(case) = ground_case(condition, schema) else { return Vec::new() };
    let mut decider = if has_stored { Decider::with_stored(schema) } else { Decider::new(schema) };
    decider.note_examples(&case.examples);
    let condition = decider.add_formula(&case.formula, Conversions::Succeed);
    let (_, cases) = decider.find_cases(condition, most);
    cases.iter().filter_map(|case| CaseValues::of_case(case, schema, has_stored).to_pair()).collect()
}

/// Makes a value of a schema that passes the rules of its place, as far as they are not about updates, and that has the fields at the
/// beginning of some steps. It is made from `base`, if there is one. `None` if no case is found.
pub fn make_passing_value(
    schema: &Json,
    rules: &[RuleOfPlace<'_>],
    steps: &[PlaceStep],
    base: Option<Json>,
) -> Option<Json> {
    let is_static =
        |it: &&RuleOfPlace<'_>| !it.rule.source.is_transition_rule() && !it.rule.source.optional_old_self;
    let passes = rules.iter().filter(is_static).map(|it| it.formulas.holds.clone());
    let mut term = Term::Root("self".to_owned());
    for step in steps {
        let PlaceStep::Field(name) = step else { break };
        term = term.with_field(name.clone());
    }
    let case = ground_case(&Formula::all_of(passes.chain([Formula::is_defined(term)])), schema)?;
    let mut decider = Decider::new(schema);
    decider.note_examples(&case.examples);
    let condition = decider.add_formula(&case.formula, Conversions::Succeed);
    let (_, cases) = decider.find_cases(condition, 1);
    CaseValues::of_case(cases.first()?, schema, false).to_value(base)
}

/// A rule is neither true nor false.
fn failing_condition(rule: &DefinitionRule, formulas: &LiftedExpression) -> Formula {
    let formulas = with_constant_fields(rule, formulas);
    let formulas = formulas.as_ref();
    let sides = [&formulas.holds, &formulas.fails].map(|side| Formula::negation_of(over_whole_lists(side)));
    let facts = item_facts(formulas).into_iter().chain(collection_facts(formulas));
    Formula::all_of(sides.into_iter().chain(facts))
}

/// The conditions under which another rule does not reject the value of a rule, nor the one that it replaces.
fn passing_condition(rule: &DefinitionRule, other: RuleOfPlace<'_>) -> Vec<Formula> {
    let has_stored = rule.source.is_transition_rule() || rule.source.optional_old_self;
    if other.rule.source.is_transition_rule() || other.rule.source.optional_old_self {
        let runs = has_stored && !rule.source.optional_old_self;
        let passes = Formula::negation_of(other.formulas.fails.clone());
        return if runs { vec![passes] } else { Vec::new() };
    }
    let mut conditions = vec![Formula::negation_of(other.formulas.fails.clone())];
    if has_stored {
        let [this, stored] = ["self", "oldSelf"].map(|name| Term::Root(name.to_owned()));
        let passed = replace_term(&other.formulas.holds, &this, &stored);
        conditions.push(Formula::any_of([Formula::negation_of(stored_value_exists()), passed]));
    }
    conditions
}

/// The formula with loops over whole lists in place of those over selected items.
fn over_whole_lists(formula: &Formula) -> Formula {
    let parts = |parts: &[Formula]| parts.iter().map(over_whole_lists).collect::<Vec<_>>();
    match formula {
        Formula::All(all) => Formula::all_of(parts(all)),
        Formula::Any(any) => Formula::any_of(parts(any)),
        Formula::Not(inner) => Formula::negation_of(over_whole_lists(inner)),
        Formula::Each(it) => match loop_over_whole_list(it) {
            Some((whole, selected, left_out)) => {
                let holds = Formula::any_of([left_out, Formula::all_of([selected, whole.holds.clone()])]);
                Formula::Each(Box::new(Quantification { holds, ..whole }))
            }
            None => formula.clone(),
        },
        Formula::Some(it) => match loop_over_whole_list(it) {
            Some((whole, selected, _)) => {
                let holds = Formula::all_of([selected, whole.holds.clone()]);
                let made = Formula::Defined(it.range.clone());
                Formula::all_of([made, Formula::Some(Box::new(Quantification { holds, ..whole }))])
            }
            None => formula.clone(),
        },
        other => other.clone(),
    }
}

/// A loop over the items that a list is selected from, with the conditions under which one is selected or left out. `None` for other loops.
fn loop_over_whole_list(it: &Quantification) -> Option<(Quantification, Formula, Formula)> {
    let Term::Collect(list) = &it.range else { return None };
    let (Some(item), None) = (list.entry.value, it.entry.key) else { return None };
    if list.entry.key.is_some() || list.result != Term::Variable(item) {
        return None;
    }
    let own = |formula: &Formula| match it.entry.value {
        Some(value) => replace_variable(formula, item, &Term::Variable(value)),
        None => formula.clone(),
    };
    let entry = EntryVariables { key: None, value: it.entry.value.or(Some(item)) };
    let whole = Quantification { range: list.range.clone(), entry, holds: over_whole_lists(&it.holds) };
    Some((whole, own(&list.selected), own(&list.left_out)))
}

/// Facts about lists that are made of others: if one has no value, an entry is the reason, and if one has items, an entry is selected.
fn collection_facts(formulas: &LiftedExpression) -> Vec<Formula> {
    let mut facts = Vec::new();
    for formula in [&formulas.holds, &formulas.fails] {
        formula.visit_terms(&mut |term| {
            if let Term::Collect(it) = term {
                for fact in facts_of_collection(term, it) {
                    if !facts.contains(&fact) {
                        facts.push(fact);
                    }
                }
            }
        });
    }
    facts
}

fn facts_of_collection(term: &Term, it: &Collection) -> [Formula; 2] {
    let defined = Formula::Defined(term.clone());
    let range = Formula::is_defined(it.range.clone());
    let no_range = Formula::negation_of(range);
    let some =
        |holds| Formula::Some(Box::new(Quantification { range: it.range.clone(), entry: it.entry, holds }));
    let selected = || it.selected.clone();
    let [not_selected, not_left_out] =
        [&it.selected, &it.left_out].map(|side| Formula::negation_of(side.clone()));
    let no_result = Formula::negation_of(Formula::is_defined(it.result.clone()));
    let is_undecided = Formula::any_of([
        Formula::all_of([not_selected, not_left_out]),
        Formula::all_of([selected(), no_result]),
    ]);
    let zero = Term::Constant(Constant::Integer(0));
    let is_empty = Formula::comparison_of(Term::size_of(term.clone()), TermRelation::Equal, zero);
    [
        Formula::any_of([defined.clone(), no_range, some(is_undecided)]),
        Formula::any_of([Formula::negation_of(defined), is_empty, some(selected())]),
    ]
}
