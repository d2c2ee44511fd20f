//! `kvrules import ruleset`: RuleSets on standard output, what stays an expression on standard error.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::Value;

use crate::place::Place;

/// The definition of the guide.
fn definition() -> String {
    let page = include_str!("../../../../docs/guide/import-rule-sets.md");
    page.split("```yaml\n# crd.yaml\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

fn rule_set_of_the_guide() -> String {
    let page = include_str!("../../../../docs/guide/import-rule-sets.md");
    page.split("```yaml\n# rules.yaml\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

#[test]
fn rules_become_words_and_the_rest_stays_cel_with_its_reason() {
    let place = Place::with(&[("crd.yaml", &definition())]);
    let run = place.run(&["import", "ruleset", "crd.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), rule_set_of_the_guide().as_str()), "{run:?}");
    assert!(run.err.contains("stays `cel`: no words express it\n"), "{run:?}");
    assert!(run.err.contains("crd.yaml:21:15"), "{run:?}");
    assert!(run.err.ends_with("imported 2 rules: 1 in words, 1 as `cel`, 0 left out\n"), "{run:?}");
}

#[test]
fn an_imported_rule_set_compiles_to_an_equal_definition() {
    let place = Place::with(&[("in/crd.yaml", &definition())]);
    let run = place.run(&["import", "ruleset", "in/", "-o", "out/rules.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    assert!(place.read("out/rules.yaml").contains("    schema: ../in/crd.yaml\n"));
    // Into a definition that has no rules yet.
    let mut bare: Value = serde_yaml::from_str(&definition()).unwrap();
    let spec = bare.pointer_mut("/spec/versions/0/schema/openAPIV3Schema/properties/spec").unwrap();
    spec.as_object_mut().unwrap().shift_remove("x-kubernetes-validations");
    std::fs::rename(place.path("in/crd.yaml"), place.path("old.yaml")).unwrap();
    std::fs::write(place.path("in/crd.yaml"), bare.to_string()).unwrap();
    let run =
        place.run(&["compile", "out/rules.yaml", "--target", "crd", "--out-dir", "build", "--loss", "error"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = place.run(&["diff", "old.yaml", "build/crd/ponds.example.com.yaml", "--output-format", "json"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    for change in report["pairs"][0]["changes"].as_array().unwrap() {
        let direction = change["direction"].as_str().unwrap();
        assert!(["equal", "message-only"].contains(&direction) && change["proved"] == true, "{change}");
    }
}

#[test]
fn what_a_rule_set_cannot_express_is_left_out_with_status_1() {
    let rules = "{rule: 'oldSelf.hasValue() || self > 2', optionalOldSelf: true, message: new ones are deep}";
    let with_rule = definition().replace(
        "depth: {type: integer}",
        &format!("depth: {{type: integer, x-kubernetes-validations: [{rules}]}}"),
    );
    let place = Place::with(&[("crd.yaml", &with_rule)]);
    let run = place.run(&["import", "ruleset", "crd.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("left out: `optionalOldSelf` cannot be expressed"), "{run:?}");
    assert!(run.err.ends_with("imported 3 rules: 1 in words, 1 as `cel`, 1 left out\n"), "{run:?}");
}

#[test]
fn messages_in_braces_are_no_placeholders() {
    let shown = r"not {value}, {limit}, {1} or \{path}";
    let with_braces = definition().replace("the depth is even", &format!("'{shown}'"));
    let place = Place::with(&[("crd.yaml", &with_braces)]);
    let run = place.run(&["import", "ruleset", "crd.yaml", "-o", "rules.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let written = r"not \{value}, \{limit}, {1} or \\{path}";
    assert!(place.read("rules.yaml").contains(written), "{}", place.read("rules.yaml"));
    std::fs::write(place.path("crd.yaml"), definition()).unwrap();
    let run = place.run(&["compile", "rules.yaml", "--target", "crd", "--out-dir", "build"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let compiled = place.read("build/crd/ponds.example.com.yaml");
    assert!(compiled.contains(shown), "{compiled}");
    assert!(!compiled.contains(written) && !compiled.contains("messageExpression"), "{compiled}");
}

#[test]
fn inputs_without_rules_are_errors() {
    let bare = definition()
        .replace("x-kubernetes-validations", "x-kubernetes-none")
        .replace("x-kubernetes-none:", "enum: [] #");
    let place = Place::with(&[
        ("empty.yaml", ""),
        ("rules.yaml", &rule_set_of_the_guide()),
        ("deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\n"),
        ("broken.yaml", &definition().replace("type: integer", "type: integr")),
        ("binary.yaml", "\u{0}\u{1}"),
        ("bare.yaml", &bare),
    ]);
    let expected = [
        ("empty.yaml", "nothing recognized in this file"),
        ("rules.yaml", "`kvrules import ruleset` does not apply to the RuleSets in this file"),
        ("deployment.yaml", "nothing recognized in this file"),
        ("broken.yaml", "error"),
        ("binary.yaml", "binary.yaml"),
        ("bare.yaml", "error"),
        ("nowhere.yaml", "no such file or directory"),
    ];
    for (file, message) in expected {
        let run = place.run(&["import", "ruleset", file]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{file}: {run:?}");
        assert!(run.err.contains(message), "{file}: {run:?}");
    }
}

const POLICY: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: web.example.com}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
    objectSelector: {matchLabels: {tier: web}}
  variables:
  - {name: replicas, expression: "object.spec.replicas"}
  validations:
  - expression: "!has(object.spec) || !has(object.spec.replicas) || variables.replicas <= 5"
    message: no more than 5 replicas
  - expression: "object.metadata.name != request.userInfo.username"
  - expression: "object.spec.paused == false"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: web}
spec: {policyName: web.example.com, validationActions: [Warn]}
"#;

#[test]
fn policies_become_rule_sets_about_their_kind() {
    let place = Place::with(&[("policy.yaml", POLICY)]);
    let run = place.run(&["import", "ruleset", "policy.yaml", "-o", "rules.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.err.contains("left out: it reads `request`") && run.err.contains("policy.yaml:16:5"),
        "{run:?}"
    );
    let text = place.read("rules.yaml");
    for part in [
        "  name: web.example.com\n",
        "    apiVersion: apps/v1\n    kind: Deployment\n  match:\n    labels:\n      tier: web\n",
        "    path: spec.replicas\n    integer:\n      max: 5\n    message: no more than 5 replicas\n    severity: warn\n",
        "    path: spec.paused\n    required: true\n    in:\n    - false\n    severity: warn\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let run = place.run(&["check", "rules.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn policies_about_several_kinds_become_a_rule_set_for_each() {
    let several = POLICY.replace("[deployments]", "[deployments, statefulsets]");
    let place = Place::with(&[("policy.yaml", &several)]);
    let run = place.run(&["import", "ruleset", "policy.yaml", "-o", "rules.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let text = place.read("rules.yaml");
    for kind in ["Deployment", "StatefulSet"] {
        let name = format!("  name: web.example.com-{}\n", kind.to_lowercase());
        assert!(text.contains(&name) && text.contains(&format!("    kind: {kind}\n")), "{text}");
    }
    // A StatefulSet has no `spec.paused`.
    assert_eq!(text.matches("path: spec.replicas").count(), 2, "{text}");
    assert_eq!(text.matches("path: spec.paused").count(), 1, "{text}");
    assert_eq!(run.err.matches("left out: it reads `request`").count(), 1, "{run:?}");
    assert!(run.err.contains("imported 6 rules: 3 in words, 0 as `cel`, 3 left out"), "{run:?}");
}

#[test]
fn policies_that_say_more_than_a_rule_set_are_left_out() {
    let changes = [
        (
            "operations: [CREATE, UPDATE]",
            "operations: [CREATE, DELETE]",
            "the operations CREATE, DELETE are not creations and updates",
        ),
        (
            "resources: [deployments]",
            "resources: [deployments, deployments/scale]",
            "the subresource `deployments/scale` cannot be expressed",
        ),
        ("resources: [deployments]", "resources: [ponds]", "an unknown kind of objects"),
        (
            "resources: [deployments]",
            "resources: [deployments], resourceNames: [a]",
            "`resourceNames` cannot be expressed",
        ),
        (
            "{matchLabels: {tier: web}}",
            "{matchExpressions: [{key: a, operator: Exists}, {key: a, operator: NotIn, values: [b]}]}",
            "`objectSelector` with two requirements of one label",
        ),
        (
            "validationActions: [Warn]",
            "validationActions: [Warn], matchResources: {objectSelector: {}}",
            "`matchResources` of the binding",
        ),
        ("failurePolicy: Fail", "failurePolicy: Ignore", "an error of the expression is ignored"),
    ];
    for (old, new, reason) in changes {
        let place = Place::with(&[("policy.yaml", &POLICY.replace(old, new))]);
        let run = place.run(&["import", "ruleset", "policy.yaml"]);
        assert_eq!(run.code, Some(1), "{new}: {run:?}");
        assert!(run.err.contains(reason), "{new}: {run:?}");
    }
}

#[test]
fn rules_of_templates_become_rules_about_virtual_machines() {
    let template = include_str!("../../../../docs/examples/linux-server.yaml");
    let place = Place::with(&[("linux-server.yaml", template)]);
    let run = place.run(&["import", "ruleset", "linux-server.yaml", "-o", "known.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let known = place.read("known.yaml");
    assert!(known.contains("    kind: VirtualMachine\n  rules:\n"), "{known}");
    let run = place.run(&["check", "known.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let made = place.run(&["compile", "known.yaml", "--target", "crd", "--out-dir", "build"]);
    assert!(
        made.err.contains("the definition of the kind is not given; name its file as `schema`"),
        "{made:?}"
    );
    let verified = place.run(&["verify", "known.yaml", "--target", "admission-policy,json-schema"]);
    assert!(verified.code == Some(0) && verified.err.contains("every claim holds"), "{verified:?}");
    let Some(schema) = kvrules_testdata::find_path(kvrules_testdata::VIRTUAL_MACHINES) else { return };
    std::fs::copy(schema, place.path("vm.yaml")).unwrap();
    let run =
        place.run(&["import", "ruleset", "linux-server.yaml", "--schema", "vm.yaml", "-o", "rules.yaml"]);
    assert!(matches!(run.code, Some(0 | 1)), "{run:?}");
    let inexact = "not equal: accepts quantities with a fraction of a base unit";
    assert!(run.err.contains(inexact) && run.err.contains(" accept more than before"), "{run:?}");
    let text = place.read("rules.yaml");
    assert!(text.contains("quantity:\n      min: 1Gi\n"), "{text}");
    assert!(text.contains("    kind: VirtualMachine\n    schema: vm.yaml\n"), "{text}");
    assert_eq!(text.replace("    schema: vm.yaml\n", ""), known);
    assert!(text.contains("path: spec.template.spec.domain."), "{text}");
    let run = place.run(&["check", "rules.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

const SCHEMA: &str = r##"{
  "type": "object",
  "required": ["listen", "note"],
  "additionalProperties": false,
  "properties": {
    "listen": {"$ref": "#/$defs/listen"},
    "level": {"type": "string", "enum": ["debug", "info"]},
    "note": {"type": ["string", "null"]},
    "tags": {"type": "array", "uniqueItems": true, "items": {"type": "string"}},
    "a": {"type": "integer", "exclusiveMinimum": 0, "multipleOf": 2},
    "b": {"type": "integer"}
  },
  "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
  "if": {"required": ["level"], "properties": {"level": {"const": "debug"}}},
  "then": {"required": ["tags"]},
  "$defs": {"listen": {"type": "object", "properties": {"port": {"type": "integer", "minimum": 1, "maximum": 65535}}}}
}"##;

#[test]
fn keywords_of_a_json_schema_become_words() {
    let place = Place::with(&[("schemas/server.json", SCHEMA)]);
    let run = place.run(&["import", "ruleset", "schemas/server.json", "-o", "rules/server.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("imported 10 rules: 7 in words, 0 as `cel`, 3 left out"), "{run:?}");
    for reason in [
        "left out: no words express `additionalProperties`",
        "left out: no words express `multipleOf`",
        "left out: `note` may be null, which words count as absent",
    ] {
        assert!(run.err.contains(reason), "{reason}: {run:?}");
    }
    let text = place.read("rules/server.yaml");
    for words in [
        "schema: ../schemas/server.json",
        "path: listen.port\n    integer:\n      min: 1\n      max: 65535",
        "path: level\n    in:\n    - debug\n    - info",
        "path: tags\n    uniqueBy: []",
        "path: a\n    integer:\n      min: 1",
        "exactlyOneOf:\n    - a\n    - b",
        "path: tags\n    required: true\n    when:\n      path: level\n      in:\n      - debug",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let verified = place.run(&["verify", "rules/server.yaml", "--target", "json-schema"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let piped = place.run_with_input(&["import", "ruleset", "-"], SCHEMA);
    assert!(piped.code == Some(2) && piped.err.contains("give the schema as a file"), "{piped:?}");
}

#[test]
fn keywords_next_to_a_reference_count_in_newer_drafts_only() {
    let schema = |draft: &str| {
        format!(
            r##"{{"$schema": "{draft}", "type": "object", "properties": {{"port": {{"$ref": "#/definitions/port", "minimum": 100}}}}, "definitions": {{"port": {{"type": "integer", "maximum": 9000}}}}}}"##
        )
    };
    for (draft, count) in
        [("http://json-schema.org/draft-07/schema#", 1), ("https://json-schema.org/draft/2020-12/schema", 2)]
    {
        let place = Place::with(&[("a.json", &schema(draft))]);
        let run = place.run(&["import", "ruleset", "a.json"]);
        assert!(run.out.contains("max: 9000"), "{draft}: {run:?}");
        assert_eq!(run.out.contains("min: 100"), count == 2, "{draft}: {run:?}");
        assert!(run.err.contains(&format!("{count} in words")), "{draft}: {run:?}");
    }
}

#[test]
fn tags_of_templates_stay_in_messages() {
    let message = "message: \"use {{ .Values.most }} or {{other}}\"";
    let text = definition().replace("message: the depth is even", message);
    assert!(text.contains(message));
    let place = Place::with(&[("crd.yaml", &text)]);
    let run = place.run(&["import", "ruleset", "crd.yaml", "-o", "rules.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let rules = place.read("rules.yaml");
    assert!(rules.contains(r"message: use \{\{ .Values.most }} or \{\{other}}"), "{rules}");
}
