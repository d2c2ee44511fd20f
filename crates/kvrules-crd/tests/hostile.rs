//! Whatever the input, an answer comes after little work, counted in bytes that are allocated.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

#[path = "../../../tests/src/allocations.rs"]
mod allocations;

use std::fmt::Write as _;

use kvrules_crd::{CheckReport, check_documents, estimate_costs};
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_syntax::parse_stream;

/// The bytes that any input may take.
const FOR_ALL: u64 = 1 << 20;
/// The bytes that each byte of an input may take: for each error up to 256 names are looked through for the one meant.
const FOR_EACH: u64 = 1_900;
/// The same where all of an input is expressions, of which each is parsed, checked and estimated.
const FOR_EACH_OF_RULES: u64 = 4_000;

fn checked(text: &str) -> CheckReport {
    checked_within(FOR_EACH, text)
}

fn checked_within(for_each: u64, text: &str) -> CheckReport {
    // The catalog of built-in types is inflated once, for all inputs.
    kvrules_kubernetes::types::kubernetes_groups();
    let (checked, bytes) = allocations::allocated_by(|| {
        let source = SourceFile::new(FileId(0), "crd.yaml", text);
        let stream = parse_stream(source.id(), source.text());
        let documents: Vec<_> = stream.documents.iter().collect();
        let checked = check_documents(&source, &documents);
        estimate_costs(&source, &documents);
        checked
    });
    let length = u64::try_from(text.len()).unwrap();
    assert!(bytes < FOR_ALL + for_each * length, "{bytes} bytes for {length}");
    checked
}

fn definition(spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: as.b.c}}\nspec:\n  group: b.c\n  \
         scope: Cluster\n  names: {{plural: as, kind: A}}\n  versions:\n  - name: v1\n    storage: true\n    served: true\n    \
         schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec: {spec}\n"
    )
}

fn with_rule(rule: &str) -> String {
    definition(&format!("{{type: object, x-kubernetes-validations: [{{rule: \"{rule}\"}}]}}"))
}

fn codes(checked: &CheckReport) -> Vec<&'static str> {
    checked.findings.iter().map(|found| found.code).collect()
}

#[test]
fn a_rule_of_a_megabyte_is_refused() {
    for rule in ["true || ".repeat(131_072) + "true", "(".repeat(1 << 20), "a".repeat(1 << 20)] {
        let checked = checked(&with_rule(&rule));
        assert!(codes(&checked).contains(&"KC302"), "{:?}", codes(&checked));
    }
}

#[test]
fn schemas_that_nest_ten_thousand_deep_are_passed_over() {
    let depth = 10_000;
    let flow = format!("{}{{type: string}}{}", "{type: array, items: ".repeat(depth), "}".repeat(depth));
    let json = definition("{}");
    let json: serde_json::Value = serde_yaml::from_str(&json).unwrap();
    let nested = format!(
        "{}{{\"type\":\"string\"}}{}",
        "{\"type\":\"array\",\"items\":".repeat(depth),
        "}".repeat(depth)
    );
    let json = json.to_string().replace("\"spec\":{}", &format!("\"spec\":{nested}"));
    for text in [definition(&flow), json] {
        assert!(checked(&text).findings.is_empty(), "the parser has told of it");
    }
}

#[test]
fn as_deep_as_the_parser_goes_is_looked_at() {
    let depth = 80;
    let flow = format!("{}{{type: string}}{}", "{type: array, items: ".repeat(depth), "}".repeat(depth));
    assert_eq!(checked(&definition(&flow)).findings, []);
}

#[test]
fn references_that_lead_in_a_circle_are_told_and_not_followed() {
    let spec = "{type: object, properties: {a: {$ref: '#/definitions/a'}}, definitions: {a: {$ref: '#/definitions/a'}}}";
    let checked = checked(&definition(spec));
    assert_eq!(codes(&checked), ["KC202"; 2]);
}

