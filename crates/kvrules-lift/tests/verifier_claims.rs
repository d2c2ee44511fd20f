//! The claims of another verifier's tests: none is contradicted, and most are decided.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::struct_excessive_bools,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::collections::BTreeMap;

use kvrules_cel::value::{Value as CelValue, from_schema};
use kvrules_ir::Formula;
use kvrules_lift::{FormulaScope, LiftedExpression, RuleValues, examine_rule, is_implied, lift_rule};
use serde_json::{Value, json};
use support::rule;

/// The number of values on which formulas are confirmed, and that are tried as examples.
const VALUES: usize = 60;

/// What is said of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Right,
    Wrong,
    Undecided,
    /// The server answers otherwise than the other verifier's language does, for a value.
    Differs,
    /// The expression does not type-check in rules of definitions, or has no formula.
    NoFormula,
}

/// What is proved of a rule, and what values show.
struct Decision {
    always: bool,
    never: bool,
    passes: bool,
    fails: bool,
}

impl Decision {
    /// The answer to the claim that all values pass, or that none does.
    fn about_all(&self, passing: bool) -> Answer {
        let (proof, opposite, against) = if passing {
            (self.always, self.never, self.fails)
        } else {
            (self.never, self.always, self.passes)
        };
        match (proof, opposite, against) {
            (true, _, _) => Answer::Right,
            (_, true, _) => Answer::Wrong,
            (_, _, true) => Answer::Differs,
            _ => Answer::Undecided,
        }
    }

    /// The answer to the claim that some value passes, or that some fails.
    fn about_some(&self, passing: bool) -> Answer {
        let (proof, shown) = if passing { (self.never, self.passes) } else { (self.always, self.fails) };
        match (proof, shown) {
            (true, _) => Answer::Wrong,
            (false, true) => Answer::Right,
            (false, false) => Answer::Undecided,
        }
    }
}

fn schema_of_fields() -> Value {
    let fields = kvrules_testdata::read_value("suites/cel-verifier/fields.json").unwrap();
    let required: Vec<&String> = fields.as_object().unwrap().keys().collect();
    json!({"type": "object", "required": required, "properties": fields})
}

fn decide(text: &str, schema: &Value) -> Option<Decision> {
    let rule = rule(text, schema);
    let formulas = lift_rule(&rule, VALUES).ok()?.formulas;
    let sense = examine_rule(&rule, &formulas);
    let verdicts = verdicts_of(text, &formulas, schema);
    let shown = |passes: bool| verdicts.iter().any(|verdict| (*verdict == Some(true)) == passes);
    let (always, never) = (sense.is_always_true, sense.is_never_true);
    Some(Decision { always, never, passes: shown(true), fails: shown(false) })
}

fn verdicts_of(text: &str, formulas: &LiftedExpression, schema: &Value) -> Vec<Option<bool>> {
    let expression = kvrules_cel::parse(text).unwrap();
    let mut made = RuleValues::new(&rule(text, schema), formulas);
    let values: Vec<Value> = (0..VALUES)
        .filter_map(|index| {
            let value = made.make_value(index);
            made.accepted_value(&value)
        })
        .collect();
    let verdict = |value: &Value| {
        let mut scope = kvrules_cel::eval::Scope::default();
        let shape = kvrules_cel::eval::ExpressionShape::Schema(schema);
        scope.variables.insert("self", (from_schema(value, schema), shape));
        let limit = kvrules_cel::eval::CALL_LIMIT;
        match kvrules_cel::eval::evaluate_expression(&expression, &scope, limit).result {
            Ok(CelValue::Bool(verdict)) => Some(verdict),
            _ => None,
        }
    };
    values.iter().map(verdict).collect()
}

/// The answer to the claim that two rules pass the same values, or that they do not.
fn compare(one: &str, other: &str, schema: &Value, is_same: bool) -> Option<Answer> {
    let lifted = |text: &str| Some(lift_rule(&rule(text, schema), VALUES).ok()?.formulas);
    let (Some(left), Some(right)) = (lifted(one), lifted(other)) else {
        // Values that are no conditions are compared with `==`.
        let decision = decide(&format!("({one}) == ({other})"), schema)?;
        return Some(if is_same { decision.about_all(true) } else { decision.about_some(false) });
    };
    let implies = |one: &Formula, other: &Formula| is_implied(&[one], other, schema);
    let is_proved = implies(&left.holds, &right.holds) && implies(&right.holds, &left.holds);
    let mut made = RuleValues::new(&rule(one, schema), &left);
    let differs = (0..VALUES).any(|index| {
        let value = made.make_value(index);
        let scope = FormulaScope::new().with_root("self", from_schema(&value, schema));
        made.accepted_value(&value).is_some()
            && scope.formula_holds(&left.holds) != scope.formula_holds(&right.holds)
    });
    Some(match (is_proved, is_same, differs) {
        (true, true, _) | (false, false, true) => Answer::Right,
        (true, false, _) => Answer::Wrong,
        (false, true, true) => Answer::Differs,
        (false, ..) => Answer::Undecided,
    })
}

fn answer(kind: &str, texts: &[&str], schema: &Value) -> Answer {
    let found = match (kind, texts) {
        ("IsUnsatisfiable", [text]) => decide(text, schema).map(|it| it.about_all(false)),
        ("IsSatisfiable", [text]) => decide(text, schema).map(|it| it.about_some(true)),
        ("IsAlwaysTrue", [text]) => decide(text, schema).map(|it| it.about_all(true)),
        ("IsAlwaysTrueViolation", [text]) => decide(text, schema).map(|it| it.about_some(false)),
        ("Equivalence", [one, other]) => compare(one, other, schema, true),
        ("EquivalenceViolation", [one, other]) => compare(one, other, schema, false),
        _ => panic!("{kind}"),
    };
    found.unwrap_or(Answer::NoFormula)
}

#[test]
fn claims_of_another_verifier_are_not_contradicted() {
    let schema = schema_of_fields();
    let mut counts: BTreeMap<Answer, Vec<String>> = BTreeMap::new();
    for case in kvrules_testdata::read_rows("suites/cel-verifier/cases.jsonl").unwrap() {
        let kind = case["kind"].as_str().unwrap();
        let texts: Vec<&str> =
            case["expressions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let answer = answer(kind, &texts, &schema);
        counts.entry(answer).or_default().push(format!("{kind}: {}", texts.join(" <=> ")));
    }
    for (answer, cases) in &counts {
        println!("{answer:?} {}", cases.len());
        if *answer != Answer::Right {
            println!("  {}", cases.join("\n  "));
        }
    }
    assert_eq!(counts.get(&Answer::Wrong), None);
    assert!(counts[&Answer::Right].len() >= 50, "{} are right", counts[&Answer::Right].len());
}
