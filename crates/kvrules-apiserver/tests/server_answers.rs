//! Answers that a real server gave and that are easily taken for something else. Facts are of Kubernetes 1.36.3 and, where a minor is
//! named, of its source.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::definition::review_definition;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::policy::{Binding, Policy, Request, admit_request};
use kvrules_apiserver::server::ServerFeatures;
use serde_json::{Value as Json, json};

fn definition(schema: &Json) -> Json {
    let version = json!({"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema}});
    let names = json!({"plural": "ponds", "kind": "Pond", "singular": "pond", "listKind": "PondList"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    })
}

fn pond(spec: &Json) -> Json {
    json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "a", "namespace": "default"}, "spec": spec})
}

fn spec_schema(spec: &Json) -> Json {
    json!({"type": "object", "properties": {"spec": spec, "status": {"type": "object",
        "x-kubernetes-preserve-unknown-fields": true}}})
}

fn server(version: &str) -> ServerFeatures {
    ServerFeatures::of_version(version.parse().unwrap())
}

fn messages(schema: &Json, object: &Json, old: Option<&Json>) -> Vec<String> {
    let errors = ObjectSchema::new(schema).admit_object(object, old).errors;
    errors.iter().map(kvrules_apiserver::crd::Failure::to_message).collect()
}

#[test]
fn a_whole_float_of_a_default_is_an_integer_for_objects() {
    let spec = json!({"type": "object", "default": {}, "x-kubernetes-validations": [{"rule": "self.n == 5 && self.l[0] == 2"}],
    "properties": {
        "n": {"type": "integer", "default": 5.0},
        "l": {"type": "array", "items": {"type": "integer"}, "default": [2.0]},
        "f": {"type": "number", "default": 1.5},
    }});
    let answer = ObjectSchema::new(&spec_schema(&spec)).admit_object(&pond(&json!({})), None);
    assert_eq!(answer.errors, []);
    assert_eq!(answer.stored["spec"].to_string(), r#"{"n":5,"l":[2],"f":1.5}"#);
    // A float that is sent stays one.
    let sent = ObjectSchema::new(&spec_schema(&spec)).admit_object(&pond(&json!({"n": 5.0})), None);
    assert!(sent.errors[0].detail.contains("expected int, got float64"), "{:?}", sent.errors);
}

#[test]
fn metadata_differs_from_the_stored_one_once_the_content_changes() {
    let root = |rule: &str| {
        let mut schema = spec_schema(&json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
        schema["x-kubernetes-validations"] = json!([{"rule": rule}]);
        schema
    };
    let (one, two) = (pond(&json!({"n": 1})), pond(&json!({"n": 2})));
    let is_accepted = |rule: &str, new: &Json| {
        ObjectSchema::new(&root(rule)).with_status(true).admit_object(new, Some(&one)).is_accepted()
    };
    assert!(is_accepted("self.metadata == oldSelf.metadata", &one));
    assert!(!is_accepted("self.metadata == oldSelf.metadata", &two));
    assert!(is_accepted("self.metadata.name == oldSelf.metadata.name", &two));
    // The status is kept from the stored object, so that a change of it raises no generation.
    let mut with_status = one.clone();
    with_status["status"] = json!({"a": 1});
    assert!(is_accepted("self.metadata == oldSelf.metadata", &with_status));
    let stored =
        ObjectSchema::new(&root("oldSelf.spec.n < self.spec.n")).admit_object(&two, Some(&one)).stored;
    assert!(stored["metadata"].get("generation").is_none());
}

#[test]
fn texts_of_errors_are_the_servers() {
    let short = json!({"type": "object", "properties": {"s": {"type": "string", "maxLength": 1}}});
    let long = pond(&json!({"s": "ab"}));
    assert_eq!(
        messages(&spec_schema(&short), &long, None),
        ["spec.s: Too long: may not be more than 1 byte"]
    );
    let on = |version: &str| {
        let schema = ObjectSchema::new(&spec_schema(&short)).on_server(server(version));
        schema.admit_object(&long, None).errors[0].detail.clone()
    };
    assert_eq!(on("1.33"), "may not be more than 1 bytes");
    assert_eq!(on("1.31"), "may not be longer than 1");
    let closed = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "additionalProperties": false});
    let found = messages(&spec_schema(&closed), &pond(&json!({"x": 1})), None);
    assert_eq!(found, ["spec: Invalid value: \"x\": spec.x in body is a forbidden property"]);
}

