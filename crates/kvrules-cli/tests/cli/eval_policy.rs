//! `kvrules eval --engine policy`: objects as the admission of an API server evaluates them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use std::path::Path;

use serde_json::{Value, json};

use crate::place::{Place, Run};

/// The blocks of a language in the guide's page.
fn blocks(language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/policies.md");
    let page = std::fs::read_to_string(path).unwrap();
    let fence = format!("```{language}\n");
    let parts = page.split(fence.as_str()).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

fn deployment(name: &str, replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec: {{replicas: {replicas}}}\n"
    )
}

/// A policy for all resources, with these members of its specification.
fn policy(name: &str, spec: &Value) -> String {
    let mut spec = spec.clone();
    if spec["matchConstraints"].is_null() {
        spec["matchConstraints"] = json!({"resourceRules": [
            {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}
        ]});
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": spec,
    })
    .to_string()
}

fn binding(name: &str, policy: &str, actions: &[&str]) -> String {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": policy, "validationActions": actions},
    })
    .to_string()
}

/// The command with documents of rules and an object.
fn eval(rules: &[String], object: &str, args: &[&str]) -> Run {
    let place = Place::with(&[("rules.yaml", &rules.join("\n---\n")), ("object.yaml", object)]);
    place.run(&[&["eval", "--engine", "policy", "--rules", "rules.yaml", "object.yaml"], args].concat())
}

/// The command with one expression and an object.
fn expect(expression: &str, object: &str, args: &[&str]) -> Run {
    eval(&[policy("p", &json!({"validations": [{"expression": expression}]}))], object, args)
}

/// The result of the only object, as JSON.
fn answer(rules: &[String], object: &str, args: &[&str]) -> Value {
    let run = eval(rules, object, &[args, &["--output-format", "json"]].concat());
    let reported: Value = serde_json::from_str(&run.out).unwrap();
    reported[0]["policy"].clone()
}

#[test]
fn the_commands_of_the_guide_print_what_it_shows() {
    let yaml = blocks("yaml");
    let (one, four) = (deployment("web", 1), deployment("web", 4));
    let files = [
        ("policy.yaml", yaml[0].as_str()),
        ("limits.yaml", &yaml[1]),
        ("web.yaml", &yaml[2]),
        ("one.yaml", &one),
        ("four.yaml", &four),
    ];
    let place = Place::with(&files);
    let mut tried = 0;
    for block in blocks("console") {
        let (command, shown) = block.strip_prefix("$ kvrules ").unwrap().split_once('\n').unwrap();
        let args: Vec<_> = command.split_whitespace().collect();
        let run = place.run(&args);
        assert_eq!(run.out.clone() + &run.err, shown, "{command}");
        assert_eq!(run.code, Some(1), "{command}");
        tried += 1;
    }
    assert_eq!(tried, 2);
}

#[test]
fn the_actions_of_a_binding_decide_what_a_failed_validation_does() {
    let rules =
        policy("p", &json!({"validations": [{"expression": "object.spec.replicas < 5", "message": "many"}]}));
    let run = |actions: &[&str]| {
        let rules = [rules.clone(), binding("b", "p", actions)];
        (eval(&rules, &deployment("web", 9), &[]), answer(&rules, &deployment("web", 9), &[]))
    };
    let (denied, _) = run(&["Deny"]);
    assert!(denied.code == Some(1) && denied.out.contains("many (Invalid; Deny)"), "{}", denied.out);
    let (warned, json) = run(&["Warn", "Audit"]);
    assert_eq!(warned.code, Some(0));
    assert!(warned.out.starts_with("web: accepted with warnings\n") && warned.out.contains(": warned\n"));
    let text = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': many";
    assert_eq!(json["warnings"], json!([text]));
    let failure = "[{\"message\":\"many\",\"policy\":\"p\",\"binding\":\"b\",\"expressionIndex\":0,\
                   \"validationActions\":[\"Warn\",\"Audit\"]}]";
    assert_eq!(json["auditAnnotations"]["validation.policy.admission.k8s.io/validation_failure"], failure);
    let (audited, json) = run(&["Audit"]);
    assert_eq!((audited.code, json["policies"][0]["outcome"].as_str()), (Some(0), Some("audited")));
}

#[test]
fn a_policy_without_a_binding_denies_and_a_note_says_that_a_cluster_does_not_enforce_it() {
    let run = expect("object.spec.replicas < 5", &deployment("web", 9), &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("note: policy `p` has no binding"), "{}", run.err);
    assert!(run.out.contains("`validations[0].expression` at rules.yaml:1:"), "{}", run.out);
}

