//! Random rules with values and what the judge's evaluator makes of them, for another implementation of CEL to evaluate as well:
//! lines as `tests/cel/other.py` reads them.

use serde_json::{Value as Json, json};

use super::evaluate::Outcome;
use super::expression::{Expr, Function, Op};
use super::place::{Place, Rule};
use super::value::Val;
use crate::Random;

/// Evaluations of one rule: more of them, if it can end in an error, than one with each outcome.
const OF_A_RULE: usize = 12;

/// Returns lines about rules of a seed, at least this number.
pub fn write_evaluations(seed: u64, number: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut case = 0;
    while lines.len() < number {
        let mut random = Random::of_case(seed, case);
        let place = Place::generate(&mut random);
        let rules: Vec<&Rule> = place
            .rules
            .iter()
            .filter(|rule| is_standard(&rule.expr) && !orders_quotient(&rule.expr))
            .collect();
        let states = place.states(&rules, &mut random);
        for rule in rules {
            for _ in 0..OF_A_RULE.min(states.len()) {
                let state = random.choose(&states);
                let ours = match rule.outcome(state) {
                    Outcome::True => json!({"value": true}),
                    Outcome::False => json!({"value": false}),
                    Outcome::Error => json!({"error": "error"}),
                    Outcome::Skipped => continue,
                };
                let mut variables = json!({"self": typed_json(&state.value)});
                if let (true, Some(old)) = (rule.is_transition, &state.old) {
                    variables["oldSelf"] = typed_json(old);
                }
                let id = format!("seed {seed}, case {case}");
                lines.push(
                    json!({"id": id, "expression": rule.text, "variables": variables, "ours": ours})
                        .to_string(),
                );
            }
        }
        case += 1;
    }
    lines
}

/// True if the rule uses nothing that Kubernetes adds to CEL.
fn is_standard(rule: &Expr) -> bool {
    let mut is_standard = true;
    rule.visit(&mut |it| {
        if let Expr::Call(function, _) = it {
            is_standard &= matches!(
                function,
                Function::Size
                    | Function::StartsWith
                    | Function::EndsWith
                    | Function::Contains
                    | Function::Matches
                    | Function::LowerAscii
                    | Function::IndexOf
                    | Function::String
                    | Function::Int
                    | Function::Type
            );
        }
    });
    is_standard
}

/// True if the rule may order a number that is not one. In cel-go, which servers run, that is an error, and in C++ it is false.
// cel-go, common/types/double.go, Double.Compare
fn orders_quotient(rule: &Expr) -> bool {
    let is_order = |op: &Op| matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge);
    let is_quotient =
        |side: &Expr| matches!(side, Expr::Bin(Op::Div, one, other) if one.to_string() == other.to_string());
    let mut found = false;
    rule.visit(&mut |it| {
        if let Expr::Bin(op, one, other) = it {
            found |= is_order(op) && (is_quotient(one) || is_quotient(other));
        }
    });
    found
}

fn typed_json(value: &Val) -> Json {
    match value {
        Val::Int(value) => json!({"int": value.to_string()}),
        // As bits, so that no digit is lost on the way.
        Val::Double(value) => json!({"double": value.to_bits().to_string()}),
        Val::List(items) => json!({"list": items.iter().map(typed_json).collect::<Vec<_>>()}),
        Val::Map(entries) => {
            let entries: Vec<Json> =
                entries.iter().map(|(name, value)| json!([&**name, typed_json(value)])).collect();
            json!({"map": entries})
        }
        other => other.to_json(),
    }
}
