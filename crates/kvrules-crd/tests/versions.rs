//! Definitions for the servers of several Kubernetes versions.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use kvrules_crd::{
    KubernetesVersions, RunResources, StoredResources, check_in_run, cost_matrix, find_oldest_versions,
};
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_syntax::parse_stream;

/// A definition with a rule about `self.s`, a string of 20 characters, and `self.l`, a list of them.
fn definition(rule: &str) -> String {
    format!(
        r"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: ponds.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: ponds, kind: Pond}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [s, l]
        properties:
          s: {{type: string, maxLength: 20}}
          l: {{type: array, maxItems: 5, items: {{type: string, maxLength: 20}}}}
        x-kubernetes-validations:
        - rule: {rule}
"
    )
}

/// The codes and messages of the findings about a definition, without hints about its sense.
fn check(text: &str, versions: &str, old: Option<&str>) -> Vec<String> {
    let source = SourceFile::new(FileId(0), "crd.yaml", text);
    let stream = parse_stream(source.id(), source.text());
    let documents: Vec<_> = stream.documents.iter().collect();
    let mut stored = StoredResources::default();
    if let Some(old) = old {
        let stream = parse_stream(FileId(1), old);
        stored.add_documents(&stream.documents.iter().collect::<Vec<_>>());
    }
    let versions: KubernetesVersions = versions.parse().unwrap();
    let run = RunResources::default().with_versions(versions);
    let found = check_in_run(&source, &documents, &stored, &run).findings;
    let errors = found.into_iter().filter(|it| it.code.starts_with("KC10") || it.code.starts_with("KC30"));
    errors
        .filter(|it| it.code != "KC307" && it.code != "KC308")
        .map(|it| format!("{} {}", it.code, it.message))
        .collect()
}

#[test]
fn one_finding_names_the_first_version_or_all_versions_of_a_cause() {
    for (rule, versions, wanted) in [
        ("isCIDR(self.s)", "1.28..1.36", vec!["KC104 needs Kubernetes 1.31 or newer: `isCIDR`"]),
        ("isCIDR(self.s)", "1.31..1.36", vec![]),
        (
            "quantity(self.s) == quantity('1')",
            "1.29..1.36",
            vec![
                "KC104 estimated rule cost exceeds the budget on 1.29 to 1.31 (more than 10,000 %), fits from 1.32",
            ],
        ),
        (
            "self.l.map(x, x + 'a').all(x, x != 'b')",
            "1.28,1.29,1.33",
            vec![
                "KC104 estimated rule cost exceeds the budget on 1.28 and 1.29 (more than 10,000 %), fits from 1.30",
            ],
        ),
        ("self.s.format([1]) == 'a'", "1.30..1.32", vec!["KC104 rejected by Kubernetes 1.31"]),
    ] {
        assert_eq!(check(&definition(rule), versions, None), wanted, "{rule} on {versions}");
    }
}

#[test]
fn findings_about_the_newest_server_count_for_those_that_share_them() {
    let rule = "\"self.?s.optMap(x, x + 'b').orValue('c') == 'd'\"";
    let newest = check(&definition(rule), "1.36", None);
    assert!(newest.len() == 1 && newest[0].starts_with("KC304 "), "{newest:?}");
    assert_eq!(check(&definition(rule), "1.30..1.32", None), [""; 0], "the estimate was low there");
    let some = check(&definition(rule), "1.32..1.34", None);
    assert!(some.len() == 1 && some[0].ends_with(" (on Kubernetes 1.33 and 1.34)"), "{some:?}");
}

#[test]
fn stored_expressions_keep_the_functions_of_their_server() {
    let (text, other) = (definition("isCIDR(self.s)"), definition("self.s != ''"));
    assert_eq!(check(&text, "1.30", Some(&text)), [""; 0]);
    let changed = text.replace("group: example.com", "group: example.com\n  preserveUnknownFields: false");
    assert_eq!(check(&changed, "1.30", Some(&text)), [""; 0]);
    let needs = "KC104 needs Kubernetes 1.31 or newer: `isCIDR`";
    assert_eq!(check(&text, "1.30", Some(&other)), [needs]);
}

