//! Sentences and examples of the proposal of validation for custom resources.

use kvrules::import::{ImportOptions, import_schema, notes_to_diagnostics};
use kvrules::loss::Loss;
use kvrules::{FileId, SourceFile};
use kvrules_apiserver::definition::review_definition;
use kvrules_apiserver::object::ObjectSchema;
use serde_json::{Value, json};

fn codes(schema: &Value) -> Vec<&'static str> {
    let source = SourceFile::new(FileId(0), "schema.json", schema.to_string());
    kvrules::read_rules(&source).diagnostics.iter().map(|found| found.code).collect()
}

const DRAFT: &str = "http://json-schema.org/draft-04/schema#";

#[test]
fn no_value_satisfies_epsilon() {
    let zeta = json!({"type": "object", "properties": {"foo": {"type": "string"}}, "required": ["foo"],
        "additionalProperties": false});
    let closed = json!({"properties": {"type": {"enum": ["one", "two"]}}, "required": ["type"],
        "additionalProperties": false});
    let schema = |parts: Value| {
        json!({"$schema": DRAFT, "type": "object", "properties": {"epsilon": {"allOf": parts}},
            "definitions": {"zeta": zeta}})
    };
    let reference = json!({"$ref": "#/definitions/zeta"});
    assert_eq!(codes(&schema(json!([reference, closed]))), ["KS105"]);
    let mut open = closed;
    open.as_object_mut().unwrap().remove("additionalProperties");
    let validator = |schema: &Value| jsonschema::validator_for(schema).unwrap();
    let satisfied = json!({"epsilon": {"foo": "a", "type": "one"}});
    assert!(!validator(&schema(json!([reference, open]))).is_valid(&satisfied), "zeta is closed too");
}

/// The schema of the appendix, without the commas that JSON does not have.
fn two_versions() -> Value {
    let version = |name: &str, field: &str| {
        json!({"properties": {"version": {"type": "string", "pattern": format!("^{name}$")},
            "spec": {"type": "object", "properties": {field: {}}, "additionalProperties": false}}})
    };
    json!({"$schema": DRAFT, "title": "child_schema", "type": "object", "anyOf": [version("a", "foo"), version("b", "bar")]})
}

#[test]
fn the_schema_of_two_versions_judges_as_the_proposal_says() {
    let objects = [
        (json!({"version": "a", "spec": {"foo": 42}}), true),
        (json!({"version": "b", "spec": {"bar": 42}}), true),
        (json!({"version": "a", "spec": {"bar": 42}}), false),
    ];
    let schema = two_versions();
    assert_eq!(codes(&schema), Vec::<&str>::new());
    let validator = jsonschema::validator_for(&schema).unwrap();
    let source = SourceFile::new(FileId(0), "schema.json", schema.to_string());
    let imported = import_schema(&source, &ImportOptions::default()).unwrap();
    let server = ObjectSchema::new(&imported.schema).without_metadata_checks();
    for (object, valid) in objects {
        assert_eq!(validator.is_valid(&object), valid, "{object}");
        let answer = server.admit_object(&object, None);
        assert_eq!(answer.is_accepted(), valid, "{object}: {:?}", answer.errors);
    }
    let notes = notes_to_diagnostics(&imported.notes, Loss::Warn);
    println!("{notes:?}");
}

/// A definition with a schema.
fn definition(schema: &Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "noxus.mygroup.example.com"},
        "spec": {"group": "mygroup.example.com", "scope": "Namespaced",
            "names": {"plural": "noxus", "singular": "noxu", "kind": "Noxu", "listKind": "NoxuList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}})
}

fn is_accepted(schema: &Value) -> bool {
    review_definition(&definition(schema), None).is_accepted()
}

#[test]
fn closed_schemas_are_refused() {
    let schema = |more: Value| {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    assert!(is_accepted(&schema(json!({}))));
    assert!(!is_accepted(&schema(json!({"additionalProperties": false}))));
}

#[test]
fn unique_items_and_recursion_are_refused() {
    let list = |unique: bool| {
        let list = json!({"type": "array", "items": {"type": "string"}, "uniqueItems": unique});
        json!({"type": "object", "properties": {"a": list}})
    };
    assert!(is_accepted(&list(false)) && !is_accepted(&list(true)));
    assert!(!is_accepted(&json!({"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}})));
}

#[test]
fn errors_have_the_words_of_the_proposal() {
    let cases = [
        (
            json!({"type": "string", "minLength": 4}),
            json!("abc"),
            "foo in body should be at least 4 chars long",
        ),
        (
            json!({"type": "integer", "minimum": 10}),
            json!(9),
            "foo in body should be greater than or equal to 10",
        ),
        (json!({"type": "string", "enum": ["bar", "baz"]}), json!("a"), "supported values: \"bar\", \"baz\""),
        (json!({"type": "integer"}), json!("a"), "foo in body must be of type integer: \"string\""),
        (
            json!({"type": "string", "pattern": "^[a-zA-Z0-9_]*$"}),
            json!("-"),
            "foo in body should match '^[a-zA-Z0-9_]*$'",
        ),
    ];
    for (field, value, words) in cases {
        let schema = json!({"type": "object", "required": ["foo"], "properties": {"foo": field}});
        let server = ObjectSchema::new(&schema).without_metadata_checks();
        let messages = |object: Value| -> Vec<String> {
            server
                .admit_object(&object, None)
                .errors
                .iter()
                .map(kvrules_apiserver::crd::Failure::to_message)
                .collect()
        };
        let found = messages(json!({"foo": value}));
        assert!(found.len() == 1 && found[0].contains(words), "{found:?} {words}");
        assert_eq!(messages(json!({}))[0].split(':').next(), Some("foo"));
    }
    let factors = json!({"allOf": [{"multipleOf": 3}, {"multipleOf": 5}], "type": "integer"});
    let schema = json!({"type": "object", "properties": {"foo": factors}});
    let server = ObjectSchema::new(&schema).without_metadata_checks();
    let found: Vec<String> = server
        .admit_object(&json!({"foo": 7}), None)
        .errors
        .iter()
        .map(kvrules_apiserver::crd::Failure::to_message)
        .collect();
    for words in [
        "foo in body should be a multiple of 5",
        "foo in body should be a multiple of 3",
        "must validate all the schemas (allOf)",
    ] {
        assert!(found.iter().any(|found| found.contains(words)), "{found:?} {words}");
    }
}
