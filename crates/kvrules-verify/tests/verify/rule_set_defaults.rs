//! Rules about fields with defaults and about quantities: every target rejects an object in which a default violates a rule, and compares what
//! values mean.

use kvrules_diagnostics::FileId;
use kvrules_emit::{EMITTERS, Request, find_emitter};
use kvrules_rule_set::{RuleSet, SubjectDefinitions, confirm_meaning, read_rule_set};
use kvrules_verify::verify_resources_with;
use serde_json::{Value, json};

fn read_set(spec: &Value, rules: &Value) -> RuleSet {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "names": {"kind": "Pond", "plural": "ponds", "singular": "pond", "listKind": "PondList"},
            "scope": "Namespaced", "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}});
    let document = json!({"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {"name": "pond"},
        "spec": {"subject": {"apiVersion": "example.com/v1", "kind": "Pond"}, "rules": rules}});
    let definitions = SubjectDefinitions { of_run: vec![definition], ..SubjectDefinitions::default() };
    let text = document.to_string();
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    read_rule_set(&stream.documents[0], &definitions, &mut Vec::new()).unwrap()
}

/// The JSON Schema of the objects that a set accepts.
fn json_schema(set: &RuleSet) -> jsonschema::Validator {
    let versions = set.versions();
    let request = Request {
        resources: &versions,
        authored: std::slice::from_ref(set),
        ..Request::for_virtual_machines(&[])
    };
    let made = find_emitter("json-schema").unwrap().emit_versions(&request).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&made.files[0].text).unwrap()).unwrap()
}

#[test]
fn defaults_that_violate_a_rule_are_rejected_by_words_and_schema_alike() {
    let number = |default: u64| json!({"type": "integer", "default": default});
    let object = |fields: Value| json!({"type": "object", "properties": fields});
    let with_default = |mut schema: Value, default: Value| {
        schema["default"] = default;
        schema
    };
    let low = json!({"integer": {"min": 2}});
    let rule = |path: &str| {
        let mut rule = low.clone();
        rule["name"] = "a".into();
        rule["path"] = path.into();
        json!([rule])
    };
    for (spec, rules, accepted, rejected) in [
        (
            object(json!({"n": number(1)})),
            rule("spec.n"),
            vec![json!({"n": 2})],
            vec![json!({}), json!({"n": null}), json!({"n": 1})],
        ),
        (
            object(json!({"n": number(3)})),
            rule("spec.n"),
            vec![json!({}), json!({"n": null})],
            vec![json!({"n": 1})],
        ),
        (
            object(json!({"o": object(json!({"n": number(1)}))})),
            rule("spec.o.n"),
            vec![json!({}), json!({"o": null}), json!({"o": {"n": 2}})],
            vec![json!({"o": {}}), json!({"o": {"n": null}})],
        ),
        (
            object(json!({"o": with_default(object(json!({"n": number(1)})), json!({}))})),
            rule("spec.o.n"),
            vec![json!({"o": {"n": 2}})],
            vec![json!({}), json!({"o": null}), json!({"o": {}})],
        ),
        (
            object(json!({"o": with_default(object(json!({"n": number(1)})), json!({"n": 5}))})),
            rule("spec.o.n"),
            vec![json!({}), json!({"o": null})],
            vec![json!({"o": {}})],
        ),
        (
            object(json!({"l": {"type": "array", "maxItems": 3, "items": object(json!({"n": number(1)}))}})),
            rule("spec.l[*].n"),
            vec![json!({}), json!({"l": []}), json!({"l": [{"n": 2}]})],
            vec![json!({"l": [{}]}), json!({"l": [{"n": 2}, {"n": null}]})],
        ),
        (
            object(
                json!({"m": {"type": "object", "maxProperties": 3, "additionalProperties": object(json!({"n": number(1)}))}}),
            ),
            json!([{"name": "a", "each": "spec.m[*]", "path": "n", "integer": {"min": 2}}]),
            vec![json!({}), json!({"m": {"x": {"n": 2}}})],
            vec![json!({"m": {"x": {}}})],
        ),
        (
            object(json!({"n": number(1), "text": {"type": "string"}})),
            json!([{"name": "a", "path": "spec.n", "forbidden": true, "when": {"path": "spec.text", "in": ["x"]}}]),
            vec![json!({}), json!({"text": "y"})],
            vec![json!({"text": "x"})],
        ),
        (
            object(json!({"n": number(1), "text": {"type": "string"}})),
            json!([{"name": "a", "path": "spec.text", "required": true, "when": {"path": "spec.n", "integer": {"max": 1}}}]),
            vec![json!({"n": 2}), json!({"text": "x"})],
            vec![json!({}), json!({"n": null})],
        ),
    ] {
        let set = read_set(&spec, &rules);
        let schema = json_schema(&set);
        for (objects, is_accepted) in [(accepted, true), (rejected, false)] {
            for spec in objects {
                let object = json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "a"}, "spec": spec});
                assert_eq!(set.find_violations(&object, None).is_empty(), is_accepted, "{rules}: {object}");
                let is_claimed = rules[0].get("each").is_none();
                let agrees = schema.is_valid(&object) == is_accepted;
                assert!(agrees || !is_claimed, "{rules}: {object}");
            }
        }
        let versions = set.versions();
        let request = Request {
            resources: &versions,
            authored: std::slice::from_ref(&set),
            ..Request::for_virtual_machines(&[])
        };
        let targets = ["json-schema", "openapi"].map(|name| find_emitter(name).unwrap());
        let report =
            verify_resources_with(&|emitter, request| emitter.emit_versions(request), &targets, &request);
        assert!(report.all_claims_hold(), "{rules}: {report:?}");
    }
}

#[test]
fn every_claim_about_quantities_that_are_compared_holds() {
    let quantity = json!({"type": "string", "format": "quantity", "maxLength": 20});
    let text = json!({"type": "string", "maxLength": 20});
    let spec = json!({"type": "object", "properties": {"limit": quantity, "request": quantity, "one": text, "other": text}});
    for rule in [
        json!({"path": "spec.limit", "atLeast": "spec.request"}),
        json!({"path": "spec.limit", "equals": "spec.request"}),
        json!({"path": "spec.limit", "in": ["1Gi", "1536Mi"]}),
        json!({"path": "spec.one", "atMost": "spec.other", "as": "quantity"}),
        json!({"path": "spec.one", "atLeast": "spec.other", "as": "version"}),
    ] {
        let mut named = rule.clone();
        named["name"] = "a".into();
        let set = read_set(&spec, &json!([named]));
        let confirmed = confirm_meaning(&set, 400);
        assert!(confirmed[0].departure.is_none() && confirmed[0].violating > 0, "{rule}: {confirmed:?}");
        let versions = set.versions();
        let request = Request {
            resources: &versions,
            authored: std::slice::from_ref(&set),
            ..Request::for_virtual_machines(&[])
        };
        let report =
            verify_resources_with(&|emitter, request| emitter.emit_versions(request), EMITTERS, &request);
        assert!(report.all_claims_hold(), "{rule}: {report:?}");
    }
}
