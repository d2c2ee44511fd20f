//! Policies of Kyverno and Gatekeeper in every command: they are policies like those of the server, with findings and answers at
//! the locations of their own text.

use crate::place::{Place, Run};

/// A policy about Pods, from which Kyverno makes rules for their controllers.
const LABELS: &str = "\
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: require-team}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}
  variables:
  - {name: labels, expression: 'object.metadata.?labels.orValue({})'}
  validations:
  - expression: \"'team' in variables.labels\"
    message: the label `team` is missing
";

const EXCEPTION: &str = "\
---
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: tests, namespace: kyverno}
spec:
  policyRefs: [{name: require-team, kind: ValidatingPolicy}]
  matchConditions:
  - {name: test, expression: object.metadata.name.startsWith('test-')}
";

const OBJECTS: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {containers: [{name: a, image: b}]}
---
apiVersion: v1
kind: Pod
metadata: {name: test-bare}
spec: {containers: [{name: a, image: b}]}
---
apiVersion: v1
kind: Pod
metadata: {name: labelled, labels: {team: blue}}
spec: {containers: [{name: a, image: b}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: b}]}
";

const TEMPLATE: &str = "\
apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: maxreplicas}
spec:
  crd:
    spec:
      names: {kind: MaxReplicas}
      validation:
        openAPIV3Schema:
          type: object
          properties: {most: {type: integer}}
  targets:
  - target: admission.k8s.gatekeeper.sh
    code:
    - engine: K8sNativeValidation
      source:
        variables:
        - {name: replicas, expression: 'variables.anyObject.spec.?replicas.orValue(1)'}
        validations:
        - expression: variables.replicas <= variables.params.most
          message: too many replicas
";

const CONSTRAINT: &str = "\
---
apiVersion: constraints.gatekeeper.sh/v1beta1
kind: MaxReplicas
metadata: {name: three}
spec:
  match:
    kinds: [{apiGroups: [apps], kinds: [Deployment]}]
    excludedNamespaces: ['kube-*']
  parameters: {most: 3}
";

fn findings(run: &Run) -> Vec<&str> {
    run.out.lines().collect()
}

fn check(text: &str) -> Run {
    Place::with(&[("policy.yaml", text)]).run(&["check", "--output-format", "concise", "policy.yaml"])
}

fn eval(rules: &str, objects: &str) -> Run {
    Place::with(&[("policy.yaml", rules), ("objects.yaml", objects)]).run(&[
        "eval",
        "--rules",
        "policy.yaml",
        "objects.yaml",
    ])
}

#[test]
fn right_policies_have_no_findings() {
    for text in [LABELS, &format!("{LABELS}{EXCEPTION}"), TEMPLATE, &format!("{TEMPLATE}{CONSTRAINT}")] {
        let run = check(text);
        assert_eq!((run.code, findings(&run)), (Some(0), Vec::new()), "{}", run.err);
    }
}

#[test]
fn findings_about_expressions_are_at_the_text_of_the_author() {
    let run = check(&LABELS.replace("variables.labels\"", "variables.lables\""));
    assert!(run.out.starts_with("policy.yaml:11:37: error[KC303] undefined field `lables`"), "{}", run.out);
    let run = check(&LABELS.replace("?labels", "?lables"));
    assert!(
        run.out.starts_with("policy.yaml:9:48: warning[KP106] undefined field `metadata.lables`"),
        "{}",
        run.out
    );
}

