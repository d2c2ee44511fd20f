//! Rules about fields with defaults, which a server also evaluates on the defaults around them as they are written.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use kvrules_diagnostics::FileId;
use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
use kvrules_syntax::parse_stream;
use serde_json::{Value, json};

/// The expression of a rule about a definition whose field `policy` has this default.
fn expression(default: &Value, rule: &str) -> String {
    let word = json!({"type": "string", "default": "Never", "enum": ["Never", "Any"]});
    let policy =
        json!({"type": "object", "properties": {"reclaim": word, "borrow": word}, "default": default});
    let spec = json!({"type": "object", "properties": {"policy": policy}});
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "queues.example.com"},
        "spec": {"group": "example.com", "names": {"kind": "Queue", "plural": "queues"}, "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}});
    let text = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: queue}}\nspec:\n  \
         subject: {{apiVersion: example.com/v1, kind: Queue}}\n  rules:\n  - {{name: a, {rule}}}\n"
    );
    let definitions = SubjectDefinitions { of_run: vec![definition], ..SubjectDefinitions::default() };
    let stream = parse_stream(FileId(0), &text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings);
    assert!(findings.is_empty(), "{findings:?}");
    set.unwrap().rules.remove(0).expression
}

#[test]
fn a_field_that_a_default_leaves_unset_may_be_absent() {
    let rule = "path: spec.policy.borrow, in: [Never], when: {path: spec.policy.reclaim, in: [Never]}";
    let guarded =
        "has(self.reclaim) && self.reclaim == 'Never' && has(self.borrow) ? self.borrow == 'Never' : true";
    assert_eq!(expression(&json!({}), rule), guarded);
    let plain = "self.reclaim == 'Never' ? self.borrow == 'Never' : true";
    assert_eq!(expression(&Value::Null, rule), plain);
    assert_eq!(expression(&json!({"reclaim": "Any", "borrow": "Any"}), rule), plain);
}

#[test]
fn a_required_field_with_a_default_is_not_missing() {
    assert_eq!(expression(&json!({}), "path: spec.policy.borrow, required: true"), "has(self.spec)");
}
