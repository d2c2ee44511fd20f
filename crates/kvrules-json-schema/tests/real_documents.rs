//! Schemas of real projects have no errors, and errors that are put into them are found.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use kvrules_diagnostics::{Diagnostic, FileId, Level, SourceFile};
use kvrules_json_schema::{CheckedSchemas, check_schemas};
use kvrules_syntax::parse_stream;
use kvrules_syntax::value::ValueReader;
use serde_json::{Map, Value, json};

fn check_text(text: &str) -> CheckedSchemas {
    let stream = parse_stream(FileId(0), text);
    check_schemas(&stream.documents[0])
}

/// The schemas of the CustomResourceDefinitions in a folder of the shared data, each as an OpenAPI 3.0 document.
fn definition_schemas(folder: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for path in kvrules_testdata::list_files(folder, "yaml").unwrap_or_default() {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for part in parse_stream(FileId(0), &text).documents {
            let Some(root) = part.root() else { continue };
            let definition = ValueReader::for_kubernetes().with_lenient_reading().read_value(root).unwrap();
            for version in definition["spec"]["versions"].as_array().into_iter().flatten() {
                let schema = &version["schema"]["openAPIV3Schema"];
                if schema.is_object() {
                    let mut schema = schema.clone();
                    convert_schema(&mut schema);
                    let schemas = json!({"A": schema});
                    let document =
                        json!({"openapi": "3.0.3", "paths": {}, "components": {"schemas": schemas}});
                    found.push((format!("{name} {}", version["name"]), document));
                }
            }
        }
    }
    found
}

const FOLDERS: [&str; 2] = ["kubernetes/crds", "kubernetes/crds-2"];

/// The number of schemas, and the findings with their levels.
fn report_findings(name: &str, value: &Value) -> (usize, Vec<(Level, String)>) {
    let text = serde_json::to_string_pretty(value).unwrap();
    let file = SourceFile::new(FileId(0), name, text.as_str());
    let checked = check_text(&text);
    let line = |found: Diagnostic| {
        let at = file.position_at(found.primary.span.start);
        (found.level, format!("{name}:{}:{} {} {}", at.line, at.column, found.code, found.message))
    };
    (checked.schemas, checked.findings.into_iter().map(line).collect())
}

/// Makes a schema of a definition one of OpenAPI: a server takes `null` for an absent keyword, and its patterns are those of
/// Go, which have flags.
fn convert_schema(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, value| key != "anyOf" || !value.is_null());
            if let Some(Value::String(pattern)) = fields.get_mut("pattern") {
                *pattern = pattern.replace("(?i)", "");
            }
            fields.values_mut().for_each(convert_schema);
        }
        Value::Array(items) => items.iter_mut().for_each(convert_schema),
        _ => {}
    }
}

/// The schemas inside a schema and the schema itself, by their pointers.
fn schema_pointers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    found.push(pointer.to_owned());
    for (name, schema) in value["properties"].as_object().into_iter().flatten() {
        let name = name.replace('~', "~0").replace('/', "~1");
        schema_pointers(schema, &format!("{pointer}/properties/{name}"), found);
    }
    if value["items"].is_object() {
        schema_pointers(&value["items"], &format!("{pointer}/items"), found);
    }
}

/// A change to a schema, and the code of its finding; `None` if it does not apply.
type Damage = fn(&mut Map<String, Value>) -> Option<&'static str>;

const DAMAGES: [(&str, Damage); 9] = [
    ("type", |schema| schema.insert("type".to_owned(), json!("strng")).map(|_| "KS101")),
    ("negative length", |schema| {
        schema.insert("minLength".to_owned(), json!(-1));
        Some("KS101")
    }),
    ("required flag", |schema| {
        schema.insert("required".to_owned(), json!(true));
        Some("KS101")
    }),
    ("pattern", |schema| {
        schema.insert("pattern".to_owned(), json!("a("));
        Some("KS102")
    }),
    ("reference", |schema| {
        schema.clear();
        schema.insert("$ref".to_owned(), json!("#/components/schemas/B"));
        Some("KS103")
    }),
    ("bounds", |schema| {
        let is_number = schema.get("type") == Some(&json!("integer")) && !schema.contains_key("nullable");
        schema.insert("minimum".to_owned(), json!(4));
        schema.insert("maximum".to_owned(), json!(3));
        is_number.then_some("KS105")
    }),
    ("enum", |schema| {
        let is_text = schema.get("type") == Some(&json!("string")) && schema.get("nullable").is_none();
        schema.insert("enum".to_owned(), json!([1, 2]));
        is_text.then_some("KS105")
    }),
    ("spelling", |schema| {
        schema.insert("descripton".to_owned(), json!("a"));
        Some("KS106")
    }),
    ("default", |schema| {
        let is_text = schema.get("type") == Some(&json!("string"));
        schema.insert("default".to_owned(), json!(5));
        is_text.then_some("KS109")
    }),
];

#[test]
fn damage_to_schemas_of_definitions_is_found() {
    let (mut found, mut tried) = (0, 0);
    for (number, (name, document)) in FOLDERS.iter().flat_map(|folder| definition_schemas(folder)).enumerate()
    {
        let mut pointers = Vec::new();
        schema_pointers(&document["components"]["schemas"]["A"], "/components/schemas/A", &mut pointers);
        // Large documents take long; each of the others is damaged at a few places.
        if pointers.len() > 80 {
            continue;
        }
        for (step, (kind, damage)) in DAMAGES.iter().enumerate() {
            let pointer = &pointers[(number * 31 + step * 57) % pointers.len()];
            let mut damaged = document.clone();
            let Some(Value::Object(schema)) = damaged.pointer_mut(pointer) else { continue };
            let Some(code) = damage(schema) else { continue };
            tried += 1;
            let checked = check_text(&serde_json::to_string_pretty(&damaged).unwrap());
            assert!(
                checked.findings.iter().any(|finding| finding.code == code),
                "{name} {kind} at {pointer}: {:?}",
                checked.findings
            );
            found += 1;
        }
    }
    println!("{found} of {tried} damages found");
}

#[test]
fn schemas_of_definitions_have_no_errors() {
    let (mut errors, mut warnings, mut schemas, mut documents) = (Vec::new(), Vec::new(), 0, 0);
    for (name, document) in FOLDERS.iter().flat_map(|folder| definition_schemas(folder)) {
        let (count, findings) = report_findings(&name, &document);
        (schemas, documents) = (schemas + count, documents + 1);
        let (serious, other): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|(level, _)| *level == Level::Error);
        errors.extend(serious.into_iter().map(|(_, line)| line));
        warnings.extend(other.into_iter().map(|(_, line)| line));
    }
    println!("{documents} documents, {schemas} schemas, warnings:\n{}", warnings.join("\n"));
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    // Lengths and patterns of lists, where those of their items are meant.
    let is_known =
        |line: &String| line.contains("karpenter.sh.yaml") && line.ends_with("values of type `array`");
    assert!(warnings.iter().all(is_known), "{}", warnings.join("\n"));
}
