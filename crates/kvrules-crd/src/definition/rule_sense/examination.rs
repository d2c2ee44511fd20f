//! What is certain about the rules of a schema, whatever text it is written in.

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kvrules_cel::ast::Expression;
use kvrules_generate::PlaceStep;
use kvrules_ir::{Formula, Term};
use kvrules_lift::{
    DefinitionRule, LiftedExpression, MessageContradiction, RestatedKeyword, RuleFailure, RuleSense,
    definition_rules, examine_rule, find_contradiction, find_message_contradiction, find_restated_keyword,
    is_confirmed, is_implied, lift_expression,
};
use serde_json::Value;

use super::witness::WitnessSearch;

/// The most proofs that a rule of a schema implies another one.
const MOST_PROOFS: usize = 6_000;

/// The values that confirm formulas before something is reported because of them.
const CONFIRMING_VALUES: usize = 60;

/// Problems of the rules of a schema.
#[derive(Debug)]
pub(super) struct SchemaSense {
    /// In the order of the schema.
    pub(super) rules: Vec<SensedRule>,
}

/// A rule with a problem.
#[derive(Debug)]
pub(super) struct SensedRule {
    /// The path of its schema, as the server writes it.
    pub(super) path: String,
    /// Its number at its place.
    pub(super) index: usize,
    /// The schema of its values.
    pub(super) schema: Arc<Value>,
    pub(super) problem: RuleProblem,
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
    /// It ends in an error.
    Failing(RuleFailure),
    /// No object passes it and these other rules of its place.
    Contradicting(Vec<String>),
    /// A keyword says the same.
    Keyword(RestatedKeyword),
}

/// A rule with its formulas.
struct ExaminedRule {
    rule: DefinitionRule,
    expression: Expression,
    formulas: LiftedExpression,
    sense: RuleSense,
    is_about_updates: bool,
    /// The fields that it names.
    fields: HashSet<String>,
    is_confirmed: OnceCell<bool>,
}

impl SchemaSense {
    /// Examines the rules of a schema that the server accepts.
    pub(super) fn of_schema(schema: &Value) -> Self {
        let examined: Vec<ExaminedRule> =
            definition_rules(schema).into_iter().filter_map(ExaminedRule::new).collect();
        let contradictions = find_contradictions(&examined);
        let mut witnesses = WitnessSearch::new(schema);
        let proofs = Cell::new(MOST_PROOFS);
        let mut rules = Vec::new();
        for (index, it) in examined.iter().enumerate() {
            let mut problems = find_problems(&examined, index, it, &mut witnesses, &proofs);
            problems.extend(contradictions.get(&index).cloned().map(RuleProblem::Contradicting));
            rules.extend(problems.into_iter().map(|problem| SensedRule {
                path: schema_path(&it.rule.place, schema),
                index: it.rule.index,
                schema: Arc::clone(&it.rule.schema),
                problem,
            }));
        }
        Self { rules }
    }
}

/// The rules that no value passes together with others of their place: the last of each, with the texts of the others.
fn find_contradictions(examined: &[ExaminedRule]) -> HashMap<usize, Vec<String>> {
    let mut found = HashMap::new();
    let mut places: Vec<&[PlaceStep]> = examined.iter().map(|it| it.rule.place.as_slice()).collect();
    // The rules of a place follow each other.
    places.dedup();
    for place in places {
        let is_candidate = |it: &ExaminedRule| {
            it.rule.place == place
                && !it.is_about_updates
                && !it.sense.is_always_true
                && !it.sense.is_never_true
        };
        let rules: Vec<(usize, &ExaminedRule)> =
            examined.iter().enumerate().filter(|(_, it)| is_candidate(it)).collect();
        let formulas: Vec<&Formula> = rules.iter().map(|(_, it)| &it.formulas.holds).collect();
        let Some(schema) = rules.first().map(|(_, it)| &it.rule.schema).filter(|_| rules.len() > 1) else {
            continue;
        };
        let together = find_contradiction(&formulas, schema).unwrap_or_default();
        let together: Vec<&(usize, &ExaminedRule)> =
            together.iter().filter_map(|at| rules.get(*at)).collect();
        if let Some(((last, _), others)) = together.split_last()
            && together.iter().all(|(_, it)| it.is_confirmed())
        {
            let others = others.iter().map(|(_, it)| it.rule.source.rule.clone());
            found.insert(*last, others.collect());
        }
    }
    found
}

