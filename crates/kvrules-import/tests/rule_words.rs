//! Rules in CEL as the words that a person would choose.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use kvrules_import::{ImportedForm, import_definition_rules};
use serde_json::{Value, json};

fn pond(rule: &str) -> Value {
    let text = json!({"type": "string", "maxLength": 20});
    let spec = json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}], "properties": {
        "low": {"type": "integer"}, "high": {"type": "integer"}, "phase": text, "name": text,
        "friends": {"type": "array", "maxItems": 8, "items": text},
        "memory": {"x-kubernetes-int-or-string": true}, "ratio": {"type": "number"},
        "mode": {"type": "string", "enum": ["On", "Off", "Auto"]},
    }});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Pond", "plural": "ponds"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

/// The rules that an expression at `spec` becomes, without their names.
fn words(rule: &str) -> Value {
    let imported = import_definition_rules(&pond(rule), None);
    assert_eq!(imported[0].rules[0].form, ImportedForm::Words, "{rule}");
    let mut rules = imported[0].document["spec"]["rules"].clone();
    for rule in rules.as_array_mut().unwrap() {
        rule.as_object_mut().unwrap().shift_remove("name");
    }
    rules
}

#[test]
fn tests_of_absence_before_a_comparison_are_no_counts() {
    let plain = json!([{"path": "spec.low", "atMost": "spec.high"}]);
    for rule in [
        "!has(self.low) || !has(self.high) || self.low <= self.high",
        "!(has(self.low) && has(self.high)) || self.low <= self.high",
        "has(self.low) && has(self.high) ? self.low <= self.high : true",
    ] {
        assert_eq!(words(rule), plain, "{rule}");
    }
    let on = json!({"path": "spec.mode", "in": ["On"]});
    let rule =
        "!has(self.mode) || self.mode != 'On' || !has(self.low) || !has(self.high) || self.low <= self.high";
    assert_eq!(words(rule), json!([{"path": "spec.low", "atMost": "spec.high", "when": on}]));
}

#[test]
fn tests_of_presence_are_counts() {
    assert_eq!(
        words("!has(self.low) || !has(self.high)"),
        json!([{"atMostOneOf": ["spec.low", "spec.high"]}])
    );
    let on = json!({"path": "spec.mode", "in": ["On"]});
    let rule = "!has(self.mode) || self.mode != 'On' || !has(self.low) || !has(self.high)";
    assert_eq!(words(rule), json!([{"atMostOneOf": ["spec.low", "spec.high"], "when": on}]));
}

#[test]
fn values_are_required_and_not_their_absence() {
    let listed = json!([{"path": "spec.phase", "in": ["Ready"]}]);
    assert_eq!(words("!has(self.phase) || self.phase == 'Ready'"), listed);
    let empty = json!([{"path": "spec.friends", "items": {"max": 0}}]);
    assert_eq!(words("!has(self.friends) || size(self.friends) == 0"), empty);
    let named = json!({"path": "spec.friends", "items": {"min": 1}});
    let rule = "!has(self.friends) || size(self.friends) == 0 || has(self.name)";
    assert_eq!(words(rule), json!([{"path": "spec.name", "required": true, "when": named}]));
    let with_friend = json!({"path": "spec.friends[*]", "in": ["eel"]});
    let rule =
        "!has(self.friends) || !self.friends.exists(x, x == 'eel') || !has(self.mode) || self.mode == 'On'";
    assert_eq!(words(rule), json!([{"path": "spec.mode", "in": ["On"], "when": with_friend}]));
}

#[test]
fn quantities_are_words() {
    let memory = json!([{"path": "spec.memory", "quantity": {"min": "1Gi", "max": "4Gi"}}]);
    let of = |bound: &str| format!("quantity(string(self.memory)).compareTo(quantity('{bound}'))");
    let rule = format!("!has(self.memory) || {} >= 0 && {} <= 0", of("1Gi"), of("4Gi"));
    assert_eq!(words(&rule), memory);
    let some = json!([{"path": "spec.memory", "quantity": {"above": "0"}}]);
    assert_eq!(words(&format!("!has(self.memory) || {} > 0", of("0"))), some);
}

#[test]
fn excluded_bounds_of_numbers_are_words() {
    let between = json!([{"path": "spec.ratio", "number": {"above": 0.0, "below": 1.0}}]);
    assert_eq!(words("!has(self.ratio) || self.ratio > 0.0 && self.ratio < 1.0"), between);
    let unnamed = json!({"path": "spec.name", "forbidden": true});
    let half = json!([{"path": "spec.ratio", "number": {"below": 0.5}, "when": unnamed}]);
    assert_eq!(words("!has(self.ratio) || self.ratio < 0.5 || has(self.name)"), half);
}

#[test]
fn errors_are_violations() {
    // The rule is not evaluated without `spec`.
    let required = json!([{"each": "spec", "path": "mode", "required": true, "in": ["On"]}]);
    assert_eq!(words("self.mode == 'On'"), required);
    let off = json!({"not": {"path": "spec.mode", "in": ["On"]}});
    let rule = "!has(self.name) || self.mode == 'On'";
    assert_eq!(words(rule), json!([{"path": "spec.name", "forbidden": true, "when": off}]));
}

#[test]
fn an_object_that_a_rule_reads_without_a_test_is_required() {
    let mut pond = pond("true");
    let schema = pond.pointer_mut("/spec/versions/0/schema/openAPIV3Schema").unwrap();
    schema["x-kubernetes-validations"] = json!([{"rule": "!has(self.spec.low) || self.spec.low <= 5"}]);
    schema["properties"]["spec"].as_object_mut().unwrap().shift_remove("x-kubernetes-validations");
    let imported = import_definition_rules(&pond, None);
    let mut rules = imported[0].document["spec"]["rules"].clone();
    for rule in rules.as_array_mut().unwrap() {
        rule.as_object_mut().unwrap().shift_remove("name");
    }
    assert_eq!(
        rules,
        json!([{"path": "spec", "required": true}, {"path": "spec.low", "integer": {"max": 5}}])
    );
}

#[test]
fn a_list_that_a_rule_reads_without_a_test_is_required() {
    let required = json!([
        {"each": "spec", "path": "friends", "required": true},
        {"path": "spec.friends[*]", "in": ["carp", "eel"]},
    ]);
    let found = words("self.friends.all(x, x == 'carp' || x == 'eel')");
    let words_of =
        |rules: &Value| rules.as_array().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(words_of(&found).len(), words_of(&required).len(), "{found}");
    assert_eq!(found[0], required[0]);
}
