//! Lines of `test --coverage` about rules in CEL: which parts of them the cases make true and false, in every loop around the part, and
//! which bounds they touch. Parts are found by their text in the judge's own tree, and counted by its evaluator.

use std::path::PathBuf;

use kvrules::test::{
    AnswerVerdict, BoundaryCoverage, BranchCoverage, RuleCoverage, SuiteLibrary, answer_case, collect_rules,
    find_suites, measure_coverage,
};
use serde_json::json;

use super::{BOUNDARY, CASES, Files, PART, VERDICT};
use crate::decisions::evaluate::{Outcome, Scope, evaluate};
use crate::decisions::expression::{Expr, Op};
use crate::decisions::mutants::site_of;
use crate::decisions::place::{Place, Rule, State, write_definition};
use crate::decisions::value::Val;
use crate::{Random, Tally};

/// Places of one definition.
const PLACES: usize = 6;

/// The values of each place in one case.
struct Case {
    states: Vec<State>,
}

/// The part of a rule, in the loops around it, outer ones first: a range and a variable.
#[derive(Clone, Debug)]
struct LoopedPart<'e> {
    loops: Vec<(&'e Expr, &'e str)>,
    part: &'e Expr,
}

/// Judges the coverage of the rules of a generated definition.
pub(in crate::sentences) fn judge_definition(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let places: Vec<Place> = (0..PLACES).map(|_| Place::generate(&mut random)).collect();
    let Some(cases) = generate_cases(&places, &mut random) else {
        tally.unjudged("a schema has no values");
        return;
    };
    let written: Vec<_> = cases.iter().enumerate().map(|(index, case)| case.write(index, &places)).collect();
    let suite = json!({"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleTests", "rules": ["rules.yaml"], "cases": written});
    let files = Files { rules: write_definition(&places).text, suite: suite.to_string() };
    let mut library = SuiteLibrary::new(&files);
    let found = find_suites(&mut library, &[PathBuf::from("pond.test.yaml")], None);
    for case in found.suites.iter().flat_map(|suite| &suite.cases) {
        let answer = answer_case(case, &case.subject);
        if answer.verdict == AnswerVerdict::Unevaluated {
            tally.unjudged("a case of a definition is not evaluated");
            return;
        }
    }
    let mut number = 0;
    for coverage in collect_rules(&found.suites).iter().flat_map(measure_coverage) {
        let Some((place, rule)) = site_of(&coverage.site.expression_pointer()) else { continue };
        number += 1;
        let origin = format!("seed {seed}, case {case}, rule {rule} of p{place}");
        let states: Vec<&State> = cases.iter().map(|case| &case.states[place]).collect();
        JudgedRule { place: &places[place], rule: &places[place].rules[rule], states, origin }
            .judge(&coverage, tally);
    }
    if number == 0 {
        tally.unjudged("a suite has no coverage");
    }
}

/// Values of the schemas. A stored value is accepted, and another one, so that no error is about a value that was there before.
fn generate_cases(places: &[Place], random: &mut Random) -> Option<Vec<Case>> {
    let values: Vec<Vec<Val>> = places
        .iter()
        .map(|place| {
            let states = place.states(&place.rules.iter().collect::<Vec<_>>(), random);
            states.into_iter().filter(|state| state.old.is_none()).map(|state| state.value).collect()
        })
        .collect();
    if values.iter().any(Vec::is_empty) {
        return None;
    }
    let case = |random: &mut Random| {
        let chosen: Vec<&Val> = values.iter().map(|values| random.choose(values)).collect();
        let other: Vec<&Val> = places
            .iter()
            .zip(&values)
            .map(|(place, values)| {
                let is_accepted = |value: &&Val| place.accepts(&State { value: (*value).clone(), old: None });
                let accepted: Vec<&Val> = values.iter().filter(is_accepted).collect();
                accepted.get(random.below(accepted.len().max(1))).copied().unwrap_or(&values[0])
            })
            .collect();
        let is_stored = |((place, one), other): ((&Place, &&Val), &&Val)| {
            let stored = State { value: (*other).clone(), old: None };
            one.to_json() != other.to_json() && place.accepts(&stored)
        };
        let is_update = places.iter().zip(&chosen).zip(&other).all(is_stored);
        let state =
            |(value, old): (&Val, &Val)| State { value: value.clone(), old: is_update.then(|| old.clone()) };
        Case { states: chosen.into_iter().zip(other).map(state).collect() }
    };
    Some((0..CASES).map(|_| case(random)).collect())
}

