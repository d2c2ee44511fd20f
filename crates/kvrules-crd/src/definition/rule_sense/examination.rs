//! What is certain about the rules of a schema, whatever text it is written in.

use std::cell::Cell;

use kvrules_apiserver::cost::ReviewMemo;
use kvrules_diagnostics::Proof;
use kvrules_generate::PlaceStep;
use kvrules_ir::Formula;
use kvrules_lift::{
    MessageContradiction, RestatedKeyword, RuleFailure, ValuesSchema, certify_constant_rule,
    certify_implication, certify_keyword, explain_claim, rule_places,
};
use serde_json::Value;

use super::guarded_rule::guard_rule;
use super::places::{ExaminedPlace, ExaminedRule, KnownPlaces, PlaceContradiction};
use super::witness::WitnessSearch;
use crate::guards::GuardedExpression;
use crate::message_mismatch::find_contradiction;

/// The most proofs that a rule of a schema implies another one.
const MOST_PROOFS: usize = 6_000;

/// Problems of the rules of a schema.
#[derive(Debug)]
pub(super) struct SchemaSense<'v> {
    /// In the order of the schema.
    pub(super) rules: Vec<SensedRule<'v>>,
}

/// A rule with a problem.
#[derive(Debug)]
pub(super) struct SensedRule<'v> {
    /// The path of its schema, as the server writes it.
    pub(super) path: String,
    /// Its number at its place.
    pub(super) index: usize,
    /// The schema of its values.
    pub(super) schema: ValuesSchema<'v>,
    pub(super) problem: RuleProblem,
    /// The proof of the problem, if it was asked for.
    pub(super) proof: Option<Proof>,
}

#[derive(Debug)]
pub(super) enum RuleProblem {
    /// Its message says something else.
    Message(MessageContradiction),
    /// It compares the field of a path with a text that the enum of the field does not have.
    UnknownValue(String, String),
    AlwaysTrue,
    NeverTrue,
    /// This other rule implies it.
    Implied(String),
    /// There are too many rules to compare it with those of its place.
    TooManyRules,
    /// The rules of its place are too large to decide whether they contradict each other.
    TooLargePlace,
    /// It ends in an error; with the rule that does not, where what is missing passes.
    Failing(RuleFailure, Option<GuardedExpression>),
    /// No object passes it and these other rules of its place.
    Contradicting(Vec<String>),
    /// A keyword says the same.
    Keyword(RestatedKeyword),
}

impl<'v> SchemaSense<'v> {
    /// Examines the rules of a schema that the server accepts.
    pub(super) fn of_schema(
        schema: &'v Value,
        memo: &ReviewMemo,
        known: &mut KnownPlaces<'v>,
        explains_proofs: bool,
    ) -> Self {
        let mut witnesses = WitnessSearch::new(schema, &memo.expressions);
        let proofs = Cell::new(MOST_PROOFS);
        let mut rules = Vec::new();
        for written in rule_places(schema) {
            let place = known.examine_place(&written, memo, &proofs);
            witnesses.note_place(&written.steps, &place);
            for (number, it) in place.rules.iter().enumerate() {
                let problems = find_problems(&place, number, it, &written.steps, &mut witnesses);
                rules.extend(problems.into_iter().map(|problem| SensedRule {
                    path: schema_path(&written.steps, schema),
                    index: it.rule.index,
                    schema: it.rule.schema.clone(),
                    proof: if explains_proofs { prove_problem(&place, it, &problem) } else { None },
                    problem,
                }));
            }
        }
        Self { rules }
    }
}

