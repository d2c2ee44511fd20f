//! Bindings compared with the policies of a run.

use kvrules_crd::{RunResources, StoredResources};
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_syntax::parse_stream;

const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\n\
    spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints:\n    resourceRules: [{apiGroups: [apps], \
    apiVersions: [v1], operations: [CREATE], resources: [deployments]}]\n  validations:\n  - expression: \
    \"object.spec.replicas <= int(params.data.most)\"\n";

/// The messages of KP105 for the policy with a binding.
fn mismatches(policy: &str, spec: &str) -> Vec<String> {
    let binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\n";
    let text = format!("{policy}---\n{binding}spec: {{validationActions: [Deny], {spec}}}\n");
    let source = SourceFile::new(FileId(0), "policy.yaml", text.clone());
    let stream = parse_stream(FileId(0), &text);
    let documents: Vec<_> = stream.documents.iter().collect();
    let found = kvrules_crd::check_documents(&source, &documents).findings;
    found.into_iter().filter(|found| found.code == "KP105").map(|found| found.message).collect()
}

const REFERENCE: &str = "paramRef: {name: limits, namespace: a, parameterNotFoundAction: Deny}";

#[test]
fn a_binding_that_fits_has_no_finding() {
    let found = mismatches(POLICY, &format!("policyName: replicas, {REFERENCE}"));
    assert!(found.is_empty(), "{found:?}");
    let tested = POLICY.replace("object.spec", "params == null || object.spec");
    assert!(mismatches(&tested, "policyName: replicas").is_empty());
}

#[test]
fn a_binding_that_names_a_policy_wrongly_is_reported() {
    assert_eq!(mismatches(POLICY, "policyName: replcas"), ["no policy `replcas` in the checked files"]);
    assert_eq!(
        mismatches("kind: ConfigMap\n", "policyName: replicas"),
        ["no policy `replicas` in the checked files"]
    );
}

#[test]
fn a_binding_is_compared_with_the_policies_of_the_run() {
    let binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\n";
    let messages = |policy: &str, spec: &str| {
        let mut run = RunResources::default();
        let stream = parse_stream(FileId(0), policy);
        run.add_documents(&stream.documents.iter().collect::<Vec<_>>());
        let text = format!("{binding}spec: {{validationActions: [Deny], {spec}}}\n");
        let source = SourceFile::new(FileId(1), "binding.yaml", text.clone());
        let stream = parse_stream(FileId(1), &text);
        let documents: Vec<_> = stream.documents.iter().collect();
        let found =
            kvrules_crd::check_in_run(&source, &documents, &StoredResources::default(), &run).findings;
        found.into_iter().map(|found| (found.message, found.help)).collect::<Vec<_>>()
    };
    assert_eq!(messages(POLICY, &format!("policyName: replicas, {REFERENCE}")), []);
    let help = |help: &str| Some(help.to_owned());
    assert_eq!(
        messages(POLICY, "policyName: replcas"),
        [("no policy `replcas` in the checked files".to_owned(), help("did you mean `replicas`?"))]
    );
    assert_eq!(
        messages(POLICY, "policyName: other")[0].1,
        help("check the file with the policy too, or correct the name")
    );
    assert_eq!(
        messages(POLICY, "policyName: replicas")[0].0,
        "missing `paramRef` for the `params` in the policy `replicas`"
    );
}

#[test]
fn parameters_of_one_side_alone_are_reported() {
    assert_eq!(
        mismatches(POLICY, "policyName: replicas"),
        ["missing `paramRef` for the `params` in the policy `replicas`"]
    );
    let plain = POLICY
        .replace("  paramKind: {apiVersion: v1, kind: ConfigMap}\n", "")
        .replace("int(params.data.most)", "3");
    assert_eq!(
        mismatches(&plain, &format!("policyName: replicas, {REFERENCE}")),
        ["`paramRef` has no effect, because the policy `replicas` has no `paramKind`"]
    );
}