#[test]
fn functions_of_kyverno_are_checked_by_their_types() {
    let with = |expression: &str| {
        LABELS.replace("\"'team' in variables.labels\"", &format!(">-\n      {expression}"))
    };
    for right in [
        "resource.Get('v1', 'configmaps', 'kyverno', 'teams').data.size() > 0",
        "cel.bind(name, object.metadata.name, name.size() > 3 && name.size() < 9)",
        "time.now() > timestamp('2024-01-01T00:00:00Z')",
        "image(object.spec.containers[0].image).registry() == 'ghcr.io'",
        "'a' in exceptions.allowedValues",
        "request.object.metadata.name == 'a'",
    ] {
        let run = check(&with(right));
        assert!(!run.out.contains("error"), "{right}: {}", run.out);
    }
    for (wrong, message) in [
        ("resource.Get('v1', 2).data.size() > 0", "Get"),
        ("cel.bind(name, object.metadata.name, nam.size() > 3)", "nam"),
        ("authorizer.group('').resource('pods').check('get').allowed()", "authorizer"),
        ("resource.Fetch('v1') == 'a'", "Fetch"),
    ] {
        let run = check(&with(wrong));
        assert!(run.out.contains("error") && run.out.contains(message), "{wrong}: {}", run.out);
    }
}

#[test]
fn unknown_fields_are_found() {
    let run = check(&LABELS.replace("  validations:", "  validationAction: [Audit]\n  validations:"));
    assert!(run.out.contains("unknown field `validationAction`"), "{}", run.out);
    let run =
        check(&TEMPLATE.replace("        validations:", "        matchConditions: []\n        validations:"));
    assert!(run.out.contains("unknown field `matchConditions`"), "{}", run.out);
}

#[test]
fn parameters_of_templates_are_checked_by_their_schema() {
    let run = check(&TEMPLATE.replace("variables.params.most", "variables.params.mots"));
    assert!(run.out.starts_with("policy.yaml:20:61: warning[KP106] undefined field"), "{}", run.out);
    assert!(run.out.contains("spec.parameters.mots"), "{}", run.out);
}

#[test]
fn objects_are_evaluated_with_generated_policies_and_exceptions() {
    let run = eval(LABELS, OBJECTS);
    assert_eq!(run.code, Some(1), "{}", run.err);
    for line in ["bare: rejected", "test-bare: rejected", "labelled: accepted", "web: rejected"] {
        assert!(run.out.lines().any(|it| it == line), "{line}: {}", run.out);
    }
    assert!(
        run.out.contains("the label `team` is missing") && run.out.contains("policy.yaml:11:18"),
        "{}",
        run.out
    );
    let run = eval(&format!("{LABELS}{EXCEPTION}"), OBJECTS);
    assert!(run.out.lines().any(|it| it == "test-bare: no policy applies"), "{}", run.out);
}

#[test]
fn what_kyverno_would_look_up_is_unknown() {
    let rules = LABELS.replace(
        "\"'team' in variables.labels\"",
        "resource.Get('v1', 'configmaps', 'kyverno', 'teams').data.size() > 0",
    );
    let run = eval(&rules, OBJECTS);
    assert!(
        run.code == Some(2) && run.out.contains("bare: unknown"),
        "{:?} {} {}",
        run.code,
        run.out,
        run.err
    );
}

#[test]
fn constraints_select_objects_and_give_parameters() {
    let deployment = |name: &str, namespace: &str, replicas: u32| {
        format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec: {{replicas: {replicas}, \
             selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: a, image: b}}]}}}}}}\n"
        )
    };
    let objects =
        deployment("many", "web", 4) + &deployment("few", "web", 3) + &deployment("core", "kube-system", 9);
    let run = eval(&format!("{TEMPLATE}{CONSTRAINT}"), &objects);
    for line in ["many: rejected", "few: accepted", "core: no policy applies"] {
        assert!(run.out.lines().any(|it| it == line), "{line}: {} {}", run.out, run.err);
    }
    assert!(run.out.contains("too many replicas") && run.out.contains("policy.yaml:20:23"), "{}", run.out);
}

#[test]
fn templates_in_other_languages_are_recognized() {
    let rego = TEMPLATE.replace("K8sNativeValidation", "Rego");
    let run = check(&rego);
    assert_eq!((run.code, findings(&run)), (Some(0), Vec::new()), "{}", run.err);
}