/// The proof of a problem of a rule, by certificates. `None` for problems that a witness shows.
fn prove_problem(place: &ExaminedPlace<'_>, it: &ExaminedRule<'_>, problem: &RuleProblem) -> Option<Proof> {
    let holds = &it.formulas.holds;
    let of_text = |text: &String| {
        let found =
            place.rules.iter().find(|other| !std::ptr::eq(*other, it) && other.rule.source.rule == *text);
        found.map(|other| &other.formulas.holds)
    };
    let schema = &it.rule.schema;
    let certificates = match problem {
        RuleProblem::AlwaysTrue => vec![certify_constant_rule(&it.rule, &it.formulas, true)],
        RuleProblem::NeverTrue => vec![certify_constant_rule(&it.rule, &it.formulas, false)],
        RuleProblem::Implied(other) => {
            vec![of_text(other).and_then(|other| certify_implication(&[other], holds, schema))]
        }
        RuleProblem::Contradicting(others) => {
            let others: Option<Vec<&Formula>> = others.iter().map(of_text).collect();
            let together = others.map(|others| others.into_iter().chain([holds]).collect::<Vec<_>>());
            vec![together.and_then(|together| certify_implication(&together, &Formula::False, schema))]
        }
        RuleProblem::Keyword(_) => certify_keyword(holds, schema).into(),
        RuleProblem::Message(_)
        | RuleProblem::UnknownValue(..)
        | RuleProblem::TooManyRules
        | RuleProblem::TooLargePlace
        | RuleProblem::Failing(..) => return None,
    };
    let (lines, value) = explain_claim(&certificates, schema);
    Some(Proof { lines, value })
}

/// The problems of a rule of a place that is found at the end of some steps.
fn find_problems(
    place: &ExaminedPlace<'_>,
    number: usize,
    it: &ExaminedRule<'_>,
    steps: &[PlaceStep],
    witnesses: &mut WitnessSearch<'_>,
) -> Vec<RuleProblem> {
    let message = find_contradiction(&it.formulas.holds, &it.rule.source.message, steps);
    let mut problems: Vec<RuleProblem> = message.map(RuleProblem::Message).into_iter().collect();
    if it.sense.unknown_values.is_empty() {
        problems.extend(find_problem(place, number, it, steps, witnesses));
    } else {
        // Consequences of the wrong value are not reported too.
        let unknown = it.sense.unknown_values.iter().cloned();
        problems.extend(unknown.map(|(path, value)| RuleProblem::UnknownValue(path, value)));
    }
    // Witnesses are shown by the server itself. All else follows from the formulas, which it has to confirm.
    let is_certain =
        |problem: &RuleProblem| matches!(problem, RuleProblem::Failing(..) | RuleProblem::TooManyRules);
    problems.retain(|problem| is_certain(problem) || it.is_confirmed());
    match &place.contradiction {
        PlaceContradiction::Found(last, others) if *last == number => {
            problems.push(RuleProblem::Contradicting(others.clone()));
        }
        PlaceContradiction::TooLarge(first) if *first == number => problems.push(RuleProblem::TooLargePlace),
        _ => {}
    }
    problems
}

fn find_problem(
    place: &ExaminedPlace<'_>,
    number: usize,
    it: &ExaminedRule<'_>,
    steps: &[PlaceStep],
    witnesses: &mut WitnessSearch<'_>,
) -> Option<RuleProblem> {
    if it.sense.is_always_true {
        return Some(RuleProblem::AlwaysTrue);
    }
    if it.sense.is_never_true {
        return Some(RuleProblem::NeverTrue);
    }
    let mut failure = || {
        let others = it.sense.may_fail.then(|| place.rules_except(Some(number)))?;
        let failure = witnesses.find_failure(it, &others, steps)?;
        let guarded = guard_rule(&it.rule, &failure.error, &others);
        Some(RuleProblem::Failing(failure, guarded))
    };
    if let Some(other) = place.implied.get(&number) {
        return Some(RuleProblem::Implied(other.clone()));
    }
    // Reported once, at the first rule that is not compared with all.
    if place.not_compared == Some(number) {
        return Some(RuleProblem::TooManyRules);
    }
    failure().or_else(|| it.restated_keyword().map(RuleProblem::Keyword))
}

/// The path of a place in a schema, as the server writes it.
fn schema_path(place: &[PlaceStep], schema: &Value) -> String {
    let (mut path, mut node) = (String::new(), Some(schema));
    for step in place {
        match step {
            PlaceStep::Field(name) => {
                path.extend([".properties[", name.as_str(), "]"]);
                node = node.and_then(|node| node.get("properties")?.get(name));
            }
            PlaceStep::Any => {
                let is_list = node.is_some_and(|node| node.get("items").is_some());
                let keyword = if is_list { "items" } else { "additionalProperties" };
                path.extend([".", keyword]);
                node = node.and_then(|node| node.get(keyword));
            }
        }
    }
    path
}
