//! Alternatives that allow no further fields: on all objects of a small domain, the server agrees with a JSON Schema validator, or differs
//! in a declared direction.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::object::ObjectSchema;
use kvrules_diagnostics::{Exactness, FileId};
use kvrules_import::{ImportOptions, ImportedSchema, import_document};
use serde_json::{Value, json};

/// The values of the fields `a`, `b` and `c` that are tried; each may be absent.
fn objects() -> Vec<Value> {
    let choices = [json!("x"), json!("yy"), json!(1), json!(7)];
    let mut objects = vec![json!({})];
    for name in ["a", "b", "c"] {
        let longer = objects.iter().flat_map(|object| {
            choices.iter().map(move |value| {
                let mut object = object.clone();
                object[name] = value.clone();
                object
            })
        });
        let longer: Vec<_> = longer.collect();
        objects.extend(longer);
    }
    objects
}

fn import(source: &Value) -> ImportedSchema {
    let text = source.to_string();
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let options = ImportOptions { under: Some("spec".to_owned()), ..ImportOptions::default() };
    import_document(&stream.documents[0], &options).unwrap()
}

/// The directions in which the server differs from the source, and those that are declared.
fn compare(source: &Value) -> (Exactness, Exactness, Value) {
    let imported = import(source);
    let declared = imported.notes.iter().fold(Exactness::Exact, |joined, note| joined.join_with(note.effect));
    let validator = jsonschema::draft202012::new(source).unwrap();
    let server = ObjectSchema::new(&imported.schema);
    let (mut is_wider, mut is_narrower) = (false, false);
    for value in objects() {
        let object =
            json!({"apiVersion": "example.com/v1", "kind": "R", "metadata": {"name": "a"}, "spec": value});
        let answer = server.admit_object(&object, None);
        let (wanted, actual) = (validator.is_valid(&value), answer.is_accepted());
        is_wider |= actual && !wanted;
        is_narrower |= wanted && !actual;
    }
    (Exactness::from_sides(is_wider, is_narrower), declared, imported.schema)
}

fn closed(name: &str, ty: &str) -> Value {
    json!({"type": "object", "required": [name], "properties": {name: {"type": ty}}, "additionalProperties": false})
}

#[test]
fn unions_of_closed_branches_are_exact() {
    for junctor in ["oneOf", "anyOf"] {
        for branches in [
            vec![closed("a", "string"), closed("b", "integer"), closed("c", "string")],
            vec![
                json!({"properties": {"a": {"type": "string"}}, "additionalProperties": false}),
                json!({"properties": {"b": {"type": "integer"}}, "additionalProperties": false, "required": ["b"]}),
            ],
            vec![
                json!({"properties": {"a": {"type": "string"}, "c": {"type": "string"}}, "additionalProperties": false, "required": ["a"]}),
                json!({"properties": {"b": {"type": "integer"}, "c": {"type": "string"}}, "additionalProperties": false, "required": ["b"]}),
            ],
        ] {
            let fields = json!({"a": true, "b": true, "c": true});
            for source in [
                json!({"type": "object", junctor: branches.clone()}),
                json!({"type": "object", "properties": fields, junctor: branches}),
            ] {
                let (found, declared, schema) = compare(&source);
                // An object with fields that no branch has is pruned, which is declared.
                assert!(!declared.may_narrow(), "{source}: {declared:?} {schema}");
                assert!(!found.may_narrow(), "{source} {schema}");
                assert!(!schema.to_string().contains("[{},"), "{source} {schema}");
            }
        }
    }
    let three = json!({"type": "object", "oneOf": [closed("a", "string"), closed("b", "integer"), closed("c", "string")]});
    assert_eq!(compare(&three).0, Exactness::Exact);
}

#[test]
fn every_difference_of_a_closed_branch_is_declared_in_its_direction() {
    let closures = [
        json!({"additionalProperties": false}),
        json!({"unevaluatedProperties": false}),
        json!({"additionalProperties": false, "patternProperties": {"^b": {"type": "integer"}}}),
        json!({"patternProperties": {"^b": {"type": "integer"}}}),
        json!({"additionalProperties": {"type": "integer"}}),
        json!({"unevaluatedProperties": false, "anyOf": [{"properties": {"b": {"type": "integer"}}}, {"required": ["c"]}]}),
        json!({"unevaluatedProperties": false, "allOf": [{"properties": {"c": {"type": "string"}}}]}),
        json!({"additionalProperties": false, "minProperties": 1}),
        json!({"propertyNames": {"enum": ["a", "b"]}}),
    ];
    let bases = [
        json!({"properties": {"a": {"type": "string"}}}),
        json!({"properties": {"a": {"type": "string", "maxLength": 1}}, "required": ["a"]}),
        json!({"properties": {"a": {"type": "integer", "minimum": 2}, "c": {"type": "string"}}}),
        json!({}),
    ];
    let branch = |base: &Value, closure: &Value| {
        let mut both = base.as_object().unwrap().clone();
        both.extend(closure.as_object().unwrap().clone());
        Value::Object(both)
    };
    let mut compared = 0;
    for closure in &closures {
        for base in &bases {
            let one = branch(base, closure);
            let other = json!({"properties": {"b": {"type": "integer"}}, "required": ["b"], "additionalProperties": false});
            let open = json!({"properties": {"c": {"type": "string"}}, "required": ["c"]});
            for source in [
                json!({"oneOf": [one, other]}),
                json!({"oneOf": [one, open]}),
                json!({"oneOf": [one, one]}),
                json!({"anyOf": [one, other]}),
                json!({"anyOf": [one, open]}),
                json!({"not": one, "properties": {"b": {"type": "integer"}}}),
                json!({"if": one, "then": {"required": ["a"]}, "else": other}),
                json!({"if": {"required": ["c"]}, "then": one, "else": other}),
                json!({"dependentSchemas": {"c": one}, "properties": {"b": {"type": "integer"}}}),
                json!({"allOf": [one, {"properties": {"b": {"type": "integer"}}}]}),
                json!({"not": {"oneOf": [one, other]}}),
                json!({"oneOf": [{"anyOf": [one, other]}, open]}),
            ] {
                let mut source = source;
                source["type"] = json!("object");
                let (found, declared, schema) = compare(&source);
                assert_eq!(found.join_with(declared), declared, "{source}\n{schema}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 9 * 4 * 12);
}
