//! `check` of policies and bindings with the definitions and policies of other files.

use crate::place::{Place, Run};

/// A policy about ponds with limits.
const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ponds.example.com}
spec:
  paramKind: {apiVersion: example.com/v1, kind: PondLimit}
  matchConstraints:
    resourceRules:
    - {apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [ponds]}
  validations:
  - expression: object.spec.dept <= params.spec.siz
";

const BINDING: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ponds}
spec:
  policyName: ponds.example.con
  validationActions: [Deny]
  paramRef: {name: limits, namespace: water, parameterNotFoundAction: Deny}
";

fn definition(kind: &str, field: &str) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.example.com}}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{plural: {plural}, kind: {kind}}}\n  versions:\n  - name: v1\n    \
         served: true\n    storage: true\n    schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, \
         properties: {{{field}: {{type: integer}}}}}}}}}}}}\n"
    )
}

fn place() -> Place {
    let (pond, limit) = (definition("Pond", "depth"), definition("PondLimit", "size"));
    Place::with(&[
        ("policy.yaml", POLICY),
        ("binding.yaml", BINDING),
        ("crds/ponds.yaml", &pond),
        ("crds/pondlimits.yaml", &limit),
    ])
}

/// The findings of a run, one a line.
fn findings(run: &Run) -> Vec<&str> {
    run.out.lines().collect()
}

const DEPT: &str =
    "policy.yaml:10:28: warning[KP106] undefined field `spec.dept` in `Pond` of `example.com/v1`";
const SIZ: &str =
    "policy.yaml:10:48: warning[KP106] undefined field `spec.siz` in `PondLimit` of `example.com/v1`";

#[test]
fn definitions_of_the_inputs_are_types_of_policies_in_other_files() {
    let run = place().run(&["check", "--output-format", "concise", "policy.yaml", "crds"]);
    assert_eq!((run.code, findings(&run)), (Some(0), vec![DEPT, SIZ]), "{run:?}");
    let run = place().run(&["check", "--output-format", "concise", "policy.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
}

#[test]
fn definitions_of_schemas_are_types_of_policies() {
    let place = place();
    let check = |schemas: &[&str]| {
        let schemas: Vec<&str> = schemas.iter().flat_map(|schema| ["--schema", schema]).collect();
        place.run(&[&["check", "--output-format", "concise", "policy.yaml"], schemas.as_slice()].concat())
    };
    for schemas in [&["crds"][..], &["crds/ponds.yaml", "crds/pondlimits.yaml"]] {
        let run = check(schemas);
        assert_eq!((run.code, findings(&run)), (Some(0), vec![DEPT, SIZ]), "{run:?}");
    }
    let run = check(&["crds/ponds.yaml"]);
    assert_eq!((run.code, findings(&run)), (Some(0), vec![DEPT]), "{run:?}");
    assert!(check(&["none.yaml"]).err.contains("cannot read the schema"));
    let rules = "vm.kubevirt.io/validations: |\n  [{\"name\": \"a\", \"rule\": \"integer\", \"message\": \"m\", \
                 \"path\": \"jsonpath::.spec.depth\", \"max\": 3}]\n";
    place.write("rules.yaml", rules);
    let run = place.run(&["check", "rules.yaml", "--schema", "crds"]);
    assert!(run.code == Some(2) && run.err.contains("ambiguous schema, 2 candidates"), "{run:?}");
}

#[test]
fn bindings_are_compared_with_policies_in_other_files() {
    let place = place();
    let run = place.run(&["check", "binding.yaml", "policy.yaml"]);
    assert!(run.out.contains("no policy `ponds.example.con` in the checked files"), "{run:?}");
    assert!(run.code == Some(0) && run.out.contains("did you mean `ponds.example.com`?"), "{run:?}");
    let run = place.run(&["check", "binding.yaml"]);
    assert!(run.code == Some(0) && run.out.contains("check the file with the policy too"), "{run:?}");
    place.write("binding.yaml", BINDING.replace("example.con", "example.com"));
    assert_eq!(place.run(&["check", "binding.yaml", "policy.yaml"]).out, "");
    // The name of the policy may be this one.
    place.write("policy.yaml", POLICY.replace("ponds.example.com", "'{{ .Values.name }}'"));
    let run = place.run(&["check", "binding.yaml", "policy.yaml"]);
    assert!(!run.out.contains("KP105"), "{run:?}");
}

#[test]
fn names_of_kubernetes_that_are_misspelled_are_found_at_their_place() {
    let policy = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  paramKind: {apiVersion: v1, kind: Configmap}
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREAT], resources: [deployment]}
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.replica <= 3
";
    let place = Place::with(&[("policy.yaml", policy)]);
    let run = place.run(&["check", "--output-format", "concise", "policy.yaml"]);
    let expected = vec![
        "policy.yaml:5:37: warning[KP104] no kind `Configmap` in `v1`",
        "policy.yaml:8:59: error[KP101] invalid value `CREAT` for `operations`",
        "policy.yaml:8:79: warning[KP104] no resource `deployment` in the API group `apps`: no request matches it",
        "policy.yaml:11:28: warning[KP106] undefined field `spec.replica` in `Deployment` of `apps/v1`",
    ];
    assert_eq!((run.code, findings(&run)), (Some(1), expected), "{run:?}");
}