#[test]
fn aliases_that_multiply_are_too_large() {
    let mut spec = String::from(
        "\n            type: object\n            properties:\n              a0: &a0 {type: string}\n",
    );
    for level in 1..18 {
        let before = level - 1;
        let _ = writeln!(
            spec,
            "              a{level}: &a{level} {{type: object, properties: {{x: *a{before}, y: *a{before}}}}}"
        );
    }
    let checked = checked(&definition(&spec));
    assert_eq!(codes(&checked), ["KC101"], "{:?}", checked.findings.first());
}

#[test]
fn thousands_of_rules_that_are_too_dear_take_bounded_work() {
    let mut spec = String::from("{type: object, properties: {");
    for at in 0..2_000 {
        let _ = write!(
            spec,
            "p{at}: {{type: array, items: {{type: array, items: {{type: string}}}}, x-kubernetes-validations: [{{rule: \
             'self.all(x, x.all(y, y.matches(\"a\")))'}}]}}, "
        );
    }
    spec.push_str("}}");
    let checked = checked_within(FOR_EACH_OF_RULES, &definition(&spec));
    assert!(checked.findings.len() >= 2_000, "{}", checked.findings.len());
}

/// Each takes more than a minute where the work grows with the square of the input.
#[test]
fn thousands_of_fields_values_and_mistakes_take_work_in_proportion() {
    let each =
        |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<Vec<_>>().join(", ");
    let listed = each(100_000, &|at| format!("v{at}"));
    let text =
        definition(&format!("{{type: object, properties: {{a: {{type: string, enum: [{listed}]}}}}}}"));
    assert_eq!(checked(&text).findings, []);

    let wrong = each(14_500, &|at| format!("p{at}: {{type: integer, default: x}}"));
    let text = definition(&format!("{{type: object, properties: {{{wrong}}}}}"));
    assert_eq!(codes(&checked(&text)), vec!["KC205"; 14_500]);

    let (spine, branch) =
        (each(4_500, &|at| format!("p{at}: {{type: string}}")), each(4_500, &|at| format!("q{at}: {{}}")));
    let text = definition(&format!(
        "{{type: object, properties: {{{spine}}}, anyOf: [{{properties: {{{branch}}}}}]}}"
    ));
    assert_eq!(codes(&checked(&text)), vec!["KC207"; 4_500]);

    let (spine, branches) = (
        each(1_500, &|at| format!("p{at}: {{type: string}}")),
        each(1_500, &|at| format!("{{properties: {{q{at}: {{}}}}}}")),
    );
    let text = definition(&format!("{{type: object, properties: {{{spine}}}, anyOf: [{branches}]}}"));
    assert_eq!(codes(&checked(&text)), vec!["KC207"; 1_500]);
}

#[test]
fn what_is_empty_or_broken_or_no_text_is_answered() {
    for text in [
        "",
        "kind: CustomResourceDefinition",
        "\u{0}\u{1}\u{2}",
        "kind: ValidatingAdmissionPolicy\nspec: 3\n",
        "[]",
    ] {
        checked(text);
    }
    let half = definition("{type: object, properties: {a: {type: string");
    assert!(checked(&half).findings.is_empty());
}

#[test]
fn any_place_of_a_definition_may_hold_anything() {
    let values = ["~", "3", "x", "[]", "{}", "[[]]", "{a: {b: []}}", "true", "*x", "''", "-1e400", "[~]"];
    let text = definition(
        "{type: object, properties: {a: {type: string, enum: [a], default: a}}, required: [a], anyOf: [{required: [a]}], \
         x-kubernetes-validations: [{rule: self.a == 'b', message: m, reason: FieldValueInvalid, fieldPath: .a}]}",
    );
    let marks: Vec<usize> = text.match_indices(": ").map(|(at, _)| at + 2).collect();
    for at in marks {
        let end = text[at..].find(['\n', ',', '}']).map_or(text.len(), |end| at + end);
        for value in values {
            let mut changed = text.clone();
            changed.replace_range(at..end, value);
            checked(&changed);
        }
    }
}