#[test]
fn the_error_about_rules_that_did_not_run_is_the_last() {
    let spec = json!({"type": "object", "required": ["b"], "x-kubernetes-validations": [{"rule": "true"}],
        "properties": {"a": {"type": "string", "maxLength": 1}, "b": {"type": "string"}}});
    let found = messages(&spec_schema(&spec), &pond(&json!({"a": "ab"})), None);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[2].contains("some validation rules were not checked"), "{found:?}");
}

#[test]
fn writes_of_a_status_are_excused_from_1_33_on() {
    let number = json!({"type": "integer", "maximum": 5, "x-kubernetes-validations": [{"rule": "self < 5"}]});
    let status = json!({"type": "object", "properties": {"n": number, "m": {"type": "integer"}}});
    let schema = json!({"type": "object", "properties": {"status": status}});
    let write = |version: &str| {
        let schema = ObjectSchema::new(&schema).with_status(true).on_server(server(version));
        let object = |status: Json| json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "a"}, "status": status});
        schema.admit_status(&object(json!({"n": 7, "m": 2})), &object(json!({"n": 7, "m": 1}))).errors.len()
    };
    assert_eq!(["1.29", "1.30", "1.32"].map(write), [2, 2, 2]);
    assert_eq!(["1.33", "1.36", "1.37"].map(write), [0, 0, 0]);
}

fn errors_of(schema: &Json) -> Vec<(String, String)> {
    let errors = review_definition(&definition(schema), None).all_errors();
    errors.into_iter().map(|error| (error.field, error.detail)).collect()
}

#[test]
fn rules_below_an_int_or_string_have_no_type_under_a_rule() {
    let items = json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0"}]});
    let either = json!({"type": "array", "items": items, "maxItems": 3, "x-kubernetes-int-or-string": true});
    let with_rule = json!({"type": "object", "properties": {"e": either}, "x-kubernetes-validations": [{"rule": "true"}]});
    let found = errors_of(&spec_schema(&with_rule));
    assert!(
        found.iter().any(|(field, detail)| field.ends_with("properties[e].items.x-kubernetes-validations")
            && detail == "failed to convert to declType for CEL validation rules"),
        "{found:?}"
    );
    let without = json!({"type": "object", "properties": {"e": with_rule["properties"]["e"]}});
    let found = errors_of(&spec_schema(&without));
    assert!(found.iter().all(|(_, detail)| !detail.contains("declType")), "{found:?}");
}

#[test]
fn an_empty_list_of_rules_at_metadata_is_one_too_many() {
    let with = |metadata: Json| {
        let mut schema = spec_schema(&json!({"type": "object"}));
        schema["properties"]["metadata"] = metadata;
        errors_of(&schema)
    };
    let found = with(json!({"type": "object", "x-kubernetes-validations": []}));
    assert!(
        found.iter().any(|(_, detail)| detail.starts_with("must not specify anything other than")),
        "{found:?}"
    );
    assert_eq!(with(json!({"type": "object"})), []);
    assert_eq!(with(json!({"type": "object", "x-kubernetes-validations": null})), []);
}

fn policy(spec: &Json) -> Policy {
    let mut spec = spec.clone();
    if spec.get("matchConstraints").is_none() {
        spec["matchConstraints"] = json!({"resourceRules": [{"apiGroups": ["example.com"], "apiVersions": ["v1"],
            "operations": ["*"], "resources": ["ponds"]}]});
    }
    Policy::from_json(&json!({"metadata": {"name": "p"}, "spec": spec}))
}

fn binding(spec: &Json) -> Binding {
    let mut spec = spec.clone();
    spec["policyName"] = json!("p");
    Binding::from_json(&json!({"metadata": {"name": "b"}, "spec": spec}))
}

fn request() -> Request {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": "default", "labels": {"env": "prod"}, "managedFields": []}});
    Request {
        namespace_object: namespace,
        ..Request::for_creation("example.com", "ponds", pond(&json!({"n": 1})))
    }
}

