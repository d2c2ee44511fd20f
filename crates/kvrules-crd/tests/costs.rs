//! The bounds that are found are the widest that will do, and writing them leaves every other byte alone.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_crd::{DefinitionCost, Headroom, costs_with};
use kvrules_diagnostics::{Edit, FileId, SourceFile};
use kvrules_syntax::edit::apply_edits;
use kvrules_syntax::parse_stream;

fn priced(text: &str) -> Vec<DefinitionCost> {
    let source = SourceFile::new(FileId(0), "crd.yaml", text);
    let stream = parse_stream(source.id(), source.text());
    let documents: Vec<_> = stream.documents.iter().collect();
    costs_with(&source, &documents, Headroom::from_percent(0).into())
}

fn is_over(costs: &[DefinitionCost]) -> bool {
    let mut versions = costs.iter().flat_map(|definition| &definition.versions);
    versions.any(|version| version.is_over() || version.rules.iter().any(kvrules_crd::RuleCost::is_over))
}

fn edits(costs: &[DefinitionCost]) -> Vec<Edit> {
    costs
        .iter()
        .flat_map(|definition| &definition.versions)
        .flat_map(|version| version.edits.clone())
        .collect()
}

fn definition(spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: a.b}}\nspec:\n  versions:\n  - \
         name: v1\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec: {spec}\n"
    )
}

/// Schemas with rules that are too dear, by what makes them so.
const DEAR: [&str; 8] = [
    // A text of any length.
    "{type: object, properties: {s: {type: string}, l: {type: array, items: {type: string}}}, x-kubernetes-validations: \
     [{rule: 'self.l.all(x, x.contains(self.s))'}]}",
    // A rule below a list.
    "{type: object, properties: {l: {type: array, items: {type: string, x-kubernetes-validations: [{rule: \
     'self.matches(\"^[a-z]+$\")'}]}}}}",
    // Below a list of lists, one of them bounded.
    "{type: array, maxItems: 9, items: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: 'self > 1 && \
     self < 9 && self != 5 && self != 6 && self != 7'}]}}}",
    // A map.
    "{type: object, additionalProperties: {type: string}, x-kubernetes-validations: [{rule: 'self.all(k, \
     self[k].matches(\"^[a-z]+$\"))'}]}",
    // The expression of a message.
    "{type: object, properties: {l: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: \
     'size(self.l) > 0', messageExpression: 'self.l.exists(x, \
     x.matches(\"^[a-z]+$\")) ? \"a\" : \"b\"'}]}",
    // Loops in loops.
    "{type: object, properties: {l: {type: array, items: {type: array, items: {type: integer}}}}, \
     x-kubernetes-validations: [{rule: 'self.l.all(a, a.all(b, self.l.exists(c, b in c)))'}]}",
    // Bounds that are there and too wide.
    "{type: object, properties: {l: {type: array, maxItems: 100000, items: {type: string, maxLength: 10000}}}, \
     x-kubernetes-validations: [{rule: 'self.l.all(x, x.matches(\"^[a-z]+$\"))'}]}",
    // Two rules that share a list.
    "{type: object, properties: {l: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: \
     'self.l.all(x, x.matches(\"^[a-z]+$\"))'}, {rule: 'self.l.all(x, self.l.all(y, x.contains(y) || x == y))'}]}",
];

#[test]
fn with_the_bounds_nothing_is_too_dear_and_with_one_raised_by_one_something_is() {
    for spec in DEAR {
        let text = definition(spec);
        let before = priced(&text);
        assert!(is_over(&before), "{spec}");
        let edits = edits(&before);
        assert!(!edits.is_empty(), "no bounds for {spec}");
        let bounded = apply_edits(&text, &edits).unwrap();
        assert!(!is_over(&priced(&bounded)), "{bounded}");
        for (at, edit) in edits.iter().enumerate() {
            let number: String = edit.replacement.chars().filter(char::is_ascii_digit).collect();
            let more = (number.parse::<u64>().unwrap() + 1).to_string();
            let mut raised = edits.clone();
            raised[at].replacement = edit.replacement.replace(&number, &more);
            let raised = apply_edits(&text, &raised).unwrap();
            assert!(is_over(&priced(&raised)), "a bound can be raised to {more}: {bounded}");
        }
    }
}

#[test]
fn bounds_are_put_in_and_no_other_byte_moves() {
    for spec in DEAR {
        let text = definition(spec);
        let edits = edits(&priced(&text));
        let mut bounded = apply_edits(&text, &edits).unwrap();
        let mut expected = text.clone();
        for edit in edits.iter().rev() {
            let range = edit.span.to_range();
            bounded = bounded.replacen(&edit.replacement, "", 1);
            expected.replace_range(range, "");
        }
        assert_eq!(bounded, expected);
    }
}

#[test]
fn a_rule_that_no_bound_helps_has_none() {
    let spec = "{type: object, properties: {i: {type: integer}}, x-kubernetes-validations: [{rule: 'string(self.i) + \"a\" == \
                \"b\"'}]}";
    let costs = priced(&definition(spec));
    let rule = &costs[0].versions[0].rules[0];
    assert!(rule.is_over() && rule.bounds.is_empty(), "{rule:?}");
}

#[test]
fn rules_that_are_too_dear_only_together_get_bounds_too() {
    let rule = "x-kubernetes-validations: [{rule: 'self.matches(\"^[a-z]+[0-9]+$\")'}]";
    let property = |at: usize| format!("p{at}: {{type: string, maxLength: 6000000, {rule}}}");
    let properties: Vec<_> = (0..20).map(property).collect();
    let text = definition(&format!("{{type: object, properties: {{{}}}}}", properties.join(", ")));
    let before = priced(&text);
    let version = &before[0].versions[0];
    assert!(version.is_over() && !version.rules.iter().any(kvrules_crd::RuleCost::is_over), "{version:?}");
    assert!(!version.bounds.is_empty(), "{version:?}");
    let bounded = apply_edits(&text, &edits(&before)).unwrap();
    assert!(!is_over(&priced(&bounded)), "{bounded}");
}
