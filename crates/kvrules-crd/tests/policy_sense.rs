//! Expressions of policies that end in errors, are always true, or never.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use kvrules_crd::{RunResources, StoredResources, check_in_run};
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_syntax::parse_stream;

/// The codes and messages about the sense of rules in a text.
fn findings(text: &str, run: &RunResources) -> Vec<String> {
    let source = SourceFile::new(FileId(0), "policy.yaml", text);
    let stream = parse_stream(FileId(0), text);
    let documents: Vec<_> = stream.documents.iter().collect();
    let found = check_in_run(&source, &documents, &StoredResources::default(), run).findings;
    let of_sense = found.into_iter().filter(|it| ["KC307", "KC308", "KC309", "KC312"].contains(&it.code));
    of_sense.map(|it| format!("{} {}", it.code, it.message)).collect()
}

/// A policy about resources of a group with other fields of its `spec`.
fn policy(group: &str, resource: &str, operations: &str, rest: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  \
         matchConstraints:\n    resourceRules:\n    - {{apiGroups: ['{group}'], apiVersions: [v1], operations: {operations}, \
         resources: [{resource}]}}\n{rest}"
    )
}

fn of_deployments(expression: &str) -> Vec<String> {
    let rest = format!("  validations:\n  - expression: >-\n      {expression}\n");
    findings(&policy("apps", "deployments", "[CREATE, UPDATE]", &rest), &RunResources::default())
}

#[test]
fn messages_are_compared_with_expressions() {
    let with_message = |message: &str| {
        let rest =
            format!("  validations:\n  - expression: object.spec.replicas <= 8\n    message: {message}\n");
        findings(&policy("apps", "deployments", "[CREATE, UPDATE]", &rest), &RunResources::default())
    };
    assert_eq!(
        with_message("at most 10 replicas"),
        ["KC312 the message says 10, but the bound of the rule is 8"]
    );
    assert!(with_message("at most 8 replicas").is_empty());
}

#[test]
fn absent_fields_of_built_in_kinds_end_expressions_in_errors() {
    assert_eq!(
        of_deployments("object.metadata.labels['team'] != ''"),
        ["KC307 the expression ends in an error for a `Deployment` without `object.metadata.labels`"]
    );
    assert_eq!(
        of_deployments("!has(object.metadata.labels) || object.metadata.labels['team'] != ''"),
        ["KC307 the expression ends in an error for a `Deployment` without `object.metadata.labels.team`"]
    );
    assert_eq!(
        of_deployments("object.spec.template.spec.containers.all(c, c.securityContext.runAsNonRoot)"),
        ["KC307 the expression ends in an error for a `Deployment` without \
          `object.spec.template.spec.containers[].securityContext`"]
    );
}

#[test]
fn fields_that_the_server_fills_in_are_not_missing() {
    for expression in [
        "object.spec.replicas <= 5",
        "object.spec.strategy.type == 'Recreate'",
        "object.spec.template.spec.securityContext.?runAsNonRoot.orValue(false)",
        "object.spec.template.spec.containers.all(c, c.imagePullPolicy == 'Always')",
        "object.spec.template.spec.terminationGracePeriodSeconds > 3",
        "object.metadata.namespace != 'default'",
        "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] != 'default'",
        "'x' in namespaceObject.metadata.labels",
    ] {
        assert_eq!(of_deployments(expression), [""; 0], "{expression}");
    }
}

#[test]
fn guarded_expressions_have_no_findings() {
    for expression in [
        "!has(object.metadata.labels) || !('team' in object.metadata.labels) || object.metadata.labels['team'] != ''",
        "object.metadata.?labels['team'].orValue('') == ''",
        "request.operation != 'UPDATE' || oldObject.spec.replicas == object.spec.replicas",
        "oldObject == null || oldObject.spec.replicas <= object.spec.replicas",
        "object.spec.template.spec.containers.all(c, has(c.securityContext) && has(c.securityContext.privileged) && \
         !c.securityContext.privileged)",
    ] {
        assert_eq!(of_deployments(expression), [""; 0], "{expression}");
    }
    // By a match condition, a variable, and another validation.
    for rest in [
        "  matchConditions:\n  - {name: labels, expression: has(object.metadata.labels)}\n  validations:\n  - expression: \
         size(object.metadata.labels) > 0\n",
        "  variables:\n  - {name: labels, expression: 'has(object.metadata.labels) ? object.metadata.labels : {}'}\n  validations:\n  \
         - expression: size(variables.labels) > 0\n",
        "  validations:\n  - expression: has(object.metadata.labels)\n  - expression: size(object.metadata.labels) > 0\n",
    ] {
        let text = policy("apps", "deployments", "[CREATE, UPDATE]", rest);
        assert_eq!(findings(&text, &RunResources::default()), [""; 0], "{rest}");
    }
}

