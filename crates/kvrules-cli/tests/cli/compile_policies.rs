//! Admission policies as JSON Schemas and OpenAPI documents of the objects that they demand.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};

use crate::place::Place;

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: web}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  matchConditions:
  - {name: prod, expression: \"has(object.metadata.namespace) && object.metadata.namespace == 'prod'\"}
  variables:
  - {name: paused, expression: has(object.spec.paused) && object.spec.paused}
  validations:
  - {expression: object.spec.replicas <= 5, message: at most 5}
  - {expression: \"!variables.paused\"}
  - {expression: oldObject == null || object.spec.replicas >= oldObject.spec.replicas}
";

fn schema_of(place: &Place, path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(place.path(path)).unwrap()).unwrap()
}

#[test]
fn a_policy_becomes_a_schema_of_the_objects_that_it_admits() {
    let place = Place::with(&[("policy.yaml", POLICY)]);
    let run = place.run(&["compile", "policy.yaml", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("1 policy for 1 kind of objects"), "{run:?}");
    assert!(run.err.contains("it reads the stored object (`oldObject`)"), "{run:?}");
    assert!(run.err.contains("`spec.validations[2]` in web"), "{run:?}");
    assert!(run.err.contains("servers fill in fields before they evaluate it"), "{run:?}");
    let schema = jsonschema::validator_for(&schema_of(&place, "o/json-schema/web.json")).unwrap();
    let deployment = |namespace: &str, spec: Value| {
        let metadata = json!({"name": "shop", "namespace": namespace});
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    };
    assert!(schema.is_valid(&deployment("prod", json!({"replicas": 5}))));
    assert!(!schema.is_valid(&deployment("prod", json!({"replicas": 6}))));
    assert!(!schema.is_valid(&deployment("prod", json!({"replicas": 1, "paused": true}))));
    assert!(schema.is_valid(&deployment("test", json!({"replicas": 6}))), "the condition excludes it");
    assert!(schema.is_valid(&deployment("prod", json!({}))), "servers fill in the replicas");
}

#[test]
fn claims_about_a_policy_are_verified() {
    let place = Place::with(&[("policy.yaml", POLICY)]);
    let run = place.run(&["verify", "policy.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("verified 1 policy for a kind of objects with"), "{run:?}");
    assert!(run.err.contains("every claim holds"), "{run:?}");
    assert!(run.out.contains("spec.validations[0]"), "{run:?}");
}

#[test]
fn kinds_of_definitions_have_their_defaults_and_errors_reject() {
    let definition = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, required: [spec], properties: {spec: {
      type: object, properties: {depth: {type: integer}, mode: {type: string, default: flat}}}}}}}
";
    let policy = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: shallow}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: ['*'], resources: [ponds]}]
  validations: [{expression: object.spec.depth < 9}, {expression: object.spec.mode != 'deep'}]
";
    let place = Place::with(&[("crds/ponds.yaml", definition), ("policy.yaml", policy)]);
    let run = place.run(&["verify", "policy.yaml", "crds/ponds.yaml", "-t", "json-schema"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let run =
        place.run(&["compile", "policy.yaml", "crds/ponds.yaml", "-t", "json-schema", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let schema = jsonschema::validator_for(&schema_of(&place, "o/json-schema/shallow.json")).unwrap();
    let pond = |spec: Value| json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "a"}, "spec": spec});
    assert!(schema.is_valid(&pond(json!({"depth": 8}))));
    assert!(!schema.is_valid(&pond(json!({"depth": 9}))));
    assert!(!schema.is_valid(&pond(json!({}))), "the server reports an error and rejects it");
    let ignoring = policy.replace("spec:\n", "spec:\n  failurePolicy: Ignore\n");
    place.write("policy.yaml", &ignoring);
    let run =
        place.run(&["compile", "policy.yaml", "crds/ponds.yaml", "-t", "json-schema", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let schema = jsonschema::validator_for(&schema_of(&place, "o/json-schema/shallow.json")).unwrap();
    assert!(schema.is_valid(&pond(json!({}))), "errors are ignored");
    let run = place.run(&["verify", "policy.yaml", "crds/ponds.yaml", "-t", "json-schema"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn what_no_schema_of_objects_can_say_is_unsupported() {
    let place = Place::with(&[]);
    let binding = "\
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: web}
spec: {policyName: web, validationActions: [Warn]}
";
    let selecting = POLICY
        .replace("    resourceRules:\n", "    objectSelector: {matchLabels: {a: b}}\n    resourceRules:\n");
    let cases = [
        (format!("{POLICY}{binding}"), "a schema can only reject, and this rule only reports"),
        (selecting, "a schema cannot select objects as `matchConstraints` do"),
        (
            POLICY.replace("[CREATE, UPDATE]", "[UPDATE]"),
            "the policy does not evaluate the creation of objects",
        ),
        (
            POLICY.replace("has(object.metadata.namespace)", "request.dryRun"),
            "a match condition of the policy has no such rule: it reads the request (`request`)",
        ),
    ];
    for (policy, cause) in cases {
        place.write("policy.yaml", &policy);
        let run = place.run(&["compile", "policy.yaml", "-t", "json-schema", "--out-dir", "o"]);
        assert!(run.err.contains(cause), "{cause}\n{run:?}");
    }
}

#[test]
fn a_policy_about_unknown_kinds_is_an_error() {
    let place = Place::with(&[("policy.yaml", &POLICY.replace("[deployments]", "['*']"))]);
    for command in ["compile", "verify"] {
        let run = place.run(&[command, "policy.yaml"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains("it matches no resource by name whose types are known"), "{run:?}");
    }
    place.write("policy.yaml", POLICY);
    let run = place.run(&["compile", "policy.yaml", "-t", "cel"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("targets of policies: `json-schema`, `openapi`"), "{run:?}");
}
