//! Schemas that contain themselves, multiply, nest without end, or are none: an error with its reason, after little work, counted in bytes that are allocated.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "../../../tests/src/allocations.rs"]
mod allocations;

use std::fmt::Write as _;

use kvrules_diagnostics::FileId;
use kvrules_import::{ImportOptions, ImportedForm, import_document};

/// The bytes that any input may take, and those for each of its own.
const ALLOWED: (u64, u64) = (256 << 20, 2_000);

/// The first error, which must come after little work.
fn refused(text: &str) -> String {
    let (problems, bytes) = allocations::allocated_by(|| {
        let stream = kvrules_syntax::parse_stream(FileId(0), text);
        import_document(&stream.documents[0], &ImportOptions::default()).unwrap_err()
    });
    let length = u64::try_from(text.len()).unwrap();
    assert!(bytes < ALLOWED.0 + ALLOWED.1 * length, "{bytes} bytes for {length}");
    problems[0].message.clone()
}

#[test]
fn a_schema_that_contains_itself_is_refused_with_the_way_back() {
    let cycle = r##"{"$ref": "#/$defs/a", "$defs": {
        "a": {"properties": {"b": {"$ref": "#/$defs/b"}}},
        "b": {"items": {"$ref": "#/$defs/a"}}}}"##;
    assert_eq!(refused(cycle), "recursive schema: #/$defs/a → #/$defs/b → #/$defs/a");
    let itself = r##"{"properties": {"child": {"$ref": "#"}}}"##;
    assert_eq!(refused(itself), "recursive schema: # → #");
    let bare = r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}"##;
    assert_eq!(refused(bare), "recursive schema: #/$defs/a → #/$defs/a");
}

#[test]
fn references_that_multiply_end_in_an_error() {
    let mut text = String::from(r##"{"$ref": "#/$defs/a30", "$defs": {"a0": {"type": "string"}"##);
    for level in 1..=30 {
        let below = level - 1;
        write!(
            text,
            r##", "a{level}": {{"properties": {{"x": {{"$ref": "#/$defs/a{below}"}}, "y": {{"$ref": "#/$defs/a{below}"}}}}}}"##
        )
        .unwrap();
    }
    text.push_str("}}");
    assert_eq!(refused(&text), "the schema has more than 50000 nodes when its references are written out");
}

#[test]
fn conditions_that_multiply_end_in_an_error() {
    let mut text = String::from(r#"{"properties": {"a": {"type": "string"}}}"#);
    for _ in 0..40 {
        text = format!(
            r#"{{"type": "object", "if": {text}, "then": {{"required": ["a"]}}, "else": {{"required": ["b"]}}}}"#
        );
    }
    assert_eq!(refused(&text), "the schema has more than 50000 nodes when its references are written out");
}

#[test]
fn nesting_without_end_is_an_error() {
    let deep = format!("{}{}", r#"{"items": "#.repeat(10_000), "}".repeat(10_000));
    assert_eq!(refused(&deep), "lists and maps nest too deep");
    let mut chain = String::from(r##"{"$ref": "#/$defs/a0", "$defs": {"a9999": {}"##);
    for level in 0..9_999 {
        write!(chain, r##", "a{level}": {{"items": {{"$ref": "#/$defs/a{}"}}}}"##, level + 1).unwrap();
    }
    chain.push_str("}}");
    assert_eq!(refused(&chain), "the schema nests deeper than 100 when its references are written out");
}

#[test]
fn aliases_that_explode_are_an_error() {
    let mut text = String::from("a0: &a0 {type: string}\n");
    for level in 1..40 {
        let below = level - 1;
        writeln!(text, "a{level}: &a{level} {{properties: {{x: *a{below}, y: *a{below}}}}}").unwrap();
    }
    text.push_str("properties: {top: *a39}\n");
    let reported = refused(&text);
    let known = ["the schema has more than 50000 nodes", "aliases expand", "lists and maps nest too deep"];
    assert!(known.iter().any(|known| reported.starts_with(known)), "{reported}");
}

#[test]
fn what_is_no_schema_is_refused() {
    let none = "this is neither a JSON Schema nor an OpenAPI document";
    assert_eq!(refused("name: Anna\nage: 7\n"), none);
    assert_eq!(refused("[1, 2]"), none);
    assert_eq!(refused("just words"), none);
    assert_eq!(refused(r#"{"type": "string"}"#), "no object satisfies the schema");
    assert!(refused("{\"type\": \"object\"").starts_with("this is neither YAML nor JSON"));
    let two = r#"{"openapi": "3.1.0", "components": {"schemas": {"A": {}, "B": {}}}}"#;
    assert_eq!(refused(two), "there are 2 schemas in it");
}

#[test]
fn references_that_cannot_be_followed_are_named() {
    let to = |reference: &str| refused(&format!(r#"{{"properties": {{"a": {{"$ref": "{reference}"}}}}}}"#));
    assert_eq!(to("https://example.com/b.json"), "`https://example.com/b.json` points to another document");
    assert_eq!(to("other.json#/a"), "`other.json#/a` points to another document");
    assert_eq!(to("#anchor"), "unresolved reference `#anchor`");
    assert_eq!(to("#/$defs/none"), "unresolved reference `#/$defs/none`");
    let dynamic = r##"{"properties": {"a": {"$dynamicRef": "#a"}}}"##;
    assert_eq!(refused(dynamic), "`$dynamicRef` cannot be followed");
}

/// Rules at places so deep that formulas seen from the object are too large to prove anything: they stay expressions, after little work.
#[test]
fn rules_at_deep_places_stay_expressions() {
    let mut schema = serde_json::json!({"type": "integer"});
    for _ in 0..120 {
        let rules = serde_json::json!([{"rule": "has(self.a) && (!has(self.k) || self.k > 3)"}]);
        schema = serde_json::json!({"type": "object", "x-kubernetes-validations": rules,
            "properties": {"k": {"type": "integer"}, "a": schema}});
    }
    let root = serde_json::json!({"type": "object", "properties": {"spec": schema}});
    let definition = serde_json::json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Pond", "plural": "ponds"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": root}}]}});
    let (imported, bytes) = allocations::allocated_by(|| {
        kvrules_import::import_definition_rules(&definition, Some("ponds.yaml"))
    });
    let rules = &imported[0].rules;
    let in_words = rules.iter().filter(|rule| rule.form == ImportedForm::Words).count();
    assert!(rules.len() == 120 && (5..=40).contains(&in_words), "{in_words}");
    let reason = "its place is too deep for a proof that words say the same";
    assert_eq!(rules[119].form, ImportedForm::Cel(reason.to_owned()));
    assert!(bytes < 40 << 30, "{bytes}");
}