#[test]
fn the_object_that_an_operation_lacks_is_missed() {
    let rest = "  validations:\n  - expression: oldObject.spec.replicas <= object.spec.replicas\n";
    let run = RunResources::default();
    assert_eq!(
        findings(&policy("apps", "deployments", "[CREATE]", rest), &run),
        ["KC307 the expression ends in an error at CREATE, where `oldObject` is null"]
    );
    assert_eq!(
        findings(&policy("apps", "deployments", "['*']", rest), &run).len(),
        1,
        "at CREATE or at DELETE"
    );
    assert_eq!(findings(&policy("apps", "deployments", "[UPDATE]", rest), &run), [""; 0]);
}

#[test]
fn expressions_that_no_object_changes_are_constant() {
    let never = of_deployments("size(object.spec.template.spec.containers) < 0");
    assert_eq!(
        never,
        ["KC308 no request satisfies the validation: the policy rejects every object that it matches"]
    );
    // An error admits the request.
    let rest = "  failurePolicy: Ignore\n  validations:\n  - expression: '!has(object.spec.paused) && object.spec.paused'\n";
    assert_eq!(
        findings(&policy("apps", "deployments", "[CREATE]", rest), &RunResources::default()),
        [
            "KC308 no request satisfies the validation: the policy rejects every object for which it does not end in an error"
        ]
    );
    let always = of_deployments("size(object.metadata.name) >= 0");
    assert_eq!(always, ["KC308 the expression is true for every request that the policy matches"]);
    // Written on purpose.
    assert_eq!(of_deployments("false"), [""; 0]);
    assert_eq!(of_deployments("object.kind != 'Deployment'"), [""; 0]);
    let rest = "  matchConditions:\n  - {name: c, expression: size(object.metadata.name) < 0}\n  validations:\n  - expression: \
                object.spec.replicas > 1\n";
    let found = findings(&policy("apps", "deployments", "[CREATE]", rest), &RunResources::default());
    assert_eq!(found, ["KC308 no request satisfies the condition: the policy does nothing"]);
}

const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ponds.example.com}\nspec:\n  \
  group: example.com\n  scope: Namespaced\n  names: {plural: ponds, kind: Pond}\n  versions:\n  - name: v1\n    served: true\n    \
  storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        required: [spec]\n        properties:\n          \
  spec:\n            type: object\n            properties:\n              depth: {type: integer}\n              floor: {type: \
  integer, default: 0}\n              kind: {type: string, enum: [natural, dug], default: dug}\n";

#[test]
fn definitions_of_the_run_have_the_types_and_defaults() {
    let stream = parse_stream(FileId(0), DEFINITION);
    let mut run = RunResources::default();
    run.add_documents(&stream.documents.iter().collect::<Vec<_>>());
    let of_ponds = |expression: &str| {
        let rest = format!("  validations:\n  - expression: >-\n      {expression}\n");
        findings(&policy("example.com", "ponds", "[CREATE]", &rest), &run)
    };
    assert_eq!(
        of_ponds("object.spec.depth >= object.spec.floor"),
        ["KC307 the expression ends in an error for a `Pond` without `object.spec.depth`"]
    );
    assert_eq!(of_ponds("object.spec.floor >= 0"), [""; 0]);
    assert_eq!(
        of_ponds("object.spec.kind != 'natrual'"),
        ["KC309 `object.spec.kind` is never `natrual`: its `enum` does not have it"]
    );
}

