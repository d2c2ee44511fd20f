//! Restatements of single keywords: schema in, structural schema and notes out.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::needless_pass_by_value,
    reason = "tests"
)]

use kvrules_diagnostics::{Exactness, FileId};
use kvrules_import::{ImportNoteKind, ImportOptions, ImportedSchema, import_document};
use serde_json::{Value, json};

fn imported(schema: &Value) -> ImportedSchema {
    let text = schema.to_string();
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    import_document(&stream.documents[0], &ImportOptions::default()).unwrap()
}

/// Returns the restated schema of a field, and the notes on it.
fn field(schema: Value) -> (Value, Vec<(ImportNoteKind, Exactness)>) {
    let imported = imported(&json!({"properties": {"f": schema}}));
    let notes = imported.notes.iter().map(|note| (note.kind, note.effect)).collect();
    (imported.schema["properties"]["f"].clone(), notes)
}

#[test]
fn what_has_another_form_is_restated_exactly() {
    let cases = [
        (json!({"const": "a"}), json!({"type": "string", "enum": ["a"]})),
        (json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true})),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            json!({"type": "integer", "nullable": true}),
        ),
        (
            json!({"type": ["integer", "string"], "minimum": 1}),
            json!({"x-kubernetes-int-or-string": true, "minimum": 1}),
        ),
        (json!({"type": "integer", "minimum": 0.5}), json!({"type": "integer", "minimum": 1})),
        (json!({"type": "integer", "exclusiveMaximum": 2.5}), json!({"type": "integer", "maximum": 2})),
        (
            json!({"type": "integer", "exclusiveMinimum": 3}),
            json!({"type": "integer", "minimum": 3, "exclusiveMinimum": true}),
        ),
        (json!({"type": "integer", "multipleOf": 1.5}), json!({"type": "integer", "multipleOf": 3})),
        (
            json!({"allOf": [{"type": "number", "minimum": 1}, {"type": "integer", "maximum": 5}]}),
            json!({"type": "integer", "minimum": 1, "maximum": 5}),
        ),
        (
            json!({"oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}),
            json!({"type": "string", "enum": ["a", "b"]}),
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
            json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
        ),
        (json!({"type": "integer", "format": "int32"}), json!({"type": "integer", "format": "int32"})),
        (json!({"type": "object"}), json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
        (
            json!({"type": "string", "pattern": r"^\u0041$"}),
            json!({"type": "string", "pattern": r"^\x{41}$"}),
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(field(source.clone()), (expected, vec![]), "{source}");
    }
}

#[test]
fn alternatives_of_one_type_have_it_beside_them() {
    let source = json!({"anyOf": [
        {"type": "string", "pattern": "^a", "description": "one"},
        {"type": "string", "maxLength": 3},
    ]});
    let expected = json!({"type": "string", "anyOf": [{"pattern": "^a"}, {"maxLength": 3}]});
    assert_eq!(field(source), (expected, vec![]));
    let objects = json!({"type": "object", "properties": {"kind": {"type": "string"}}, "oneOf": [
        {"properties": {"kind": {"const": "a"}, "a": {"type": "integer", "minimum": 1}}, "required": ["a"]},
        {"properties": {"kind": {"const": "b"}, "a": {"type": "integer"}}},
    ]});
    let expected = json!({
        "type": "object",
        "properties": {"kind": {"type": "string"}, "a": {"type": "integer"}},
        "oneOf": [
            {"properties": {"kind": {"enum": ["a"]}, "a": {"minimum": 1}}, "required": ["a"]},
            {"properties": {"kind": {"enum": ["b"]}}},
        ],
    });
    assert_eq!(field(objects), (expected, vec![]));
}

#[test]
fn conditions_become_alternatives() {
    let source = json!({
        "type": "object",
        "properties": {"tls": {"type": "boolean"}, "port": {"type": "integer"}},
        "if": {"properties": {"tls": {"const": true}}, "required": ["tls"]},
        "then": {"properties": {"port": {"const": 443}}},
    });
    let (schema, notes) = field(source);
    let then = json!({"properties": {"port": {"enum": [443]}}});
    let not = json!({"not": {"properties": {"tls": {"enum": [true]}}, "required": ["tls"]}});
    assert_eq!((schema["anyOf"].clone(), notes), (json!([not, then]), vec![]));
}

#[test]
fn rules_say_what_keywords_cannot() {
    let rule = |schema: Value| {
        let (schema, notes) = field(schema);
        assert_eq!(notes, [(ImportNoteKind::Cel, Exactness::Exact)]);
        schema["x-kubernetes-validations"][0]["rule"].as_str().unwrap().to_owned()
    };
    let text = json!({"type": "string"});
    let fields = json!({"a": text, "b-c": text});
    let needs = json!({"type": "object", "properties": fields, "dependentRequired": {"a": ["b-c"]}});
    assert_eq!(rule(needs), "!has(self.a) || has(self.b__dash__c)");
    let old = json!({"type": "object", "properties": fields, "dependencies": {"a": ["b-c"]}});
    assert_eq!(rule(old), "!has(self.a) || has(self.b__dash__c)");
    assert_eq!(rule(json!({"type": "number", "minimum": 0.5})), "self >= 0.5");
    let keys =
        json!({"type": "object", "additionalProperties": text, "propertyNames": {"pattern": "^[a-z]+$"}});
    assert_eq!(rule(keys), "self.all(key, key.matches('^[a-z]+$'))");
    let chosen = json!({"type": "object", "patternProperties": {"^x-": text}, "additionalProperties": false});
    assert_eq!(rule(chosen), "self.all(key, key.matches('^x-'))");
    let counted = json!({"type": "array", "items": {"type": "integer"}, "maxItems": 9,
        "contains": {"minimum": 5}, "minContains": 2});
    assert_eq!(rule(counted), "self.filter(x, x >= 5).size() >= 2");
}

#[test]
fn a_rule_that_is_too_dear_is_a_loss() {
    let source = json!({"type": "array", "items": {"type": "string"}, "contains": {"pattern": "^a"}, "minContains": 2});
    let (schema, notes) = field(source);
    assert_eq!(notes, [(ImportNoteKind::Loss, Exactness::Wider)]);
    assert_eq!(schema, json!({"type": "array", "items": {"type": "string"}}));
}

#[test]
fn what_cannot_be_said_is_declared() {
    let cases = [
        (json!({"type": "string", "pattern": "(?=a)"}), Exactness::Wider),
        (json!({"type": "string", "format": "uri-reference"}), Exactness::Wider),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
            Exactness::Wider,
        ),
        (json!({"type": ["string", "number"]}), Exactness::Narrower),
        (json!({"type": "array", "prefixItems": [{"type": "string"}]}), Exactness::Wider),
        (json!({"type": ["string", "null"], "enum": ["a", null]}), Exactness::Narrower),
        (json!({"minLength": 2}), Exactness::Narrower),
    ];
    for (source, effect) in cases {
        let notes = field(source.clone()).1;
        assert!(notes.contains(&(ImportNoteKind::Loss, effect)), "{source}: {notes:?}");
    }
}

#[test]
fn a_default_that_its_schema_refuses_is_left_out() {
    let (schema, notes) = field(json!({"type": "integer", "minimum": 3, "default": 2}));
    assert_eq!(
        (schema, notes),
        (json!({"type": "integer", "minimum": 3}), vec![(ImportNoteKind::Mistake, Exactness::Exact)])
    );
    let kept = json!({"type": "integer", "minimum": 3, "default": 4});
    assert_eq!(field(kept.clone()), (kept, vec![]));
}

#[test]
fn notes_stand_where_their_keywords_stand() {
    let text = "type: object\nproperties:\n  a:\n    type: string\n    format: regex\n";
    let stream = kvrules_syntax::parse_stream(FileId(0), text);
    let imported = import_document(&stream.documents[0], &ImportOptions::default()).unwrap();
    assert_eq!(&text[imported.notes[0].span.to_range()], "regex");
}

#[test]
fn one_of_several_schemas_is_chosen_and_put_below_a_field() {
    let text = json!({"openapi": "3.0.0", "components": {"schemas": {
        "Size": {"type": "integer", "nullable": true},
        "Box": {"type": "object", "properties": {"size": {"$ref": "#/components/schemas/Size"}}},
    }}})
    .to_string();
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let options = ImportOptions {
        schema: Some("Box".to_owned()),
        under: Some("spec".to_owned()),
        ..ImportOptions::default()
    };
    let imported = import_document(&stream.documents[0], &options).unwrap();
    let spec = json!({"type": "object", "properties": {"size": {"type": "integer", "nullable": true}}});
    let expected = json!({"type": "object", "properties": {"spec": spec}, "required": ["spec"]});
    assert_eq!((imported.schema, imported.names.kind.as_deref()), (expected, Some("Box")));
}

#[test]
fn a_loss_in_a_condition_has_both_effects() {
    let branch =
        json!({"type": "object", "properties": {"b": {"type": "object", "propertyNames": {"maxLength": 2}}}});
    let both = json!({"type": "object", "properties": {"b": {"type": "object"}}, "if": branch,
        "then": {"required": ["a"]}, "else": {"required": ["c"]}});
    let effects = |schema: &Value| {
        let imported = imported(schema);
        imported
            .notes
            .iter()
            .map(|note| note.effect)
            .filter(|effect| *effect != Exactness::Exact)
            .collect::<Vec<_>>()
    };
    let properties = json!({"a": {"type": "string"}, "b": {"type": "object"}, "c": {"type": "string"}});
    let with_properties = |mut schema: Value| {
        schema["properties"] = properties.clone();
        schema
    };
    assert_eq!(effects(&with_properties(both.clone())), [Exactness::Incomparable]);
    let mut then_only = both;
    then_only.as_object_mut().unwrap().remove("else");
    assert_eq!(effects(&with_properties(then_only)), [Exactness::Narrower]);
}
