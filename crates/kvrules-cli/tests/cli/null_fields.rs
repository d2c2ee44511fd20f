//! Fields that may be null: what words, their definition, their policy and their suite say about objects with nulls is the same.
//!
//! A null field is absent for rules; nulls of items and of values of maps are values (`docs/internals/meaning.md`).

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};

use crate::place::Place;

/// A definition of ponds whose fields may be null.
fn definition() -> Value {
    let nullable = |schema: Value| {
        let mut schema = schema;
        schema.as_object_mut().unwrap().insert("nullable".to_owned(), true.into());
        schema
    };
    let text = json!({"type": "string"});
    let spec = json!({
        "type": "object",
        "required": ["needed"],
        "properties": {
            "needed": nullable(text.clone()),
            "text": nullable(text.clone()),
            "count": nullable(json!({"type": "integer"})),
            "preset": nullable(json!({"type": "string", "default": "a"})),
            "inner": nullable(json!({"type": "object", "properties": {"key": nullable(text.clone())}})),
            "list": {"type": "array", "maxItems": 3, "items": nullable(text.clone())},
            "map": {"type": "object", "maxProperties": 3, "additionalProperties": nullable(text)},
        },
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Pond", "plural": "ponds", "singular": "pond", "listKind": "PondList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            }],
        },
    })
}

fn rule_set(rule: &Value) -> Value {
    json!({
        "apiVersion": "kvrules.dev/v1alpha1",
        "kind": "RuleSet",
        "metadata": {"name": "ponds"},
        "spec": {"subject": {"apiVersion": "example.com/v1", "kind": "Pond"}, "rules": [rule]},
    })
}

fn pond(spec: &Value) -> Value {
    let mut all = json!({"needed": "x"});
    for (name, value) in spec.as_object().unwrap() {
        all.as_object_mut().unwrap().insert(name.clone(), value.clone());
    }
    json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "pond", "namespace": "default"}, "spec": all})
}

fn suite(object: &Value, is_accepted: bool) -> Value {
    let verdict = if is_accepted { "accept" } else { "reject" };
    json!({
        "apiVersion": "kvrules.dev/v1alpha1",
        "kind": "RuleTests",
        "rules": ["rules.yaml", "ponds.yaml"],
        "cases": [{"name": "case", "object": object, "expect": verdict}],
    })
}

/// The verdicts of each engine on an object: of the words, of the definition and of the policy that they compile to.
fn verdicts(place: &Place, object: &Value) -> Vec<(&'static str, Option<i32>)> {
    place.write("object.yaml", object.to_string());
    let engines: [(&str, &[&str]); 3] = [
        (
            "words",
            &["eval", "--engine", "spec", "--rules", "rules.yaml", "--schema", "ponds.yaml", "object.yaml"],
        ),
        ("definition", &["eval", "--engine", "crd", "--schema", "build/crd/ponds.yaml", "object.yaml"]),
        (
            "policy",
            &[
                "eval",
                "--engine",
                "policy",
                "--rules",
                "build/admission-policy/ponds.yaml",
                "--schema",
                "ponds.yaml",
                "object.yaml",
            ],
        ),
    ];
    engines.into_iter().map(|(engine, args)| (engine, place.run(args).code)).collect()
}

/// Checks that each engine accepts the one specs and rejects the others.
fn all_agree(rule: &Value, accepted: &[Value], rejected: &[Value]) {
    let set = rule_set(rule).to_string();
    let place = Place::with(&[("ponds.yaml", &definition().to_string()), ("rules.yaml", &set)]);
    let made = place.run(&[
        "compile",
        "rules.yaml",
        "ponds.yaml",
        "--target",
        "crd,admission-policy",
        "--out-dir",
        "build",
    ]);
    assert_eq!(made.code, Some(0), "{made:?}");
    for (specs, is_accepted) in [(accepted, true), (rejected, false)] {
        for spec in specs {
            let object = pond(spec);
            for (engine, code) in verdicts(&place, &object) {
                assert_eq!(
                    code,
                    Some(i32::from(!is_accepted)),
                    "{engine}: {rule} {spec}: {:?}",
                    place.files("build")
                );
            }
            place.write("case.yaml", suite(&object, is_accepted).to_string());
            let tested = place.run(&["test", "case.yaml"]);
            assert_eq!(tested.code, Some(0), "suite: {rule} {spec}: {tested:?}");
        }
    }
}

#[test]
fn required_fields_are_absent_when_they_are_null() {
    all_agree(
        &json!({"name": "text", "path": "spec.text", "required": true}),
        &[json!({"text": ""})],
        &[json!({"text": null}), json!({})],
    );
    all_agree(
        &json!({"name": "needed", "path": "spec.needed", "required": true}),
        &[json!({"needed": ""})],
        &[json!({"needed": null})],
    );
}

#[test]
fn forbidden_fields_may_be_null() {
    all_agree(
        &json!({"name": "text", "path": "spec.text", "forbidden": true}),
        &[json!({"text": null}), json!({})],
        &[json!({"text": ""})],
    );
}

#[test]
fn tests_of_values_pass_where_the_field_is_null() {
    all_agree(
        &json!({"name": "count", "path": "spec.count", "integer": {"min": 2}}),
        &[json!({"count": null}), json!({}), json!({"count": 2})],
        &[json!({"count": 1})],
    );
    all_agree(
        &json!({"name": "key", "path": "spec.inner.key", "pattern": "^a"}),
        &[json!({"inner": null}), json!({"inner": {"key": null}}), json!({"inner": {"key": "ab"}})],
        &[json!({"inner": {"key": "b"}})],
    );
}

#[test]
fn conditions_do_not_hold_where_their_field_is_null() {
    all_agree(
        &json!({"name": "guarded", "path": "spec.count", "required": true, "when": {"path": "spec.text", "required": true}}),
        &[json!({"text": null}), json!({"text": "a", "count": 1})],
        &[json!({"text": "a", "count": null}), json!({"text": "a"})],
    );
}

#[test]
fn items_that_are_null_are_not_set() {
    all_agree(
        &json!({"name": "items", "path": "spec.list[*]", "required": true}),
        &[json!({}), json!({"list": []}), json!({"list": ["a"]})],
        &[json!({"list": [null]}), json!({"list": ["a", null]})],
    );
    all_agree(
        &json!({"name": "texts", "path": "spec.list[*]", "in": ["a"]}),
        &[json!({"list": [null, "a"]})],
        &[json!({"list": [null, "b"]})],
    );
}

#[test]
fn values_of_maps_that_are_null_are_not_set() {
    all_agree(
        &json!({"name": "map", "path": "spec.map[*]", "required": true}),
        &[json!({}), json!({"map": {}}), json!({"map": {"a": "b"}})],
        &[json!({"map": {"a": null}})],
    );
    all_agree(
        &json!({"name": "key", "path": "spec.map.a", "required": true}),
        &[json!({"map": {"a": "b"}})],
        &[json!({"map": {"a": null}}), json!({"map": {"b": "a"}}), json!({})],
    );
}

#[test]
fn defaults_stay_absent_where_null_is_written() {
    all_agree(
        &json!({"name": "preset", "path": "spec.preset", "required": true}),
        &[json!({}), json!({"preset": "b"})],
        &[json!({"preset": null})],
    );
}

#[test]
fn counts_of_fields_leave_nulls_out() {
    all_agree(
        &json!({"name": "one", "exactlyOneOf": ["spec.text", "spec.count"]}),
        &[json!({"text": "a", "count": null}), json!({"text": null, "count": 1})],
        &[json!({"text": null, "count": null}), json!({"text": "a", "count": 1}), json!({})],
    );
}
