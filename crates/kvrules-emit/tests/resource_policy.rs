//! Policies with the rules of CustomResourceDefinitions: their files, requests and messages. What they accept is compared with
//! definitions in kvrules-verify.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::policy::acceptance::review_policy;
use kvrules_apiserver::policy::{Binding, Policy, Request as PolicyRequest, admit_request};
use kvrules_emit::resource_policy::convert_rules;
use kvrules_emit::{Emission, Options, Request, find_emitter};
use serde_json::{Value, json};

fn definition(schema: &Value) -> Value {
    let version = |name: &str, is_served: bool| json!({"name": name, "served": is_served, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}});
    json!({"metadata": {"name": "ponds.a.io"}, "spec": {"group": "a.io", "names": {"kind": "Pond", "plural": "ponds"},
        "versions": [version("v1", true), version("v1beta1", true), version("v1alpha1", false)]}})
}

fn emit(schema: &Value, options: &Options) -> Emission {
    let versions = ResourceVersion::of_definition(&definition(schema));
    let request = Request { resources: &versions, options, ..Request::for_virtual_machines(&[]) };
    (find_emitter("admission-policy").unwrap().resources.as_ref().unwrap().emit)(&request).unwrap()
}

fn with_rule(mut schema: Value, rule: &Value) -> Value {
    schema["x-kubernetes-validations"] = json!([rule]);
    schema
}

fn at_spec(spec: &Value) -> Value {
    json!({"type": "object", "properties": {"spec": spec}})
}

fn validation(schema: &Value) -> Value {
    let version = &ResourceVersion::of_definition(&definition(schema))[0];
    convert_rules(version).validations.remove(0)
}

fn expression(schema: &Value) -> String {
    validation(schema)["expression"].as_str().unwrap().to_owned()
}

#[test]
fn each_served_version_is_a_file() {
    let number = json!({"type": "integer"});
    let schema = at_spec(&with_rule(number, &json!({"rule": "self > 1", "message": "too small"})));
    let emission = emit(&schema, &Options::new());
    let paths: Vec<_> = emission.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["ponds.a.io_v1.yaml", "ponds.a.io_v1beta1.yaml"]);
    let text = "\
# rules of ponds.a.io in v1
# for Kubernetes 1.30 and later
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: ponds.a.io-v1.rules
  labels:
    app.kubernetes.io/managed-by: kvrules
spec:
  failurePolicy: Fail
  matchConstraints:
    matchPolicy: Exact
    resourceRules:
    - apiGroups:
      - a.io
      apiVersions:
      - v1
      operations:
      - CREATE
      - UPDATE
      resources:
      - ponds
      - ponds/status
  validations:
  - expression: '!has(object.spec) || (object.spec > 1 ? true : object.spec == oldObject.?spec.orValue(null))'
    message: 'spec: too small'
    reason: Invalid
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: ponds.a.io-v1.rules
  labels:
    app.kubernetes.io/managed-by: kvrules
spec:
  policyName: ponds.a.io-v1.rules
  validationActions:
  - Deny
";
    assert_eq!(emission.files[0].text, text);
    let claims: Vec<_> =
        emission.fidelity.iter().map(|entry| (entry.rule.as_str(), entry.fidelity.as_str())).collect();
    let of_version = [("schema", "unsupported"), ("spec.x-kubernetes-validations[0]", "exact")];
    assert_eq!(claims, [of_version, of_version].concat());
}

#[test]
fn a_definition_without_rules_has_no_file() {
    let emission = emit(&at_spec(&json!({"type": "integer"})), &Options::new());
    assert!(emission.files.is_empty());
    assert_eq!(emission.fidelity.len(), 2, "the keywords of both versions");
}

#[test]
fn errors_are_ignored_on_request_and_claimed() {
    let schema = at_spec(&with_rule(json!({"type": "integer"}), &json!({"rule": "1 / self > 0"})));
    let ignoring = [(("admission-policy".to_owned(), "failure-policy".to_owned()), "ignore".to_owned())];
    let emission = emit(&schema, &ignoring.into_iter().collect());
    assert!(emission.files[0].text.contains("failurePolicy: Ignore"));
    assert_eq!(emission.fidelity[1].fidelity.as_str(), "wider");
}

#[test]
fn policies_of_many_rules_are_split() {
    let rule = json!({"rule": format!("self != '{}'", "x".repeat(9_000))});
    let text = json!({"type": "string", "x-kubernetes-validations": vec![rule; 50]});
    let emission = emit(&at_spec(&text), &Options::new());
    for name in ["ponds.a.io-v1.rules-1", "ponds.a.io-v1.rules-2"] {
        assert!(emission.files[0].text.contains(&format!("\n  name: {name}\n")), "{name}");
    }
    assert!(!emission.files[0].text.contains("rules-3"));
}