#[test]
fn fields_that_are_ignored_are_counted() {
    let text = definition(
        "self.s != ''\n          reason: FieldValueForbidden\n          messageExpression: \"'no'\"",
    );
    let found = check(&text, "1.26..1.36", None);
    let wanted = [
        "KC105 `reason` is ignored before Kubernetes 1.28",
        "KC105 `messageExpression` is ignored before Kubernetes 1.27",
    ];
    assert_eq!(found, wanted);
    assert_eq!(check(&text, "1.28..1.36", None), [""; 0]);
}

#[test]
fn the_oldest_version_and_the_costs_are_those_of_the_servers() {
    let text = definition("self.s == 'a' || has(self.s)");
    let stream = parse_stream(FileId(0), &text);
    let documents: Vec<_> = stream.documents.iter().collect();
    let found = find_oldest_versions(&documents);
    assert_eq!((found[0].oldest, found[0].reasons.len()), ("1.25".parse().ok(), 0));
    let matrix = cost_matrix(&documents, "1.27..1.29".parse().unwrap());
    let costs: Vec<_> =
        matrix[0].versions[0].rules[0].estimates.iter().map(|(_, cost)| cost.unwrap()).collect();
    assert_eq!(costs, [3, 5, 4]);
    let text = definition("\"['a', 'b'].sort().size() == self.l.size()\"");
    let stream = parse_stream(FileId(0), &text);
    let found = find_oldest_versions(&stream.documents.iter().collect::<Vec<_>>());
    assert_eq!(found[0].reasons[0].message, "needs Kubernetes 1.35 or newer: `sort`");
}

const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: addresses}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [nets]}
  matchConditions:
  - {name: has-address, expression: has(object.spec.address)}
  validations:
  - expression: isIP(string(object.spec.address))
    message: must be an address
";

#[test]
fn policies_need_the_functions_and_the_api_of_their_servers() {
    assert_eq!(check(POLICY, "1.31..1.36", None), [""; 0]);
    let old = ["KC104 needs Kubernetes 1.31 or newer: `isIP`"];
    assert_eq!(check(POLICY, "1.30..1.36", None), old);
    // A stored expression may use what its server has.
    assert_eq!(check(POLICY, "1.30..1.36", Some(POLICY)), [""; 0]);
    let api = "KC104 needs Kubernetes 1.30 or newer: `admissionregistration.k8s.io/v1`";
    assert_eq!(check(POLICY, "1.28..1.36", None), [api, old[0]]);
    let beta = POLICY.replace("io/v1\n", "io/v1beta1\n");
    let found = check(&beta, "1.28..1.36", None);
    assert_eq!(
        found[0],
        "KC104 `admissionregistration.k8s.io/v1beta1` is not served by Kubernetes 1.34 to 1.36"
    );
    assert_eq!(check(&beta, "1.31..1.33", None), [""; 0]);
    // Without other versions the newest server decides.
    assert_eq!(
        check(&beta, "1.36", None),
        ["KC101 unsupported API version `admissionregistration.k8s.io/v1beta1`"]
    );
}

#[test]
fn the_oldest_version_of_a_policy_is_that_of_its_functions() {
    let oldest = |text: &str| {
        let stream = parse_stream(FileId(0), text);
        let found = find_oldest_versions(&stream.documents.iter().collect::<Vec<_>>());
        let reasons: Vec<_> = found[0].reasons.iter().map(|reason| reason.message.clone()).collect();
        (found[0].oldest.map(|version| version.to_string()).unwrap_or_default(), reasons)
    };
    let needs = |version: &str, what: &str| vec![format!("needs Kubernetes {version} or newer: `{what}`")];
    assert_eq!(oldest(POLICY), ("1.31".to_owned(), needs("1.31", "isIP")));
    let plain = POLICY.replace("isIP(string(object.spec.address))", "object.spec.address != ''");
    assert_eq!(oldest(&plain), ("1.30".to_owned(), needs("1.30", "admissionregistration.k8s.io/v1")));
    let asks = "authorizer.group('').resource('pods').fieldSelector('a=b').check('get').allowed()";
    let plain = POLICY.replace("isIP(string(object.spec.address))", asks);
    assert_eq!(oldest(&plain), ("1.32".to_owned(), needs("1.32", "fieldSelector")));
}
