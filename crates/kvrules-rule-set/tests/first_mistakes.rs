//! Errors of people who know another notation: the help says what to write.

use kvrules_diagnostics::FileId;
use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
use kvrules_syntax::parse_stream;

#[test]
fn every_first_mistake_has_its_cure() {
    for (rule, cure) in [
        (
            "path: metadata.labels.app.kubernetes.io/name, required: true",
            "write `metadata.labels[\"app.kubernetes.io/name\"]`",
        ),
        ("path: .spec.replicas, integer: {min: 1}", "write `spec.replicas`"),
        ("path: $.spec.replicas, integer: {min: 1}", "write `spec.replicas`"),
        ("path: self.spec.replicas, integer: {min: 1}", "write `spec.replicas`"),
        ("path: /spec/replicas, integer: {min: 1}", "write `spec.replicas`"),
        (
            "path: 'spec.template.spec.containers[0].image', required: true",
            "write `spec.template.spec.containers[*].image`",
        ),
        ("cel: object.spec.replicas > 1", "write `self`: the object, or the value that `each` names"),
        (
            "cel: oldObject.spec.replicas > 1",
            "write `oldSelf`: the stored object; a rule with it is about updates alone",
        ),
        ("cel: params.x > 1", "declare the value in `parameters`, and write `$(NAME)`"),
        ("path: spec.replicas, in: 3", "write `[3]`"),
        ("path: spec.template.spec.containers, uniqueBy: name", "write `[name]`"),
        ("exactlyOneOf: spec.replicas", "write `[spec.replicas]`"),
    ] {
        let text = format!(
            "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: x}}\nspec:\n  \
             subject: {{apiVersion: apps/v1, kind: Deployment}}\n  rules:\n  - {{name: a, {rule}}}\n"
        );
        let stream = parse_stream(FileId(0), &text);
        let mut findings = Vec::new();
        read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut findings);
        let helps: Vec<_> = findings.iter().map(|it| it.help.clone().unwrap_or_default()).collect();
        assert_eq!(helps, [cure], "{rule}: {findings:?}");
        assert!(!findings[0].message.contains("container"), "{findings:?}");
    }
}
