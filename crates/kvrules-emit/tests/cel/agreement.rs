//! Emitted expressions accept the same objects as the predicate.

use kvrules_emit::Fidelity;
use kvrules_emit::cel::{Dialect, lower_predicate};
use kvrules_ir::Predicate;
use kvrules_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::cases::cases;
use super::engine::Rule;
use super::objects::objects;

#[test]
fn a_schema_rule_accepts_what_its_predicate_accepts() {
    agree(Dialect::VIRTUAL_MACHINE_SCHEMA);
}

#[test]
fn a_policy_expression_accepts_what_its_predicate_accepts() {
    agree(Dialect::ADMISSION_POLICY);
}

fn agree(dialect: Dialect) {
    let (mut pairs, mut accepted, mut differing) = (0, 0, 0);
    for (name, predicate) in cases() {
        let Ok(lowered) = lower_predicate(&predicate, dialect) else { continue };
        let text = lowered.expression.to_string();
        let words = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(words(&text), words(&lowered.expression.to_fitting_text(40)), "{name}");
        let rule = Rule::new(&text, dialect.root);
        let mut seen = [0, 0];
        for object in objects(&predicate) {
            let (intended, got) = (kvrules_eval::predicate_holds(&predicate, &object), rule.accepts(&object));
            pairs += 1;
            accepted += usize::from(intended);
            seen[usize::from(intended)] += 1;
            if got != intended {
                assert!(
                    may_differ(&lowered.fidelity, intended, &object),
                    "{name}: meant {intended}: {text}\n{object}"
                );
                differing += 1;
            }
        }
        decided_both_ways(name, &predicate, &text, seen);
    }
    println!("{pairs} pairs of rule and object, {accepted} accepted, {differing} differ as declared");
    assert!(pairs > 5_000, "{pairs}");
}

/// Only in the declared direction, and only for the declared cause.
fn may_differ(fidelity: &Fidelity, intended: bool, object: &Value) -> bool {
    let exactness = fidelity.exactness();
    (if intended { exactness.may_narrow() } else { exactness.may_widen() }) && has_fraction(object)
}

fn has_fraction(value: &Value) -> bool {
    match value {
        Value::String(text) => Quantity::parse(text).is_ok_and(|quantity| !quantity.is_integer()),
        Value::Array(items) => items.iter().any(has_fraction),
        Value::Object(fields) => fields.values().any(has_fraction),
        _ => false,
    }
}

/// The objects are worth something: unless the expression is a constant, some pass and some do not.
fn decided_both_ways(name: &str, predicate: &Predicate, text: &str, seen: [usize; 2]) {
    let constant = matches!(text, "true" | "false");
    assert!(constant || seen.iter().all(|count| *count > 0), "{name}: {seen:?} for {text}: {predicate:?}");
}
