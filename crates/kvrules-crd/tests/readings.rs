//! Values that Kubernetes reads differently than their author may, and values without an effect: reported once, with a
//! repair.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

use kvrules_crd::check_documents;
use kvrules_diagnostics::{Applicability, Diagnostic, FileId, SourceFile};
use kvrules_syntax::{edit::apply_edits, parse_stream};

fn found(text: &str) -> Vec<Diagnostic> {
    let source = SourceFile::new(FileId(0), "crd.yaml", text);
    let stream = parse_stream(source.id(), source.text());
    let documents: Vec<_> = stream.documents.iter().collect();
    check_documents(&source, &documents).findings
}

/// A definition with one field.
fn definition(field: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: ponds.example.com}}\n\
         spec:\n  group: example.com\n  scope: Cluster\n  names: {{plural: ponds, kind: Pond}}\n  versions:\n    - name: v1\n\
         \x20     served: true\n      storage: true\n      schema:\n        openAPIV3Schema:\n          type: object\n\
         \x20         required: [spec]\n          properties:\n            spec:\n              type: object\n              properties:\n\
         \x20               {field}\n"
    )
}

/// The only finding in a definition, and the field as its repair leaves it, with how far that may be trusted.
fn repaired(field: &str) -> (&'static str, String, Applicability) {
    let text = definition(field);
    let found = found(&text);
    assert_eq!(found.len(), 1, "{field}: {found:#?}");
    let fix = found[0].fix.as_ref().unwrap();
    let changed = apply_edits(&text, &fix.edits).unwrap();
    let line = changed.lines().last().unwrap().trim().to_owned();
    (found[0].code, line, fix.applicability)
}

#[test]
fn a_word_is_repaired_as_its_place_asks() {
    use Applicability::{Safe, Unsafe};
    for (field, code, wanted, applicability) in [
        ("a: {type: string, enum: [on]}", "KC210", "a: {type: string, enum: [\"on\"]}", Safe),
        ("a: {type: string, enum: [1_0]}", "KC210", "a: {type: string, enum: [\"1_0\"]}", Safe),
        ("a: {type: boolean, enum: [on]}", "KC210", "a: {type: boolean, enum: [true]}", Safe),
        ("a: {type: integer, enum: [0644]}", "KC210", "a: {type: integer, enum: [420]}", Safe),
        ("a: {type: integer, maximum: 0x_F}", "KC210", "a: {type: integer, maximum: 15}", Safe),
        ("a: {type: string, nullable: yes}", "KC210", "a: {type: string, nullable: true}", Safe),
        (
            "a: {x-kubernetes-int-or-string: true, enum: [no]}",
            "KC210",
            "a: {x-kubernetes-int-or-string: true, enum: [\"no\"]}",
            Unsafe,
        ),
        ("N: {type: string}", "KC210", "\"N\": {type: string}", Unsafe),
        // If the server rejects it, one finding reports that.
        ("a: {type: string, default: off}", "KC205", "a: {type: string, default: \"off\"}", Safe),
        ("a: {type: string, description: y}", "KC101", "a: {type: string, description: \"y\"}", Safe),
        ("a: {type: string, pattern: 0b1}", "KC101", "a: {type: string, pattern: \"0b1\"}", Safe),
    ] {
        assert_eq!(repaired(field), (code, wanted.to_owned(), applicability));
        assert_eq!(found(&definition(wanted)), [], "{wanted}");
    }
}

#[test]
fn what_is_quoted_or_tagged_is_what_it_seems() {
    for field in [
        "a: {type: string, enum: ['on', \"off\", !!str yes, none, yEs]}",
        "'y': {type: integer, default: 10, enum: [10, 0x10, 0o10]}",
        "a: {type: boolean, default: True}",
    ] {
        assert_eq!(found(&definition(field)), [], "{field}");
    }
    let json = "{\"apiVersion\": \"apiextensions.k8s.io/v1\", \"kind\": \"CustomResourceDefinition\", \"metadata\": {\"labels\": {\"a\": \"on\"}}}";
    assert!(found(json).iter().all(|found| found.code != "KC210"));
}