#[test]
fn match_conditions_have_no_namespace_and_validations_see_some_of_its_fields() {
    let condition = json!([{"name": "c", "expression": "namespaceObject.metadata.name == 'default'"}]);
    let spec = json!({"matchConditions": condition, "validations": [{"expression": "true"}]});
    let deny = binding(&json!({"validationActions": ["Deny"]}));
    let denial =
        admit_request(&[policy(&spec)], std::slice::from_ref(&deny), &request()).unwrap().denial.unwrap();
    assert_eq!(denial.code, 422);
    assert!(denial.cause.ends_with("resulted in error: no such key: metadata"), "{}", denial.cause);
    let null = json!({"matchConditions": [{"name": "c", "expression": "namespaceObject == null"}],
        "validations": [{"expression": "false"}]});
    assert!(
        admit_request(&[policy(&null)], std::slice::from_ref(&deny), &request()).unwrap().denial.is_some()
    );
    for (expression, holds) in [
        ("namespaceObject.metadata.labels.env == 'prod'", true),
        ("has(namespaceObject.spec) && has(namespaceObject.status)", true),
        ("has(namespaceObject.kind) || has(namespaceObject.metadata.managedFields)", false),
    ] {
        let spec = json!({"validations": [{"expression": expression}]});
        let answer = admit_request(&[policy(&spec)], std::slice::from_ref(&deny), &request()).unwrap();
        assert_eq!(answer.denial.is_none(), holds, "{expression}");
    }
}

#[test]
fn rules_for_versions_match_what_is_served_and_are_unknown_otherwise() {
    let spec = json!({"validations": [{"expression": "false"}]});
    let rules = |version: &str| json!([{"apiGroups": ["example.com"], "apiVersions": [version], "operations": ["*"], "resources": ["ponds"]}]);
    let of = |list: &str, version: &str| {
        binding(&json!({"validationActions": ["Deny"], "matchResources": {list: rules(version)}}))
    };
    let is_denied = |binding: &Binding, served: Option<&[&str]>, is_exact: bool| {
        let served = served.map(|served| served.iter().map(|it| (*it).to_owned()).collect());
        let request = Request { served, is_exact, ..request() };
        admit_request(&[policy(&spec)], std::slice::from_ref(binding), &request)
            .map(|it| it.denial.is_some())
            .ok()
    };
    for (list, is_excluded) in [("resourceRules", false), ("excludeResourceRules", true)] {
        assert_eq!(is_denied(&of(list, "v1"), Some(&["v1"]), true), Some(!is_excluded), "{list}");
        assert_eq!(is_denied(&of(list, "v2"), Some(&["v1"]), true), Some(is_excluded), "{list}");
        assert_eq!(is_denied(&of(list, "v2"), Some(&["v1", "v2"]), true), Some(!is_excluded), "{list}");
        assert_eq!(is_denied(&of(list, "v2"), None, true), None, "{list}");
        assert_eq!(is_denied(&of(list, "*"), None, true), Some(!is_excluded), "{list}");
    }
}

#[test]
fn equal_warnings_are_sent_once_and_failures_are_audited_by_minor() {
    let failing = json!({"expression": "false", "message": "no"});
    let spec = json!({"validations": vec![failing; 60]});
    let bound = binding(&json!({"validationActions": ["Warn", "Audit"]}));
    let audited = |version: &str| {
        let request = Request { server: server(version), ..request() };
        let answer = admit_request(&[policy(&spec)], std::slice::from_ref(&bound), &request).unwrap();
        assert_eq!(answer.warnings.len(), 1);
        let value: Json =
            serde_json::from_str(&answer.audit["validation.policy.admission.k8s.io/validation_failure"])
                .unwrap();
        value.as_array().unwrap().len()
    };
    assert_eq!([audited("1.36"), audited("1.37")], [1, 50]);
}

#[test]
fn names_of_resources_are_bounded_in_the_preview() {
    let mut schema = spec_schema(&json!({"type": "object"}));
    schema["x-kubernetes-validations"] = json!([{"rule": "self.metadata.name.matches('^[a-z]+$')"}]);
    let cost = |version: &str| {
        let site = kvrules_apiserver::cost::RuleSite::on_servers(
            &schema,
            "openAPIV3Schema",
            kvrules_cel::kubernetes::KubernetesVersions::from_versions([version.parse().unwrap()]).unwrap(),
        );
        site.unwrap().rule_cost("self.metadata.name.matches('^[a-z]+$')").unwrap().expression
    };
    assert!(cost("1.37") < cost("1.36"), "{} {}", cost("1.37"), cost("1.36"));
}
