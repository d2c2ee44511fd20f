//! Values that pass a rule and values that fail it: cut from the objects that kvrules-verify makes of the rule, on both
//! sides of everything that it asks, and evaluated by kvrules-eval.

use kvrules_eval::{Explainer, Outcome};
use kvrules_ir::{ElaboratedRule, ValueTest, ValueType};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_pages::document::{Beside, Example, Examples};
use kvrules_pages::prose::text_code;
use num_bigint::BigInt;
use serde_json::Value;

/// Number of values of each sort that are shown.
const SHOWN: usize = 4;

/// Number of objects that are examined: the first are the smallest, and a reader needs no more than their values.
const LOOKED_AT: usize = 600;

/// Of a list of values so many on each side of a text are checked against it.
const NEIGHBOURS: usize = 50;

/// A value that was evaluated.
struct EvaluatedValue {
    value: Value,
    /// The values that it was compared with.
    beside: Vec<Value>,
    passes: bool,
    rank: ExampleRank,
}

/// Rank of a value: true if its spelling is odd, its distance from the limit, its length, and the value itself.
type ExampleRank = (bool, u64, usize, String);

/// Values for the field of a rule; of a rule that compares places with the values that they were compared with. Paths start
/// at these fields of the object.
pub(crate) fn rule_examples(rule: &ElaboratedRule, root: &[&str]) -> Examples {
    let mut evaluated = evaluated_values(rule, root);
    evaluated.sort_by(|one, other| one.rank.cmp(&other.rank));
    let shown = |passes: bool| {
        let of_sort = evaluated.iter().filter(|evaluated| evaluated.passes == passes);
        let mut shown: Vec<Example> = Vec::new();
        let mut meanings: Vec<Vec<String>> = Vec::new();
        for evaluated in of_sort {
            let values = std::iter::once(&evaluated.value).chain(&evaluated.beside);
            let meaning = values.map(|value| value_meaning(value, rule)).collect();
            if shown.len() < SHOWN && !meanings.contains(&meaning) {
                meanings.push(meaning);
                shown.push(to_example(evaluated, rule));
            }
        }
        shown
    };
    Examples { passes: shown(true), fails: shown(false) }
}

fn to_example(evaluated: &EvaluatedValue, rule: &ElaboratedRule) -> Example {
    let others = rule.requirement.compared_with.iter().zip(&evaluated.beside);
    let beside = |(path, value): (&String, &Value)| Beside {
        path: path.clone(),
        json: value.clone(),
        code: code(value),
    };
    Example {
        json: evaluated.value.clone(),
        code: code(&evaluated.value),
        beside: others.map(beside).collect(),
    }
}

fn code(value: &Value) -> String {
    match value {
        Value::String(text) => text_code(text),
        other => other.to_string(),
    }
}

/// Distinct values of the field, evaluated alone: in an object in which they are the only ones.
fn evaluated_values(rule: &ElaboratedRule, root: &[&str]) -> Vec<EvaluatedValue> {
    let Ok(explainer) = Explainer::new(rule) else { return Vec::new() };
    let mut evaluated: Vec<EvaluatedValue> = Vec::new();
    for object in kvrules_verify::generate_objects(&[rule]).iter().take(LOOKED_AT) {
        let (verdict, found) = explainer.evaluate_values(object);
        let [(finding, passes_tests)] = found.as_slice() else { continue };
        let value = &finding.value;
        let is_spelled = finding.origin == kvrules_eval::ValueOrigin::Object;
        let others = rule.requirement.compared_with.iter().map(|path| spelled_value(object, root, path));
        let Some(beside) = others.collect::<Option<Vec<_>>>() else { continue };
        if !is_spelled
            || std::iter::once(value).chain(&beside).any(|value| value.is_object() || value.is_array())
            || evaluated.iter().any(|known| known.value == *value && known.beside == beside)
        {
            continue;
        }
        // An example passes only if the whole rule does, not only the tests of this value.
        let outcome = verdict.outcome;
        let passes = outcome != Outcome::Violated && *passes_tests;
        if !beside.is_empty() && outcome == Outcome::Skipped {
            continue;
        }
        let rank = example_rank(value, &beside, rule);
        evaluated.push(EvaluatedValue { value: value.clone(), beside, passes, rank });
    }
    evaluated
}