#[test]
fn words_in_metadata_and_in_policies_are_told_too() {
    let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: a, \
                labels: {on: \"a\", a: yes}}\nspec: {policyName: a, validationActions: [Deny]}\n";
    let readings = found(text).into_iter().filter(|found| found.code != "KP105");
    let messages: Vec<_> = readings.map(|found| found.message).collect();
    // A label that is no string is refused, and one finding says so.
    let label = "`a` must be a string, but Kubernetes reads `yes` as `true`";
    assert_eq!(messages, ["Kubernetes reads the key `on` as `true`", label]);
}

#[test]
fn a_type_beside_int_or_string_is_told_with_what_it_does() {
    use Applicability::Safe;
    let either = "x-kubernetes-int-or-string: true";
    let line = format!("a: {{{either}, type: string}}");
    let wanted = ("KC209", format!("a: {{{either}}}"), Safe);
    assert_eq!(repaired(&line), wanted);
    for field in
        [format!("a: {{{either}, type: string, format: byte}}"), format!("a: {{{either}, type: object}}")]
    {
        let found = found(&definition(&field));
        assert!(found.iter().all(|it| it.code != "KC209" || it.fix.is_none()), "{found:#?}");
        assert!(found.iter().any(|it| it.code == "KC209"));
    }
    assert_eq!(found(&definition(&format!("a: {{{either}}}"))), []);
}

#[test]
fn between_rules_a_list_that_is_an_int_or_a_string_is_told_to_crash_the_server() {
    let rule = "x-kubernetes-validations: [{rule: 'true'}]";
    let list = |above: &str, below: &str| {
        format!(
            "a: {{type: object, {above} properties: {{b: {{x-kubernetes-int-or-string: true, type: array, items: \
             {{type: string, {below} maxLength: 3}}}}}}}}"
        )
    };
    let crashes = |field: &str| {
        let found = found(&definition(field));
        let reported = found.iter().find(|found| found.code == "KC209").unwrap();
        reported.message.contains("crash")
    };
    let rule = format!("{rule},");
    assert!(crashes(&list(&rule, &rule)));
    for field in [list("", &rule), list(&rule, ""), list("", "")] {
        assert!(!crashes(&field), "{field}");
    }
}

#[test]
fn a_variable_that_is_an_optional_is_told() {
    let policy = |expression: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  \
             matchConstraints:\n    resourceRules: [{{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: \
             ['*']}}]\n  variables:\n  - {{name: o, expression: \"{expression}\"}}\n  validations:\n  - expression: 'true'\n"
        )
    };
    for expression in ["object.?a", "optional.of(1)", "object.?a.optMap(a, string(a))"] {
        let text = policy(expression);
        let found = found(&text);
        assert_eq!(found.len(), 1, "{expression}: {found:#?}");
        assert_eq!(found[0].code, "KP103");
        assert_eq!(&text[found[0].primary.span.to_range()], format!("\"{expression}\""));
    }
    for expression in ["object.?a.orValue(1)", "object.?a.hasValue()", "object.a", "[object.?a.orValue('')]"]
    {
        assert_eq!(found(&policy(expression)), [], "{expression}");
    }
}

#[test]
fn resources_that_no_request_has_are_reported_in_known_groups_only() {
    let policy = |groups: &str, resources: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  \
             matchConstraints:\n    resourceRules: [{{apiGroups: [{groups}], apiVersions: ['*'], operations: ['*'], \
             resources: [{resources}]}}]\n  validations:\n  - expression: 'true'\n"
        )
    };
    for (groups, resources, intended) in [
        ("apps", "deployment", "deployments"),
        ("apps", "Deployment/scale", "deployments/scale"),
        ("''", "Pod", "pods"),
        ("'', batch", "cronjob", "cronjobs"),
    ] {
        let found = found(&policy(groups, resources));
        assert_eq!(found.len(), 1, "{resources}: {found:#?}");
        assert_eq!(found[0].code, "KP104");
        assert_eq!(found[0].help.as_deref(), Some(&*format!("did you mean `{intended}`?")));
    }
    for (group, help) in [
        ("core", "write `\"\"`, the name of the core API group"),
        ("apps/v1", "write `apps`; versions belong into `apiVersions`"),
    ] {
        let found = found(&policy(group, "pods"));
        assert_eq!(found.len(), 1, "{group}: {found:#?}");
        assert_eq!((found[0].code, found[0].help.as_deref()), ("KP104", Some(help)));
    }
    for (groups, resources) in [
        ("apps", "deployments, '*'"),
        ("apps", "deployments/scale, '*/scale'"),
        ("'*'", "deployment"),
        ("apps, example.com", "deployment"),
        ("apps", "ponds"),
        ("apps, batch", "jobs"),
    ] {
        assert_eq!(found(&policy(groups, resources)), [], "{groups} {resources}");
    }
}