#[test]
fn the_text_of_a_rule_stays_as_written() {
    let spec = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}});
    let rule = "(self.a > 1) ||\n  // either\n  self.b   in [ 1,2 ]";
    let text = expression(&at_spec(&with_rule(spec, &json!({ "rule": rule }))));
    assert!(text.contains("(object.spec.a > 1) ||\n  // either\n  object.spec.b   in [ 1,2 ]"), "{text}");
}

#[test]
fn loop_variables_hide_no_name_of_a_rule() {
    let list = |items: Value| json!({"type": "array", "items": items});
    let item = json!({"type": "array", "items": {"type": "integer"}});
    let rule = json!({"rule": "self.all(port, port > 1) && self.exists(object, object == self[0])"});
    let schema = at_spec(&json!({"type": "object", "properties": {"ports": list(with_rule(item, &rule))}}));
    let text = expression(&schema);
    assert!(text.contains("ports.all(port2,"), "{text}");
    assert!(
        text.contains("port2.all(port, port > 1) && port2.exists(object_, object_ == port2[0])"),
        "{text}"
    );
}

#[test]
fn a_transition_rule_in_a_list_without_keys_never_runs() {
    let items = with_rule(json!({"type": "integer"}), &json!({"rule": "self >= oldSelf"}));
    let schema = at_spec(&json!({"type": "array", "items": items}));
    let version = &ResourceVersion::of_definition(&definition(&schema))[0];
    let made = convert_rules(version);
    assert_eq!((made.validations.len(), made.fidelity[1].fidelity.as_str()), (0, "exact"));
}

/// The message with which a policy denies an object.
fn denial(schema: &Value, object: &Value, old: Option<&Value>) -> String {
    let validation = validation(schema);
    let document = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "p"}, "spec": {"validations": [validation], "matchConstraints": {"resourceRules":
            [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]}}});
    assert_eq!(review_policy(&document), []);
    let binding =
        json!({"metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": ["Deny"]}});
    let mut object = object.clone();
    object["metadata"] = json!({"name": "a"});
    let request = match old {
        Some(old) => PolicyRequest::for_update("a.io", "ponds", object, old.clone()),
        None => PolicyRequest::for_creation("a.io", "ponds", object),
    };
    let answer =
        admit_request(&[Policy::from_json(&document)], &[Binding::from_json(&binding)], &request).unwrap();
    answer.denial.unwrap().cause.split_once("denied request: ").unwrap().1.to_owned()
}

#[test]
fn messages_name_the_place_and_are_computed() {
    let spec = json!({"type": "object", "properties": {"x-y": {"type": "number"}, "d": {"type": "string", "format": "date"},
        "ports": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        "m": {"type": "object", "additionalProperties": {"type": "integer"}}}});
    let message = |text: &str, expression: &str| json!({"rule": "self.x__dash__y > 2.0", "message": text, "messageExpression": expression});
    let object = json!({"spec": {"x-y": 1, "d": "2024-02-03"}});
    for (rule, expected) in [
        (json!({"rule": "self.x__dash__y > 2.0"}), "spec: failed rule: self.x__dash__y > 2.0"),
        (
            json!({"rule": "self.x__dash__y > 2.0", "message": "small", "fieldPath": ".x-y"}),
            "spec.x-y: small",
        ),
        (message("small", "'not ' + string(self.x__dash__y + 1.5)"), "spec: not 2.5"),
        (message("small", "'in ' + string(self.d.getFullYear())"), "spec: in 2024"),
        (message("small", "'is ' + string(self.m['a'])"), "spec: small"),
    ] {
        assert_eq!(denial(&at_spec(&with_rule(spec.clone(), &rule)), &object, None), expected);
    }
    let of_update =
        json!({"rule": "self >= oldSelf", "messageExpression": "'%d < %d'.format([self, oldSelf])"});
    let schema = at_spec(&with_rule(json!({"type": "integer"}), &of_update));
    assert_eq!(denial(&schema, &json!({"spec": 1}), Some(&json!({"spec": 2}))), "spec: 1 < 2");
    let root = with_rule(
        json!({"type": "object"}),
        &json!({"rule": "self.kind == 'a'", "messageExpression": "self.metadata.name"}),
    );
    assert_eq!(denial(&root, &json!({"kind": "Pond"}), None), "a");
}