#[test]
fn recorded_policies_are_right() {
    let Some(folder) = kvrules_testdata::find_path("suites") else { return };
    let mut files = Vec::new();
    collect(&folder, &mut files);
    let mut policies = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if !text.contains("kind: ValidatingAdmissionPolicy\n") {
            continue;
        }
        policies += 1;
        assert_eq!(findings(&text, &RunResources::default()), [""; 0], "{}", file.display());
    }
    println!("{policies} files with policies");
    assert!(policies > 40, "{policies}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            files.push(path);
        }
    }
}

#[test]
fn policies_that_deny_every_request_of_an_operation_are_reported() {
    let of = |operations: &str, head: &str, expressions: &[&str]| {
        let lines: Vec<_> =
            expressions.iter().map(|it| format!("  - expression: >-\n      {it}\n")).collect();
        let rest = format!("{head}  validations:\n{}", lines.concat());
        findings(&policy("apps", "deployments", operations, &rest), &RunResources::default())
    };
    let all = "KC308 no request satisfies the validations: the policy denies every request that it matches";
    let creations = "KC308 no CREATE satisfies the validations: the policy denies every one that it matches";
    let both = "[CREATE, UPDATE]";
    assert_eq!(of(both, "", &["object.spec.replicas > 3", "object.spec.replicas < 2"]), [all]);
    for expression in [
        "request.operation == 'UPDATE' && object.spec.replicas > 1",
        "oldObject != null && object.spec.replicas == oldObject.spec.replicas",
    ] {
        assert_eq!(of(both, "", &[expression]), [creations], "{expression}");
        assert_eq!(of("[UPDATE]", "", &[expression]).len(), 0, "{expression}");
    }
    assert_eq!(of("[CREATE]", "", &["oldObject != null && oldObject.spec.replicas > 1"]).len(), 1);
    assert_eq!(of("[CREATE]", "", &["oldObject != null"]), [all]);
    assert_eq!(of("[DELETE]", "", &["object != null"]), [all]);
    // It may forbid creates, as `false` forbids all.
    assert!(of(both, "", &["oldObject != null"]).is_empty());
    assert!(of("[UPDATE]", "", &["oldObject != null"]).is_empty());
    assert!(of("[DELETE]", "", &["false"]).is_empty());
    let condition = "  matchConditions:\n  - {name: a, expression: \"request.operation == 'UPDATE'\"}\n";
    assert!(
        of(both, condition, &["oldObject != null && object.spec.replicas == oldObject.spec.replicas"])
            .is_empty()
    );
    for fine in [
        vec!["object.spec.replicas > 3", "object.spec.replicas < 20"],
        vec!["request.operation != 'CREATE'"],
        vec!["oldObject == null || object.spec.replicas == oldObject.spec.replicas"],
    ] {
        assert!(of(both, "", &fine).is_empty(), "{fine:?}");
    }
}

#[test]
fn loops_of_several_expressions_are_about_their_own_items() {
    let of = |condition: &str, expressions: &[&str]| {
        let lines: Vec<_> =
            expressions.iter().map(|it| format!("  - expression: >-\n      {it}\n")).collect();
        let head = format!("  matchConditions:\n  - name: a\n    expression: >-\n      {condition}\n");
        let rest = format!("{head}  validations:\n{}", lines.concat());
        findings(&policy("", "pods", "[CREATE, UPDATE]", &rest), &RunResources::default())
    };
    let command = "c.?livenessProbe.?exec.?command.orValue([])";
    let has_command = format!("object.spec.containers.exists(c, size({command}) > 0)");
    // A command without `a` passes.
    let no_a = format!("object.spec.containers.all(c, !{command}.exists(d, d == 'a'))");
    assert_eq!(of(&has_command, &[&no_a]), [""; 0]);
    let named = "object.spec.containers.exists(c, c.name == 'a')";
    assert_eq!(of(named, &["object.spec.containers.all(d, d.name != 'b')"]), [""; 0]);
    let all = "KC308 no request satisfies the validations: the policy denies every request that it matches";
    assert_eq!(of(named, &["object.spec.containers.all(d, d.name != 'a')"]), [all]);
}