/// Returns the value that an object spells out at a path without lists.
fn spelled_value(object: &Value, root: &[&str], path: &str) -> Option<Value> {
    let names = path.trim_start_matches(['$', '.']).split('.');
    let found = root.iter().copied().chain(names).try_fold(object, |value, name| value.get(name))?;
    (!found.is_null()).then(|| found.clone())
}

/// Returns the rank of an example: first those near the value where the verdict changes, and easy to read.
fn example_rank(value: &Value, beside: &[Value], rule: &ElaboratedRule) -> ExampleRank {
    let text = text_of(value);
    let tests = rule.requirement.tests.iter();
    let distance = tests.map(|test| limit_distance(test, value, rule)).max().unwrap_or(0);
    let apart = beside.iter().map(|other| value_distance(value, other, rule)).max().unwrap_or(0);
    let is_odd = std::iter::once(value).chain(beside).any(|value| is_odd(&text_of(value), rule));
    let length = std::iter::once(value).chain(beside).map(|value| text_of(value).chars().count()).sum();
    // If the rule compares the value with another, examples near that other value show the most.
    let distance = if beside.is_empty() { distance } else { apart };
    (is_odd, distance, length, format!("{text} {beside:?}"))
}

/// Returns the distance between two values.
fn value_distance(value: &Value, other: &Value, rule: &ElaboratedRule) -> u64 {
    match (value_number(value, rule), value_number(other, rule)) {
        (Some(one), Some(other)) => (one - other).bits(),
        _ => u64::from(text_of(value) != text_of(other)),
    }
}

/// True if a text is a spelling out of the ordinary.
fn is_odd(text: &str, rule: &ElaboratedRule) -> bool {
    let is_quantity = rule.requirement.subject.leaf.value_type == ValueType::Quantity;
    let is_usual = |number: &str| number.trim_start_matches('-').chars().all(|c| c.is_ascii_digit());
    let number =
        text.strip_suffix('i').and_then(|text| text.strip_suffix(['K', 'M', 'G', 'T'])).unwrap_or(text);
    (is_quantity && !is_usual(number)) || text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic())
}

/// Returns the distance of a value from the limit of a test.
fn limit_distance(test: &ValueTest, value: &Value, rule: &ElaboratedRule) -> u64 {
    let written = text_of(value);
    let length = || written.chars().count();
    match test {
        ValueTest::Integer(interval) => {
            let Some(number) = value_number(value, rule) else { return u64::MAX };
            let bounds = interval.min.iter().chain(&interval.max);
            bounds.map(|bound| (bound - &number).bits()).min().unwrap_or_else(|| number.bits())
        }
        ValueTest::Length(interval) => {
            let bounds = interval.min.iter().chain(&interval.max);
            bounds.map(|bound| (bound - BigInt::from(length())).bits()).min().unwrap_or(0)
        }
        ValueTest::OneOf(values) => {
            let other = |allowed: &String| {
                let common =
                    allowed.chars().zip(written.chars()).take_while(|(one, other)| one == other).count();
                allowed.chars().count().max(length()).saturating_sub(common) as u64
            };
            // In sorted order, values with a common prefix are neighbours, so a few of a long list are enough.
            let before = values.range(..written.clone()).rev().take(NEIGHBOURS);
            let from = values.range(written.clone()..).take(NEIGHBOURS);
            before.chain(from).map(other).min().unwrap_or(0)
        }
        ValueTest::Matches(_) => 0,
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn value_number(value: &Value, rule: &ElaboratedRule) -> Option<BigInt> {
    let text = text_of(value);
    match rule.requirement.subject.leaf.value_type {
        ValueType::Quantity => Quantity::parse_trimmed(&text).ok()?.to_integer(),
        _ => text.parse().ok(),
    }
}

/// Spellings of one value are one example.
fn value_meaning(value: &Value, rule: &ElaboratedRule) -> String {
    value_number(value, rule).map_or_else(|| text_of(value), |number| number.to_string())
}
