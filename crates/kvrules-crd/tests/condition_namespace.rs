//! Match conditions that read the namespace, which they do not have.
use kvrules_crd::{RunResources, StoredResources, check_in_run};
use kvrules_diagnostics::{FileId, SourceFile};

fn findings(policy: &str, expression: &str) -> Vec<String> {
    let text = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  \
         {policy}\n  matchConstraints:\n    resourceRules:\n    - {{apiGroups: [''], apiVersions: [v1], operations: [CREATE], \
         resources: [pods]}}\n  matchConditions:\n  - name: a\n    expression: >-\n      {expression}\n  validations:\n  \
         - expression: \"namespaceObject.metadata.name != 'a'\"\n"
    );
    let source = SourceFile::new(FileId(0), "policy.yaml", text.as_str());
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let documents: Vec<_> = stream.documents.iter().collect();
    let found =
        check_in_run(&source, &documents, &StoredResources::default(), &RunResources::default()).findings;
    found.into_iter().filter(|it| it.code == "KP107").map(|it| it.message).collect()
}

#[test]
fn conditions_that_read_the_namespace_are_reported_with_what_follows() {
    for expression in [
        "namespaceObject.metadata.labels['env'] == 'production'",
        "has(namespaceObject.metadata.labels)",
        "['a'].exists(name, namespaceObject.metadata.name == name)",
        "object.metadata.name == 'a' || namespaceObject.?metadata.name.orValue('') == 'b'",
    ] {
        let found = findings("failurePolicy: Fail", expression);
        assert!(
            found.first().unwrap().ends_with("the policy denies every request"),
            "{expression}: {found:?}"
        );
        let ignored = findings("failurePolicy: Ignore", expression);
        assert!(ignored.first().unwrap().ends_with("the policy never applies"), "{expression}: {ignored:?}");
    }
    let guarded =
        findings("failurePolicy: Fail", "namespaceObject == null || namespaceObject.metadata.name != 'a'");
    assert!(guarded.first().unwrap().ends_with("which is always null there"), "{guarded:?}");
    for expression in ["request.namespace == 'a'", "['a'].exists(namespaceObject, namespaceObject == 'a')"] {
        assert!(findings("failurePolicy: Fail", expression).is_empty(), "{expression}");
    }
}
