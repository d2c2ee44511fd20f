//! CustomResourceDefinitions as JSON Schemas, OpenAPI documents and policies.

use serde_json::{Value, json};

use crate::place::Place;

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [depth, mode]
            x-kubernetes-validations: [{rule: 'self.depth < 9 || self.mode == \"deep\"'}, {rule: 'self.depth > size(self.mode)'}]
            properties:
              depth: {type: integer, format: int32, minimum: 0, exclusiveMinimum: true, description: Depth in metres.}
              mode: {type: string, enum: [deep, flat], default: flat}
              fish:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}}}
";

#[test]
fn a_definition_becomes_a_schema_of_the_objects_that_people_write() {
    let place = Place::with(&[("crd.yaml", DEFINITION)]);
    let run = place.run(&["compile", "crd.yaml", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("1 definition with 1 version"), "{run:?}");
    assert!(run.err.contains("wrote 3 files"), "{run:?}");
    assert!(run.err.contains("a schema cannot compare values of two places"), "{run:?}");
    assert!(run.err.contains("`spec.x-kubernetes-validations[1]` in ponds.example.com/v1"), "{run:?}");
    let timed = DEFINITION.replace("self.depth > size(self.mode)", "duration(self.mode) < duration(\"1h\")");
    let run = Place::with(&[("crd.yaml", &timed)]).run(&["compile", "crd.yaml", "--out-dir", "o"]);
    assert!(run.err.contains("a schema cannot compute `duration`"), "{run:?}");
    let schema = std::fs::read_to_string(place.path("o/json-schema/ponds.example.com_v1.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["properties"]["apiVersion"]["const"], "example.com/v1");
    assert_eq!(schema["required"], json!(["apiVersion", "kind", "metadata", "spec"]));
    let spec = &schema["properties"]["spec"];
    assert_eq!(spec["required"], json!(["depth"]), "the other has a default");
    assert_eq!(spec["properties"]["depth"]["exclusiveMinimum"], 0);
    assert_eq!(spec["properties"]["depth"]["description"], "Depth in metres.");
    let rules = spec["allOf"].to_string();
    assert!(rules.contains("\"exclusiveMaximum\":9") && rules.contains("\"const\":\"deep\""), "{rules}");
    let openapi = std::fs::read_to_string(place.path("o/openapi/ponds.example.com_v1.yaml")).unwrap();
    assert!(openapi.contains("components:\n  schemas:\n    Pond:\n"), "{openapi}");
    let checked = place.run(&[
        "check",
        "o/json-schema/ponds.example.com_v1.json",
        "o/openapi/ponds.example.com_v1.yaml",
    ]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert_eq!(place.run(&["compile", "crd.yaml", "--out-dir", "o", "--check"]).code, Some(0));
}

#[test]
fn the_rules_of_a_definition_become_a_policy_that_can_be_evaluated() {
    let object = |depth: u32| {
        format!(
            "apiVersion: example.com/v1\nkind: Pond\nmetadata: {{name: p, namespace: default}}\nspec: {{depth: {depth}, mode: flat}}\n"
        )
    };
    let place =
        Place::with(&[("crd.yaml", DEFINITION), ("good.yaml", &object(8)), ("bad.yaml", &object(20))]);
    let run = place.run(&["compile", "crd.yaml", "--target", "admission-policy", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("the policy has the rules of the schema, and not its keywords"), "{run:?}");
    let policy = "o/admission-policy/ponds.example.com_v1.yaml";
    assert_eq!(place.run(&["check", policy]).code, Some(0));
    for (object, code) in [("good.yaml", 0), ("bad.yaml", 1)] {
        let run = place.run(&["eval", "--rules", policy, "--resource", "Pond.example.com=ponds", object]);
        assert_eq!(run.code, Some(code), "{run:?}");
    }
    let run = place.run(&["eval", "--rules", policy, "--resource", "Pond.example.com=ponds", "bad.yaml"]);
    assert!(run.out.contains("spec: failed rule: self.depth < 9 || self.mode == \"deep\""), "{run:?}");
}

#[test]
fn the_layout_and_the_treatment_of_unknown_fields_are_options() {
    let place = Place::with(&[("crd.yaml", DEFINITION)]);
    let run = place.run(&[
        "compile",
        "crd.yaml",
        "--out-dir",
        "o",
        "--target",
        "json-schema",
        "--option",
        "json-schema.layout=catalog",
        "--option",
        "json-schema.unknown-fields=reject",
        "--option",
        "json-schema.optional-nulls=reject",
    ]);
    assert_eq!(run.code, Some(0), "narrower by choice is a warning: {run:?}");
    assert!(
        run.err.contains("narrower in json-schema: the schema rejects fields that it does not name"),
        "{run:?}"
    );
    let schema = std::fs::read_to_string(place.path("o/json-schema/example.com/pond_v1.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["properties"]["spec"]["additionalProperties"], false);
    assert_eq!(schema["properties"]["spec"]["properties"]["mode"]["type"], "string");
}

#[test]
fn what_the_files_say_of_a_definition_is_verified() {
    let place = Place::with(&[("crd.yaml", DEFINITION)]);
    let run = place.run(&["verify", "crd.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("verified 1 definition version with "), "{run:?}");
    assert!(run.err.contains("every claim holds"), "{run:?}");
    let run = place.run(&["compile", "crd.yaml", "--out-dir", "o", "--verify"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn targets_of_rules_say_that_they_express_no_definitions() {
    let place = Place::with(&[("crd.yaml", DEFINITION)]);
    let run = place.run(&["compile", "crd.yaml", "--target", "cel"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.err.contains("`cel` requires rules or RuleSets, but there are only CustomResourceDefinitions"),
        "{run:?}"
    );
    assert!(
        run.err
            .contains("targets of CustomResourceDefinitions: `admission-policy`, `json-schema`, `openapi`"),
        "{run:?}"
    );
}

#[test]
fn a_definition_that_servers_refuse_writes_nothing() {
    for (from, to) in [
        ("type: object\n        required: [spec]", "type: string"),
        ("minimum: 0", "minimum: {{ .Values.least }}"),
    ] {
        let text = DEFINITION.replace(from, to);
        assert_ne!(text, DEFINITION);
        let place = Place::with(&[("crd.yaml", text.as_str())]);
        let run = place.run(&["compile", "crd.yaml", "--out-dir", "o"]);
        assert!(matches!(run.code, Some(1 | 2)), "{run:?}");
        assert!(run.err.contains("crd.yaml:"), "{run:?}");
        assert!(!place.path("o").exists(), "{run:?}");
    }
}

#[test]
fn two_definitions_of_a_name_are_an_error() {
    let place = Place::with(&[("a.yaml", DEFINITION), ("b.yaml", DEFINITION)]);
    let run = place.run(&["compile", "a.yaml", "b.yaml", "--out-dir", "o"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("two definitions of `ponds.example.com` with the version `v1`"), "{run:?}");
    assert!(run.err.contains("they are in a.yaml and b.yaml"), "{run:?}");
}

#[test]
fn a_definition_with_template_tags_in_its_schema_is_to_be_rendered() {
    let place =
        Place::with(&[("crd.yaml", &DEFINITION.replace("minimum: 0", "minimum: {{ .Values.least }}"))]);
    for command in ["compile", "verify"] {
        let run = place.run(&[command, "crd.yaml"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains("crd.yaml: template tags affect the definition"), "{run:?}");
        assert!(!run.err.contains("rejects"), "{run:?}");
    }
}