#[test]
fn the_message_in_a_loop_is_about_the_first_violation() {
    let n = with_rule(
        json!({"type": "integer"}),
        &json!({"rule": "self > 1", "messageExpression": "'%d is small'.format([self])"}),
    );
    let item = json!({"type": "object", "properties": {"n": n}});
    let object = json!({"spec": {"ports": [{}, {"n": 2}, {"n": 0}, {"n": 1}]}});
    let schema = |ports: Value| at_spec(&json!({"type": "object", "properties": {"ports": ports}}));
    let list = schema(json!({"type": "array", "items": item}));
    assert_eq!(denial(&list, &object, None), "spec.ports[*].n: 0 is small");
    let map = schema(json!({"type": "object", "additionalProperties": item}));
    let object = json!({"spec": {"ports": {"a": {"n": 3}, "b": {"n": -1}}}});
    assert_eq!(denial(&map, &object, None), "spec.ports[*].n: -1 is small");
    let nested = schema(json!({"type": "array", "items": {"type": "array", "items": item}}));
    assert_eq!(
        denial(&nested, &json!({"spec": {"ports": [[{"n": 0}]]}}), None),
        "spec.ports[*][*].n: failed rule: self > 1"
    );
}

/// The claim about a rule at `spec` or below of a kind whose scale writes `spec.o.b`.
fn claim_with_scale(schema: &Value) -> String {
    let mut definition = definition(schema);
    let scale = json!({"scale": {"specReplicasPath": ".spec.o.b", "statusReplicasPath": ".status.n"}});
    definition["spec"]["versions"][0]["subresources"] = scale;
    let version = &ResourceVersion::of_definition(&definition)[0];
    let fidelity = &convert_rules(version).fidelity[1].fidelity;
    format!("{}: {}", fidelity.as_str(), fidelity.cause().unwrap_or_default())
}

/// A rule runs only if its place has a value, and the scale of an object adds the objects around the count.
#[test]
fn a_scale_that_adds_an_object_is_claimed() {
    let numbers =
        json!({"type": "object", "properties": {"b": {"type": "integer"}, "c": {"type": "integer"}}});
    let spec = |o: &Value| json!({"type": "object", "properties": {"o": o, "s": {"type": "string"}}});
    let at_object = |rule: &str| at_spec(&spec(&with_rule(numbers.clone(), &json!({ "rule": rule }))));
    let at_spec_itself = |rule: &str| at_spec(&with_rule(spec(&numbers), &json!({ "rule": rule })));
    let adds = |path: &str| format!("wider: a request for `ponds/scale` adds `.{path}` without validation");
    assert_eq!(claim_with_scale(&at_object("has(self.c)")), adds("spec"));
    assert_eq!(claim_with_scale(&at_object("!has(self.c) || self.c > 1")), "exact: ");
    assert_eq!(claim_with_scale(&at_spec_itself("has(self.s)")), adds("spec"));
    assert_eq!(claim_with_scale(&at_spec_itself("!has(self.s) || self.s != ''")), "exact: ");
    assert_eq!(claim_with_scale(&at_spec_itself("!has(self.s) || !has(self.o)")), adds("spec.o"));
    let mut required = at_spec_itself("has(self.s)");
    required["required"] = json!(["spec"]);
    assert_eq!(claim_with_scale(&required), "exact: ");
    let mut with_required_field = at_spec_itself("has(self.s)");
    with_required_field["properties"]["spec"]["required"] = json!(["s"]);
    assert_eq!(claim_with_scale(&with_required_field), "exact: ", "a server rejects the added object");
    let count = with_rule(json!({"type": "integer"}), &json!({"rule": "false"}));
    let schema = at_spec(&spec(&json!({"type": "object", "properties": {"b": count}})));
    let changes = "wider: a request for `ponds/scale` changes `.spec.o.b` without validation";
    assert_eq!(claim_with_scale(&schema), changes, "a rule that no value passes");
}

/// A scale that changes nothing that a rule reads is an update all the same.
#[test]
fn a_rule_that_rejects_updates_without_a_change_is_claimed() {
    let numbers = json!({"type": "object", "properties": {"b": {"type": "integer"}}});
    let properties = json!({"o": numbers, "n": {"type": "integer"}});
    let spec = json!({"type": "object", "required": ["o", "n"], "properties": properties});
    let claim = |rule: &Value| {
        let mut schema = at_spec(&with_rule(spec.clone(), rule));
        schema["required"] = json!(["spec"]);
        claim_with_scale(&schema)
    };
    let unchanged = "wider: a request for `ponds/scale` leaves the value as it is without validation";
    assert_eq!(claim(&json!({"rule": "self.n > oldSelf.n"})), unchanged);
    assert_eq!(claim(&json!({"rule": "oldSelf.n > 1"})), unchanged);
    assert_eq!(claim(&json!({"rule": "self.n >= oldSelf.n"})), "exact: ");
    let optional = |rule: &str| claim(&json!({"rule": rule, "optionalOldSelf": true}));
    assert_eq!(optional("!oldSelf.hasValue() || self.n != oldSelf.value().n"), unchanged);
    assert_eq!(optional("!oldSelf.hasValue() || self.n == oldSelf.value().n"), "exact: ");
}