impl Case {
    fn write(&self, index: usize, places: &[Place]) -> serde_json::Value {
        let mut random = Random::new(index as u64);
        let mut whole = |value: fn(&State) -> Option<&Val>| {
            let mut whole = json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "a", "namespace": "b"}, "spec": {}});
            for (index, (state, place)) in self.states.iter().zip(places).enumerate() {
                let value = value(state)?.to_json();
                whole["spec"][format!("p{index}")] = place.shape.with_nulls(value, &mut random);
            }
            Some(whole)
        };
        let object = whole(|state| Some(&state.value));
        let mut case = json!({"name": format!("case {index}"), "expect": "accept", "object": object});
        if let Some(stored) = whole(|state| state.old.as_ref()) {
            case["old"] = stored;
        }
        case
    }
}

/// The variables of a rule.
fn scope_of(state: &State) -> Scope {
    let mut variables = vec![("self".to_owned(), state.value.clone())];
    variables.extend(state.old.iter().map(|old| ("oldSelf".to_owned(), old.clone())));
    Scope::of(variables)
}

/// Finds the parts of an expression with a text.
fn find_parts<'e>(
    expr: &'e Expr,
    text: &str,
    loops: &mut Vec<(&'e Expr, &'e str)>,
    found: &mut Vec<LoopedPart<'e>>,
) {
    if expr.to_string() == text {
        found.push(LoopedPart { loops: loops.clone(), part: expr });
    }
    if let Expr::Macro(_, range, variable, body) = expr {
        find_parts(range, text, loops, found);
        loops.push((range, variable));
        find_parts(body, text, loops, found);
        loops.pop();
    } else {
        expr.children().into_iter().for_each(|child| find_parts(child, text, loops, found));
    }
}

impl LoopedPart<'_> {
    /// True if a value of `measured` has a property in some turn of the loops. A turn that ends in an error has none.
    fn any_turn(&self, measured: &Expr, state: &State, has_property: &dyn Fn(&Val) -> bool) -> bool {
        any_turn(&self.loops, measured, &mut scope_of(state), has_property)
    }

    /// True if the two are in the same loops.
    fn is_alike(&self, other: &Self) -> bool {
        let texts = |part: &Self| -> Vec<String> {
            part.loops.iter().map(|(range, variable)| format!("{variable} in {range}")).collect()
        };
        texts(self) == texts(other)
    }
}

fn any_turn(
    loops: &[(&Expr, &str)],
    measured: &Expr,
    scope: &mut Scope,
    has_property: &dyn Fn(&Val) -> bool,
) -> bool {
    let Some(((range, variable), inner)) = loops.split_first() else {
        return evaluate(measured, scope).is_ok_and(|value| has_property(&value));
    };
    let entries: Vec<Val> = match evaluate(range, scope) {
        Ok(Val::List(items)) => items.to_vec(),
        Ok(Val::Map(entries)) => entries.iter().map(|(key, _)| Val::Str(key.clone())).collect(),
        _ => return false,
    };
    entries
        .into_iter()
        .any(|entry| any_turn(inner, measured, &mut scope.with_variable(variable, entry), has_property))
}

struct JudgedRule<'c> {
    place: &'c Place,
    rule: &'c Rule,
    states: Vec<&'c State>,
    origin: String,
}