#[test]
fn constraints_conditions_and_errors_are_reported_each_with_its_reason() {
    let constraints = |rules: Value| {
        let base = json!({"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]});
        let mut constraints = json!({"resourceRules": [base]});
        constraints.as_object_mut().unwrap().extend(rules.as_object().unwrap().clone());
        policy("p", &json!({"matchConstraints": constraints, "validations": [{"expression": "false"}]}))
    };
    let exclude = json!({"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"], "resourceNames": ["web"]});
    let cases = [
        (
            constraints(json!({"objectSelector": {"matchLabels": {"a": "b"}}})),
            "`matchConstraints.objectSelector`",
        ),
        (
            constraints(json!({"excludeResourceRules": [exclude]})),
            "`matchConstraints.excludeResourceRules[0]`",
        ),
        (
            constraints(json!({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "x"}}})),
            "`matchConstraints.namespaceSelector` excludes the namespace",
        ),
        (
            constraints(json!({"resourceRules": [
                {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["deployments"]}
            ]})),
            "`matchConstraints.resourceRules[0].operations` does not include the request",
        ),
        (
            policy(
                "p",
                &json!({"matchConditions": [{"name": "small", "expression": "object.spec.replicas < 5"}],
                "validations": [{"expression": "false"}]}),
            ),
            "skipped: match condition `small` is false",
        ),
    ];
    for (rules, reason) in cases {
        let run = eval(&[rules], &deployment("web", 9), &[]);
        assert!(run.out.starts_with("web: no policy applies\n") && run.out.contains(reason), "{}", run.out);
        assert!(
            run.code == Some(2) && run.err.contains("error: no policy applies to any object"),
            "{}",
            run.err
        );
    }
    let rules = policy(
        "p",
        &json!({"failurePolicy": "Ignore", "validations": [{"expression": "object.spec.x == 1"}]}),
    );
    let run = eval(&[rules], &deployment("web", 9), &[]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.out.contains("error, ignored by `failurePolicy`: ") && run.out.contains("no such key: x"),
        "{}",
        run.out
    );
}

#[test]
fn a_selector_reads_the_namespaces_that_are_given() {
    let constraints = json!({
        "namespaceSelector": {"matchLabels": {"team": "blue"}},
        "resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}],
    });
    let rules = [policy(
        "p",
        &json!({"matchConstraints": constraints,
        "validations": [{"expression": "namespaceObject.metadata.name == 'shop'"}]}),
    )];
    let without = eval(&rules, &deployment("web", 9), &[]);
    let expected = "reads the labels of the namespace `default`; give it with `--namespace-object FILE`";
    assert!(without.code == Some(2) && without.err.contains(expected), "{}", without.err);
    let place = Place::with(&[
        ("rules.yaml", &rules[0]),
        ("web.yaml", &deployment("web", 9)),
        ("shop.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: blue}}\n"),
    ]);
    let args = [
        "eval",
        "--rules",
        "rules.yaml",
        "--namespace-object",
        "shop.yaml",
        "--namespace",
        "shop",
        "web.yaml",
    ];
    let run = place.run(&args);
    assert!(run.code == Some(0) && run.out == "web: accepted\n", "{}{}", run.out, run.err);
    // A namespace is in itself, and has the label of its name.
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
    let run = expect(
        "namespaceObject == null && request.namespace == 'shop' && \
         object.metadata.labels['kubernetes.io/metadata.name'] == 'shop'",
        namespace,
        &[],
    );
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
}

#[test]
fn the_request_has_the_properties_of_the_options() {
    let web = deployment("web", 9);
    let accepts = |expression: &str, args: &[&str]| {
        let run = expect(expression, &web, args);
        assert_eq!(run.code, Some(0), "{expression}: {}{}", run.out, run.err);
    };
    accepts("request.operation == 'CREATE' && oldObject == null && request.dryRun == false", &[]);
    accepts(
        "request.operation == 'DELETE' && object == null && oldObject.metadata.name == 'web'",
        &["--operation", "delete"],
    );
    accepts(
        "request.userInfo.username == 'ann' && 'ops' in request.userInfo.groups && \
             'system:authenticated' in request.userInfo.groups",
        &["--user", "ann", "--group", "ops"],
    );
    accepts("request.namespace == 'shop' && object.metadata.namespace == 'shop'", &["--namespace", "shop"]);
    accepts("request.subResource == 'status' && request.dryRun", &["--subresource", "status", "--dry-run"]);
    accepts("request.resource.resource == 'deployments' && request.kind.kind == 'Deployment'", &[]);
    accepts(
        "authorizer.group('').resource('pods').namespace('a').check('get').allowed()",
        &["--allow", "get pods in a"],
    );
    accepts("!authorizer.requestResource.check('update').allowed()", &["--allow", "none"]);
    let exec = "apiVersion: v1\nkind: PodExecOptions\ncommand: [sh]\n";
    let run = expect(
        "request.resource.resource + '/' + request.subResource == 'pods/exec' && object.command[0] == 'sh'",
        exec,
        &["--operation", "CONNECT"],
    );
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
}

