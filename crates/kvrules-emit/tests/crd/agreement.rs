//! A definition accepts the same objects as the rules.

use kvrules_emit::Fidelity;
use kvrules_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::cases::cases;
use super::objects::objects;
use super::support::{Server, may_differ, rule, schema, set, standalone};

#[test]
fn a_definition_accepts_what_its_rule_accepts() {
    let (mut rules, mut pairs, mut accepted, mut differing, mut unsupported) = (0, 0, 0, 0, Vec::new());
    for (name, predicate) in cases() {
        let emission = standalone(&set(vec![rule(name, predicate.clone())]));
        let server = Server::new(&schema(&emission.files[0].text));
        let fidelity = &emission.fidelity[0].fidelity;
        if let Fidelity::Unsupported(cause) = fidelity {
            unsupported.push(format!("{name}: {cause}"));
            continue;
        }
        rules += 1;
        for object in objects(&predicate) {
            let (intended, got) =
                (kvrules_eval::predicate_holds(&predicate, &object), server.accepts(&object));
            pairs += 1;
            accepted += usize::from(intended);
            if got != intended {
                let declared = may_differ(fidelity, intended) && has_fraction(&object);
                assert!(declared, "{name}: meant {intended}: {object}\n{}", emission.files[0].text);
                differing += 1;
            }
        }
    }
    println!("{rules} rules, {pairs} pairs, {accepted} accepted, {differing} differ as declared");
    println!("{} unsupported:\n{}", unsupported.len(), unsupported.join("\n"));
    assert!(rules > 70 && pairs > 5_000 && unsupported.len() < 12, "{rules} {pairs} {unsupported:?}");
}

fn has_fraction(value: &Value) -> bool {
    match value {
        Value::String(text) => Quantity::parse(text).is_ok_and(|quantity| !quantity.is_integer()),
        Value::Array(items) => items.iter().any(has_fraction),
        Value::Object(fields) => fields.values().any(has_fraction),
        _ => false,
    }
}
