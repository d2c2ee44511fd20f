//! Cases for the sentences of `docs/internals/meaning.md`: `sentence` is the id of one, `rules` an annotation (its text,
//! or the list itself, which is taken as it is spelled), `vm` a VirtualMachine, and `expected` says of each rule what
//! the page says of it.
//!
//! An expectation is an object: `outcome` is `satisfied`, `violated`, `skipped`, or `left out`. Whatever else it names is
//! compared too: `values`, a list of `[location, value]` with `"default"` or `"zero"` behind where the object does not
//! spell the value out; `reason`; `rejects`; `cause`, the sort of cause for which a rule is left out; `finding`, whether
//! something is reported about the rules; `predicate`, the rule's form in words.

use kvrules::{FileId, SourceFile};
use kvrules_eval::{EvaluatedValue, Explanation, Outcome as Verdict, Program, ValueOrigin, explain_rule};
use kvrules_ir::{ElaboratedRule, OmissionCause, OmissionKind};
use serde_json::{Map, Value, json};

use super::{CaseFormat, Outcome, row::CaseRow};
use crate::spec::{ReadRule, annotated_machine, cause_name, parse_machine, read_rules, show_predicate};

pub(super) const FORMAT: CaseFormat = CaseFormat { name: "meaning", recognises: is_case, judge: run_case };

fn is_case(row: &CaseRow) -> bool {
    row.string_member("sentence").is_some()
        && row.raw_member("rules").is_some()
        && row.raw_member("vm").is_some()
        && row.value_member("expected").is_some_and(|expected| expected.is_array())
}

fn run_case(row: &CaseRow) -> Outcome {
    let expected = row.value_member("expected").unwrap_or_default();
    let annotation =
        row.string_member("rules").unwrap_or_else(|| row.raw_member("rules").unwrap_or_default().to_owned());
    let actual = match parse_machine(row.raw_member("vm").unwrap_or_default()) {
        Ok(object) => Value::Array(rule_answers(&annotation, &object)),
        Err(reason) => Value::String(format!("the object cannot be read: {reason}")),
    };
    let shown = only_asked(&expected, actual);
    if expected == shown {
        return Outcome::Agrees;
    }
    Outcome::Differs { expected: expected.to_string(), actual: shown.to_string() }
}

/// Of each answer the members that the expectation at its place names.
fn only_asked(expected: &Value, actual: Value) -> Value {
    let Value::Array(answers) = actual else { return actual };
    let requested = |(at, answer): (usize, Value)| match (expected.get(at), answer) {
        (Some(Value::Object(expected)), Value::Object(answer)) => {
            Value::Object(answer.into_iter().filter(|(key, _)| expected.contains_key(key)).collect())
        }
        (_, answer) => answer,
    };
    answers.into_iter().enumerate().map(requested).collect()
}

/// Returns the answer of each rule to an object, with all members that an expectation may name.
fn rule_answers(annotation: &str, object: &Value) -> Vec<Value> {
    let source = SourceFile::new(FileId(0), "vm.json", annotated_machine(annotation));
    let finding = !kvrules::read_rules(&source).diagnostics.is_empty();
    let answers = read_rules(annotation).into_iter().map(|ReadRule { rule, .. }| {
        let mut answer = match rule {
            Ok(rule) => rule_answer(&rule, object),
            Err(cause) => left_out(&cause),
        };
        answer.insert("finding".to_owned(), finding.into());
        Value::Object(answer)
    });
    answers.collect()
}

fn left_out(cause: &OmissionCause) -> Map<String, Value> {
    // The page skips unknown kinds, and leaves out what it cannot express.
    let outcome = if cause.kind == OmissionKind::UnknownRule { "skipped" } else { "left out" };
    sorted_members(
        json!({ "outcome": outcome, "cause": cause_name(cause.kind), "reason": cause.text, "rejects": false }),
    )
}

fn rule_answer(rule: &ElaboratedRule, object: &Value) -> Map<String, Value> {
    let (program, explanation) = match (Program::new(rule), explain_rule(rule, object)) {
        (Ok(program), Ok(explanation)) => (program, explanation),
        (Err(error), _) | (_, Err(error)) => {
            return left_out(&OmissionCause::new(OmissionKind::Regex, error.to_string()));
        }
    };
    let verdict = program.evaluate_object(object);
    let outcome = if verdict == explanation.verdict && is_coherent(&explanation) {
        verdict.outcome.as_str()
    } else {
        "the verdict and its explanation differ"
    };
    sorted_members(json!({
        "outcome": outcome,
        "rejects": verdict.rejects_object(),
        "values": explanation.values.iter().map(judged_json).collect::<Vec<_>>(),
        "reason": explanation.reason,
        "predicate": show_predicate(&rule.predicate),
    }))
}

/// True if the explanation fits the verdict: no value of a satisfied rule is missing, and the guard of a skipped rule
/// found none.
fn is_coherent(explanation: &Explanation) -> bool {
    match explanation.verdict.outcome {
        Verdict::Satisfied => !explanation.values.is_empty(),
        Verdict::Skipped => explanation.guard.as_ref().is_some_and(Vec::is_empty),
        Verdict::Violated => explanation.guard.as_ref().is_none_or(|found| !found.is_empty()),
    }
}

fn judged_json(evaluated: &EvaluatedValue) -> Value {
    let found = &evaluated.finding;
    match found.origin {
        ValueOrigin::Object => json!([found.location, found.value]),
        origin => json!([found.location, found.value, origin.as_str()]),
    }
}

fn sorted_members(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}