#[test]
fn a_cluster_has_the_resources_of_definitions_and_of_the_option() {
    let pond = "apiVersion: garden.example.com/v1\nkind: Pond\nmetadata: {name: mill}\nspec: {depth: 9}\n";
    let run = expect("request.resource.resource == 'ponds'", pond, &[]);
    let expected = "unknown resource of kind `Pond.garden.example.com`";
    assert!(run.code == Some(2) && run.err.contains(expected), "{}", run.err);
    let run =
        expect("!has(request.namespace)", pond, &["--resource", "Pond.garden.example.com=ponds,cluster"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.garden.example.com"},
        "spec": {"group": "garden.example.com", "scope": "Namespaced", "names": {"kind": "Pond", "plural": "ponds"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
                "properties": {"spec": {"type": "object", "properties": {
                    "depth": {"type": "integer", "minimum": 5}, "water": {"type": "string", "default": "still"}}}}}}}]},
    });
    let rules = [
        policy("p", &json!({"validations": [{"expression": "object.spec.water == 'still'"}]})),
        definition.to_string(),
    ];
    let run = eval(&rules, pond, &[]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let run = eval(&rules, &pond.replace("depth: 9", "depth: 1"), &[]);
    assert!(run.code == Some(1) && run.out.contains("greater than or equal to 5"), "{}", run.out);
}

#[test]
fn policies_in_a_directory_are_all_evaluated_and_counted_in_junit() {
    let place = Place::with(&[
        ("rules/a.yaml", &policy("a", &json!({"validations": [{"expression": "object.spec.replicas < 5"}]}))),
        ("rules/b.yaml", &policy("b", &json!({"validations": [{"expression": "true"}]}))),
        ("rules/values.yaml", "image: x\n"),
        ("web.yaml", &deployment("web", 9)),
    ]);
    let run = place.run(&[
        "eval",
        "--engine",
        "policy",
        "--rules",
        "rules",
        "web.yaml",
        "--output-format",
        "junit",
    ]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{}", run.out);
    let run = place.run(&["eval", "--engine", "policy", "--rules", "rules", "web.yaml", "--trace"]);
    assert_eq!(run.out, place.run(&["eval", "--rules", "rules", "web.yaml", "--trace"]).out);
    assert!(run.out.contains("policy `b`: passed\n"), "{}", run.out);
}

#[test]
fn fields_without_omitempty_are_null_when_they_are_unset() {
    let policy = |expression: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: rules}}\nspec:\n  \
             matchConstraints: {{resourceRules: [{{apiGroups: [rbac.authorization.k8s.io], apiVersions: [v1], operations: ['*'], \
             resources: [clusterroles]}}]}}\n  validations: [{{expression: \"{expression}\"}}]\n---\n\
             apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: rules}}\n\
             spec: {{policyName: rules, validationActions: [Deny]}}\n"
        )
    };
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: empty}\n";
    let own = format!("{role}rules: [{{apiGroups: [''], resources: [pods], verbs: [get]}}]\n");
    for (expression, unset, set) in [
        ("object.rules == null", 0, 1),
        ("has(object.rules)", 0, 0),
        ("object.rules != null && object.rules.size() == 1", 1, 0),
        ("object.rules.all(rule, size(rule.verbs) > 0)", 1, 0),
    ] {
        let text = policy(expression);
        let place =
            Place::with(&[("policy.yaml", text.as_str()), ("unset.yaml", role), ("set.yaml", own.as_str())]);
        for (file, status) in [("unset.yaml", unset), ("set.yaml", set)] {
            let run = place.run(&["eval", "--engine", "policy", "--rules", "policy.yaml", file]);
            assert_eq!(run.code, Some(status), "{expression} {file}: {run:?}");
        }
    }
}