fn find_problems(
    examined: &[ExaminedRule],
    index: usize,
    it: &ExaminedRule,
    witnesses: &mut WitnessSearch<'_>,
    proofs: &Cell<usize>,
) -> Vec<RuleProblem> {
    let message = find_message_contradiction(&it.formulas.holds, &it.rule.source.message);
    let mut problems: Vec<RuleProblem> = message.map(RuleProblem::Message).into_iter().collect();
    if it.sense.unknown_values.is_empty() {
        problems.extend(find_problem(examined, index, it, witnesses, proofs));
    } else {
        // Consequences of the wrong value are not reported too.
        let unknown = it.sense.unknown_values.iter().cloned();
        problems.extend(unknown.map(|(path, value)| RuleProblem::UnknownValue(path, value)));
    }
    // Witnesses are shown by the server itself. All else follows from the formulas, which it has to confirm.
    let is_certain =
        |problem: &RuleProblem| matches!(problem, RuleProblem::Failing(_) | RuleProblem::TooManyRules);
    problems.retain(|problem| is_certain(problem) || it.is_confirmed());
    problems
}

fn find_problem(
    examined: &[ExaminedRule],
    index: usize,
    it: &ExaminedRule,
    witnesses: &mut WitnessSearch<'_>,
    proofs: &Cell<usize>,
) -> Option<RuleProblem> {
    if it.sense.is_always_true {
        return Some(RuleProblem::AlwaysTrue);
    }
    if it.sense.is_never_true {
        return Some(RuleProblem::NeverTrue);
    }
    let mut failure = || {
        let may_fail = it.sense.may_fail;
        may_fail.then(|| witnesses.find_failure(&it.rule, &it.expression, &it.formulas)).flatten()
    };
    if it.is_about_updates {
        return failure().map(RuleProblem::Failing);
    }
    let had_proofs = proofs.get() > 0;
    if let Some(other) = implying_rule(examined, index, it, proofs) {
        return Some(RuleProblem::Implied(other.rule.source.rule.clone()));
    }
    // Reported once, at the first rule that is not compared with all.
    if had_proofs && proofs.get() == 0 {
        return Some(RuleProblem::TooManyRules);
    }
    failure().map(RuleProblem::Failing).or_else(|| restated_keyword(it).map(RuleProblem::Keyword))
}

/// The keyword that says the same as a rule, unless the rule says more with its message or its reason.
fn restated_keyword(it: &ExaminedRule) -> Option<RestatedKeyword> {
    let source = &it.rule.source;
    if !source.message_expression.is_empty() || !source.reason.is_empty() {
        return None;
    }
    find_restated_keyword(&it.formulas.holds, &it.rule.schema)
}

impl ExaminedRule {
    fn new(rule: DefinitionRule) -> Option<Self> {
        let (expression, checked) = rule.check_types().ok()?;
        let optional: &[&str] = if rule.source.optional_old_self { &["oldSelf"] } else { &[] };
        let formulas = lift_expression(&expression, &checked, optional).ok()?;
        let sense = examine_rule(&rule, &formulas);
        let is_about_updates = rule.source.is_transition_rule();
        let mut fields = HashSet::new();
        formulas.holds.visit_terms(&mut |term| {
            if let Term::Field(_, name) = term
                && !fields.contains(name)
            {
                fields.insert(name.clone());
            }
        });
        let is_confirmed = OnceCell::new();
        Some(Self { rule, expression, formulas, sense, is_about_updates, fields, is_confirmed })
    }

    /// True if the server evaluates the rule as its formulas say, on values that are made for it.
    fn is_confirmed(&self) -> bool {
        let confirm = || is_confirmed(&self.rule, &self.expression, &self.formulas, CONFIRMING_VALUES);
        *self.is_confirmed.get_or_init(confirm)
    }
}

/// Another rule of the same place that no object passes without passing this one too. Of two that mean the same, the later
/// repeats the earlier.
fn implying_rule<'e>(
    examined: &'e [ExaminedRule],
    index: usize,
    it: &ExaminedRule,
    proofs: &Cell<usize>,
) -> Option<&'e ExaminedRule> {
    let others = examined.iter().enumerate().filter(|(_, other)| other.rule.place == it.rule.place);
    let implies = |one: &ExaminedRule, other: &ExaminedRule| {
        let Some(left) = proofs.get().checked_sub(1) else { return false };
        proofs.set(left);
        is_implied(&[&one.formulas.holds], &other.formulas.holds, &it.rule.schema)
    };
    let is_comparable = |other: &ExaminedRule| {
        !other.is_about_updates
            && !other.sense.is_always_true
            && !other.sense.is_never_true
            // A rule about other fields implies nothing about these.
            && it.fields.is_subset(&other.fields)
    };
    others
        .filter(|(at, other)| *at != index && is_comparable(other))
        .find(|(at, other)| {
            implies(other, it)
                && (*at < index || (!implies(it, other) && proofs.get() > 0))
                && other.is_confirmed()
        })
        .map(|(_, other)| other)
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
