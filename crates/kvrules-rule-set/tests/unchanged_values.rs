//! Words about updates compare values as servers do.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use kvrules_diagnostics::FileId;
use kvrules_rule_set::{RuleSet, SubjectDefinitions, confirm_meaning, read_rule_set};
use kvrules_syntax::parse_stream;
use serde_json::{Value, json};

fn pond() -> Value {
    let text = json!({"type": "string", "maxLength": 10});
    let item =
        json!({"type": "object", "required": ["k"], "properties": {"k": text, "v": {"type": "integer"}}});
    let by_key = json!({"type": "array", "maxItems": 5, "items": item, "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"]});
    let spec = json!({"type": "object", "properties": {
        "keyed": by_key,
        "set": {"type": "array", "maxItems": 5, "items": text, "x-kubernetes-list-type": "set"},
        "plain": {"type": "array", "maxItems": 5, "items": text},
    }});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "names": {"kind": "Pond", "plural": "ponds"}, "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

fn rule_set(rules: &[&str]) -> RuleSet {
    let rules: Vec<String> = rules.iter().map(|rule| format!("  - {{{rule}}}\n")).collect();
    let rules = rules.concat();
    let text = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: pond}}\nspec:\n  \
         subject: {{apiVersion: example.com/v1, kind: Pond}}\n  rules:\n{rules}"
    );
    let definitions = SubjectDefinitions { of_run: vec![pond()], ..SubjectDefinitions::default() };
    let stream = parse_stream(FileId(0), &text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings);
    assert!(findings.is_empty(), "{findings:?}");
    set.unwrap()
}

#[test]
fn the_order_of_a_set_and_of_items_with_keys_is_no_change() {
    let set = rule_set(&[
        "name: keyed, path: spec.keyed, immutable: always",
        "name: set, path: spec.set, immutable: onceSet",
        "name: plain, path: spec.plain, immutable: whileSet",
    ]);
    let stored =
        json!({"spec": {"keyed": [{"k": "a", "v": 1}, {"k": "b"}], "set": ["a", "b"], "plain": ["a", "b"]}});
    let violated = |spec: Value| -> Vec<String> {
        let object = json!({"spec": spec});
        set.find_violations(&object, Some(&stored)).iter().map(|rule| rule.name.clone()).collect()
    };
    let reordered =
        json!({"keyed": [{"k": "b"}, {"v": 1, "k": "a"}], "set": ["b", "a"], "plain": ["b", "a"]});
    assert_eq!(violated(reordered), ["plain"]);
    let changed = json!({"keyed": [{"k": "b"}, {"v": 2, "k": "a"}], "set": ["b", "c"], "plain": ["a", "b"]});
    assert_eq!(violated(changed), ["keyed", "set"]);
}

#[test]
fn expressions_say_the_same_about_repeated_keys() {
    let set = rule_set(&[
        "name: keyed, path: spec.keyed, immutable: onceSet",
        "name: set, path: spec.set, immutable: always",
        "name: removal, path: spec.keyed, noRemoval: true",
        "name: removal-of-set, path: spec.set, noRemoval: true",
    ]);
    for confirmed in confirm_meaning(&set, 1_000) {
        assert!(confirmed.values > 500 && confirmed.violating > 0, "{confirmed:?}");
        assert!(confirmed.departure.is_none(), "{confirmed:?}");
    }
}