impl JudgedRule<'_> {
    fn judge(&self, coverage: &RuleCoverage, tally: &mut Tally) {
        let number = |wanted: Outcome| self.count_states(|state| self.rule.outcome(state) == wanted);
        let counts = [
            (coverage.violated, number(Outcome::False), "violate the rule"),
            (coverage.satisfied, number(Outcome::True), "satisfy the rule"),
            (coverage.errors, number(Outcome::Error), "end in an error"),
        ];
        self.compare(VERDICT, "", &counts, tally);
        coverage.branches.iter().for_each(|part| self.judge_part(part, tally));
        coverage.boundaries.iter().for_each(|boundary| self.judge_boundary(boundary, tally));
    }

    /// Number of the states that a rule is asked about.
    fn count_states(&self, is_counted: impl Fn(&State) -> bool) -> usize {
        let is_asked = |state: &&&State| !self.rule.is_transition || state.old.is_some();
        self.states.iter().filter(is_asked).filter(|state| is_counted(state)).count()
    }

    /// The part with a text that begins at a byte of the rule. Without the byte, several in other loops cannot be told apart.
    fn find_part(&self, text: &str, start: Option<usize>) -> Result<LoopedPart<'_>, &'static str> {
        let mut found = Vec::new();
        find_parts(&self.rule.expr, text, &mut Vec::new(), &mut found);
        let starts: Vec<usize> = self.rule.text.match_indices(text).map(|(start, _)| start).collect();
        if let Some(at) = starts.iter().position(|it| Some(*it) == start)
            && starts.len() == found.len()
        {
            return Ok(found.swap_remove(at));
        }
        let first = found.first().cloned().ok_or("a part is not in the rule")?;
        let is_same = found.iter().all(|other| first.is_alike(other));
        is_same.then_some(first).ok_or("a part is in several loops")
    }

    fn judge_part(&self, part: &BranchCoverage, tally: &mut Tally) {
        let found = match self.find_part(&part.text, Some(part.start)) {
            Ok(found) => found,
            Err(reason) => return self.count_unread(PART, reason, &part.text, tally),
        };
        let count = |wanted: bool| {
            let is_wanted = |value: &Val| matches!(value, Val::Bool(it) if *it == wanted);
            self.count_states(|state| found.any_turn(found.part, state, &is_wanted))
        };
        let counts =
            [(part.is_true, count(true), "make it true"), (part.is_false, count(false), "make it false")];
        self.compare(PART, &part.text, &counts, tally);
    }

    fn judge_boundary(&self, boundary: &BoundaryCoverage, tally: &mut Tally) {
        let found = match self.find_part(&boundary.text, None) {
            Ok(found) => found,
            Err(reason) => return self.count_unread(BOUNDARY, reason, &boundary.text, tally),
        };
        let Some((operand, passes)) = comparison_of(found.part) else {
            return self.count_unread(BOUNDARY, "a boundary is no comparison", &boundary.text, tally);
        };
        let count = |wanted: i64| {
            let is_wanted = |value: &Val| value.equals(&Val::Int(wanted));
            self.count_states(|state| found.any_turn(operand, state, &is_wanted))
        };
        let is_edge = passes(boundary.inside.0) && !passes(boundary.outside.0);
        let counts = [
            (boundary.inside.1, count(boundary.inside.0), "have the last accepted value"),
            (boundary.outside.1, count(boundary.outside.0), "have the first rejected value"),
            (1, usize::from(is_edge), "are on both sides of the bound"),
        ];
        self.compare(BOUNDARY, &boundary.text, &counts, tally);
    }

    fn count_unread(&self, kind: &'static str, reason: &str, text: &str, tally: &mut Tally) {
        tally.missed(kind);
        tally.unjudged(&format!("{reason}: {text} ({})", self.rule.text));
    }

    /// Counts a claim as wrong if its numbers of cases are not those that were counted.
    fn compare(&self, kind: &'static str, text: &str, counts: &[(usize, usize, &str)], tally: &mut Tally) {
        let wrong = counts.iter().find(|(claimed, counted, _)| claimed != counted);
        let details = wrong.map(|(claimed, counted, words)| {
            let states: Vec<String> = self.states.iter().map(|state| state.describe()).collect();
            format!(
                "{}\n{}\nsays {text}\n{claimed} cases {words}, and not {counted}\n{}",
                self.place.describe(),
                self.rule.text,
                states.join("\n")
            )
        });
        tally.judge(kind, self.origin.clone(), details);
    }
}

/// The side of a comparison with an integer that is compared, and which of its values pass.
fn comparison_of(expr: &Expr) -> Option<(&Expr, impl Fn(i64) -> bool)> {
    let Expr::Bin(op, left, right) = expr else { return None };
    let (operand, bound, is_mirrored) = match (&**left, &**right) {
        (Expr::Lit(Val::Int(bound)), operand) => (operand, *bound, true),
        (operand, Expr::Lit(Val::Int(bound))) => (operand, *bound, false),
        _ => return None,
    };
    let op = *op;
    Some((operand, move |value: i64| {
        let (left, right) = if is_mirrored { (bound, value) } else { (value, bound) };
        match op {
            Op::Lt => left < right,
            Op::Le => left <= right,
            Op::Gt => left > right,
            Op::Ge => left >= right,
            _ => false,
        }
    }))
}
