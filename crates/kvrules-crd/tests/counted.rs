//! Each expression of a definition is parsed once and, for places that declare the same, checked once. The counts are those of the process, so this is the only test here.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use kvrules_cel::work;
use kvrules_crd::{
    KubernetesVersions, RunResources, StoredResources, check_documents, check_in_run, estimate_costs,
};
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_syntax::parse_stream;

/// Expressions of [`version`]; `self > 0` stands on two nodes.
const EXPRESSIONS: u64 = 6;
/// Those that parse. The two nodes with `self > 0` declare the same, and so do the versions.
const CHECKED: u64 = 5;

/// Returns a version with defaults that rules see, an expression over the budget, one that does not parse and one of a wrong type.
fn version(name: &str, description: &str) -> String {
    format!(
        r"  - name: {name}
    served: true
    storage: {is_first}
    schema:
      openAPIV3Schema:
        type: object
        description: {description}
        properties:
          spec:
            type: object
            default: {{min: 1}}
            x-kubernetes-validations:
            - rule: self.min > 0
            properties:
              min: {{type: integer, default: 1, x-kubernetes-validations: [{{rule: self > 0}}]}}
              max: {{type: integer, x-kubernetes-validations: [{{rule: self > 0}}]}}
              l:
                type: array
                items: {{type: string}}
                x-kubernetes-validations:
                - rule: self.all(x, self.all(y, x + y != 'a'))
                  messageExpression: ('bad ' + string(size(self)))
              b: {{type: integer, x-kubernetes-validations: [{{rule: self >}}]}}
              t: {{type: integer, x-kubernetes-validations: [{{rule: self.x == 1}}]}}
",
        is_first = name == "v1"
    )
}

fn definition(versions: &[String]) -> String {
    let head = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
  versions:
";
    format!("{head}{}", versions.concat())
}

/// Returns the number of parses and checks that some work takes.
fn counted<T>(work: impl FnOnce() -> T) -> (T, u64, u64) {
    let before = (work::parses(), work::checks());
    let result = work();
    (result, work::parses() - before.0, work::checks() - before.1)
}

#[test]
fn each_expression_of_a_definition_is_parsed_and_checked_once() {
    let one = vec![version("v1", "one")];
    let same = vec![version("v1", "one"), version("v2", "one")];
    let other = vec![version("v1", "one"), version("v2", "two"), version("v3", "two")];
    for versions in [one, same, other] {
        let source = SourceFile::new(FileId(0), "crd.yaml", definition(&versions));
        let stream = parse_stream(source.id(), source.text());
        let documents: Vec<_> = stream.documents.iter().collect();
        let (checked, parses, checks) = counted(|| check_documents(&source, &documents));
        assert_eq!((parses, checks), (EXPRESSIONS, CHECKED), "{} versions", versions.len());
        // The rule and its message are over their budgets.
        for (code, wanted) in [("KC304", 2), ("KC302", 1), ("KC303", 1)] {
            let found = checked.findings.iter().filter(|finding| finding.code == code).count();
            assert_eq!(found, wanted * versions.len(), "{code}: {:#?}", checked.findings);
        }
        let (costs, parses, checks) = counted(|| estimate_costs(&source, &documents));
        assert_eq!((parses, checks), (EXPRESSIONS, CHECKED), "{} versions", versions.len());
        let rules =
            costs.iter().flat_map(|definition| &definition.versions).flat_map(|version| &version.rules);
        let bounded = rules.filter(|rule| rule.is_over() && !rule.bounds.is_empty()).count();
        assert_eq!(bounded, versions.len());
    }
    every_server_costs_at_most_five_times_as_much_as_one();
}

/// Checks for all servers parse and check what differs between them, and nothing else again.
fn every_server_costs_at_most_five_times_as_much_as_one() {
    let rules = [
        "has(self.a) && self.a != 'x'",
        "isCIDR(self.a)",
        "self.?a.orValue('') != ''",
        "self.l.all(x, x.matches('^a'))",
        "quantity(self.a).isGreaterThan(quantity('1'))",
        "self.l.all(i, x, i < 3 || x != '')",
    ];
    let rules = rules.map(|rule| format!("            - rule: \"{rule}\"\n")).concat();
    let version = format!(
        "  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n\
         \x20       properties:\n          spec:\n            type: object\n            required: [a]\n            properties:\n\
         \x20             a: {{type: string, maxLength: 40}}\n\
         \x20             l: {{type: array, maxItems: 10, items: {{type: string, maxLength: 40}}}}\n\
         \x20           x-kubernetes-validations:\n{rules}"
    );
    let source = SourceFile::new(FileId(0), "crd.yaml", definition(&[version]));
    let stream = parse_stream(source.id(), source.text());
    let documents: Vec<_> = stream.documents.iter().collect();
    let (_, parses, checks) = counted(|| check_documents(&source, &documents));
    let all = RunResources::default().with_versions(KubernetesVersions::all_known());
    let stored = StoredResources::default();
    let (found, all_parses, all_checks) = counted(|| check_in_run(&source, &documents, &stored, &all));
    assert!(found.findings.iter().any(|finding| finding.code == "KC104"), "{:#?}", found.findings);
    assert!(all_parses <= 3 * parses, "{all_parses} parses instead of {parses}");
    // For one server the lints of sense check nothing again.
    assert!(all_checks <= 5 * checks, "{all_checks} checks instead of {checks}");
    println!("parses {parses} and {all_parses}, checks {checks} and {all_checks}");
}
