//! Findings are at the location of the error, also within expressions that are folded, quoted or indented.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

use kvrules_crd::{CheckReport, check_documents};
use kvrules_diagnostics::{Diagnostic, FileId, SourceFile};
use kvrules_syntax::parse_stream;
use kvrules_syntax::templated::Template;

fn checked(text: &str) -> CheckReport {
    let source = SourceFile::new(FileId(0), "crd.yaml", text);
    let stream = parse_stream(source.id(), source.text());
    let documents: Vec<_> = stream.documents.iter().collect();
    check_documents(&source, &documents)
}

/// Returns the text at the location of a finding, and its message.
fn shown<'t>(text: &'t str, found: &'t Diagnostic) -> (&'t str, &'t str) {
    (&text[found.primary.span.to_range()], &found.message)
}

fn indented(text: &str, by: usize) -> String {
    let blanks = " ".repeat(by);
    text.lines().flat_map(|line| [blanks.as_str(), line, "\n"]).collect()
}

/// A definition with a body for `spec` of its only version, indented as that asks.
fn definition(spec: &str) -> String {
    let spec = indented(spec, 14);
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: ponds.example.com}}\n\
         spec:\n  group: example.com\n  scope: Cluster\n  names: {{plural: ponds, kind: Pond}}\n  versions:\n    - name: v1\n\
         \x20     served: true\n      storage: true\n      schema:\n        openAPIV3Schema:\n          type: object\n\
         \x20         properties:\n            spec:\n{spec}"
    )
}

const FIELDS: &str = "type: object\nproperties:\n  depth: {type: integer}\n  name: {type: string}\n";

#[test]
fn a_mistake_in_an_expression_is_told_within_it_however_it_is_written() {
    let ways = [
        "- rule: self.depth > 0 && self.nmae == 'é'",
        "- rule: 'self.name == ''é'' && self.nmae == \"\"'",
        "- rule: \"self.name == \\\"\\u00e9\\\" && self.nmae == ''\"",
        "- rule: |\n    self.depth > 0 &&\n      self.nmae == ''\n  message: m",
        "- rule: >-\n    self.depth > 0 &&\n\n    self.nmae == ''\n  message: m",
        "- rule: self.depth > 0 &&\n    self.nmae == ''",
    ];
    for way in ways {
        let rules = indented(way, 2);
        let text = definition(&format!("{FIELDS}x-kubernetes-validations:\n{rules}"));
        let found = checked(&text).findings;
        assert_eq!(found.len(), 1, "{way}: {found:#?}");
        assert_eq!(shown(&text, &found[0]), (".nmae", "undefined field `nmae`"), "{way}");
        assert_eq!(found[0].help.as_deref(), Some("did you mean `name`?"));
    }
}

#[test]
fn mistakes_of_every_kind_are_told_at_once() {
    let text = definition(
        "type: object\nx-kubernetes-validations:\n  - rule: self.depth >\n  - rule: self.depth > 'a'\nproperties:\n  \
         depth: {type: integer, default: x, pattern: '(?=a)', const: 1}\n  list: {type: array}\n  set: {type: array, \
         x-kubernetes-list-type: map, items: {type: string}}\n",
    );
    let codes: Vec<_> = checked(&text).findings.iter().map(|found| found.code).collect();
    for kind in ["KC302", "KC205", "KC204", "KC203", "KC201", "KC206"] {
        assert!(codes.contains(&kind), "{kind:?} is not among {codes:?}");
    }
}

#[test]
fn resources_are_found_in_lists_and_in_many_documents() {
    let one = definition(FIELDS);
    let json = serde_json::to_string(&serde_yaml::from_str::<serde_json::Value>(&one).unwrap()).unwrap();
    let list = format!("{{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [{json}, {json}]}}");
    let found = checked(&format!("{one}---\nkind: Other\n---\n{one}"));
    assert_eq!((found.rules.len(), found.findings.len()), (2, 0), "{:?}", found.findings);
    let found = checked(&list);
    assert_eq!((found.rules.len(), found.findings.len()), (2, 0), "{:?}", found.findings);
}

#[test]
fn every_version_is_looked_at_and_an_alias_once() {
    let text = definition("&spec\ntype: object\nproperties:\n  a: {description: no type}\n")
        + "    - name: v2\n      served: true\n      storage: false\n      schema:\n        openAPIV3Schema:\n          \
           type: object\n          properties: {spec: *spec, other: {}}\n";
    let found = checked(&text).findings;
    let places: Vec<_> = found.iter().map(|found| shown(&text, found)).collect();
    assert_eq!(places, [("a", "`spec.a` has no `type`"), ("other", "`other` has no `type`")]);
}

#[test]
fn the_variables_and_expressions_of_policies_are_looked_at() {
    let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  \
                matchConstraints: {resourceRules: [{apiGroups: [a.b], apiVersions: [v1], operations: [CREATE], resources: \
                [ponds]}]}\n  variables:\n    - name: count\n      expression: size(object.spec.list)\n  validations:\n    - \
                expression: |\n\n        variables.cuont > 3 &&\n          object.x\n      message: m\n";
    let found = checked(text).findings;
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(shown(text, &found[0]), (".cuont", "undefined field `cuont`"));
    assert_eq!(found[0].help.as_deref(), Some("did you mean `count`?"));
}

#[test]
fn in_a_template_nothing_is_said_that_its_tags_could_disprove() {
    let text = definition(
        "type: object\nproperties:\n  a: {{ toYaml .Values.a }}\n  b: {type: string, pattern: '(?=a)'}\n",
    );
    let template = Template::from_source(&text).unwrap();
    let source = SourceFile::new(FileId(0), "crd.yaml", text.as_str());
    let stream = template.parse(source.id());
    let documents: Vec<_> = stream.documents.iter().collect();
    let found = check_documents(&source, &documents).findings;
    assert_eq!(found.iter().map(|found| found.code).collect::<Vec<_>>(), ["KC204"], "{found:?}");
}
