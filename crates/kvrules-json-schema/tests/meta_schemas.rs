//! Verdicts about generated schemas agree with the meta-schema of each draft.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use jsonschema::Draft;
use kvrules_diagnostics::FileId;
use kvrules_json_schema::check_schemas;
use kvrules_kubernetes::keywords::KEYWORDS;
use kvrules_syntax::parse_stream;
use serde_json::{Map, Value, json};

const DRAFTS: [(Draft, &str); 5] = [
    (Draft::Draft4, "http://json-schema.org/draft-04/schema#"),
    (Draft::Draft6, "http://json-schema.org/draft-06/schema#"),
    (Draft::Draft7, "http://json-schema.org/draft-07/schema#"),
    (Draft::Draft201909, "https://json-schema.org/draft/2019-09/schema"),
    (Draft::Draft202012, "https://json-schema.org/draft/2020-12/schema"),
];

struct Generator(u64);

impl Generator {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// A value of any kind, without regard to the keyword.
    fn any_value(&mut self, depth: usize) -> Value {
        let simple = json!([
            null, true, false, 0, 1, 2, -1, 1.5, 2.0, 0.0, "a", "string", "integer", "null", "", [], {}, ["a"],
            ["a", "a"], ["string", "null"], ["string", "string"], [1], [true], [{}], {"a": true}, {"a": ["b"]},
            {"a": ["b", "b"]}, {"a": {}}, {"a": 1}, {"a": []}, "x:y", "_a", "1a"
        ]);
        let simple = simple.as_array().unwrap();
        match self.below(4) {
            0 if depth > 0 => self.schema(depth - 1),
            1 if depth > 0 => json!({"a": self.schema(depth - 1)}),
            2 if depth > 0 => json!([self.schema(depth - 1)]),
            _ => simple[self.below(simple.len())].clone(),
        }
    }

    fn schema(&mut self, depth: usize) -> Value {
        let count = self.below(3);
        let mut schema = Map::new();
        for _ in 0..count {
            let keyword = KEYWORDS[self.below(KEYWORDS.len())].name;
            if !["$schema", "$id", "id", "$vocabulary", "openapi", "swagger"].contains(&keyword) {
                schema.insert(keyword.to_owned(), self.any_value(depth));
            }
        }
        Value::Object(schema)
    }
}

/// The Schema Object of OpenAPI 3.0, which is open for keywords of other dialects.
fn openapi_schema() -> Value {
    let count = json!({"type": "integer", "minimum": 0});
    let list = json!({"type": "array", "items": {"$ref": "#"}});
    let with_items = json!({"not": {"properties": {"type": {"const": "array"}}, "required": ["type"]}});
    let names = json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": true});
    let types = json!({"enum": ["array", "boolean", "integer", "number", "object", "string"]});
    let mut properties = json!({
        "multipleOf": {"type": "number", "exclusiveMinimum": 0},
        "required": names,
        "type": types,
        "enum": {"type": "array", "minItems": 1},
        "not": {"$ref": "#"},
        "items": {"$ref": "#"},
        "properties": {"type": "object", "additionalProperties": {"$ref": "#"}},
        "additionalProperties": {"if": {"type": "boolean"}, "then": true, "else": {"$ref": "#"}},
    });
    let groups: [(&[&str], Value); 5] = [
        (&["title", "description", "format", "pattern"], json!({"type": "string"})),
        (&["minimum", "maximum"], json!({"type": "number"})),
        (&["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"], count),
        (
            &[
                "exclusiveMinimum",
                "exclusiveMaximum",
                "uniqueItems",
                "nullable",
                "readOnly",
                "writeOnly",
                "deprecated",
            ],
            json!({"type": "boolean"}),
        ),
        (&["allOf", "anyOf", "oneOf"], list),
    ];
    for (names, form) in groups {
        for name in names {
            properties[*name] = form.clone();
        }
    }
    json!({
        "type": "object",
        "if": {"required": ["$ref"]},
        "then": {"properties": {"$ref": {"type": "string"}}},
        "else": {"properties": properties, "if": {"required": ["items"]}, "then": true, "else": with_items},
    })
}

#[test]
fn invalid_keyword_values_of_openapi_are_those_that_its_schema_rejects() {
    let meta = jsonschema::draft202012::new(&openapi_schema()).unwrap();
    let (mut invalid, mut valid, mut differing) = (0, 0, Vec::new());
    for seed in 0..12_000 {
        let mut random = Generator(seed * 104_729 + 17);
        let schema = random.schema(2);
        let text =
            json!({"openapi": "3.0.3", "paths": {}, "components": {"schemas": {"A": schema}}}).to_string();
        let stream = parse_stream(FileId(0), &text);
        let findings = check_schemas(&stream.documents[0]).findings;
        let accepted = !findings.iter().any(|found| ["KS101", "KS102"].contains(&found.code));
        if accepted != meta.is_valid(&schema) {
            let messages: Vec<_> = findings.iter().map(|found| &found.message).collect();
            differing.push(format!("{text} {messages:?}"));
        }
        *(if accepted { &mut valid } else { &mut invalid }) += 1;
    }
    println!("{valid} valid and {invalid} invalid schemas");
    assert!(
        differing.is_empty(),
        "{} differ:\n{}",
        differing.len(),
        differing[..differing.len().min(20)].join("\n")
    );
    assert!(valid > 1000 && invalid > 500);
}

#[test]
fn invalid_keyword_values_are_those_that_the_meta_schema_rejects() {
    let (mut invalid, mut valid, mut differing) = (0, 0, Vec::new());
    for (draft, name) in DRAFTS {
        let meta = |schema: &Value| match draft {
            Draft::Draft4 => jsonschema::draft4::meta::is_valid(schema),
            Draft::Draft6 => jsonschema::draft6::meta::is_valid(schema),
            Draft::Draft7 => jsonschema::draft7::meta::is_valid(schema),
            Draft::Draft201909 => jsonschema::draft201909::meta::is_valid(schema),
            _ => jsonschema::draft202012::meta::is_valid(schema),
        };
        for seed in 0..6000 {
            let mut random = Generator(seed * 104_729 + 11);
            let mut schema = random.schema(2);
            schema["$schema"] = json!(name);
            let text = schema.to_string();
            // The meta-schema of draft 4 does not define `$ref`.
            if draft == Draft::Draft4 && text.contains("\"$ref\"") {
                continue;
            }
            let stream = parse_stream(FileId(0), &text);
            let findings = check_schemas(&stream.documents[0]).findings;
            let accepted = !findings.iter().any(|found| ["KS101", "KS102"].contains(&found.code));
            if accepted != meta(&schema) {
                let messages: Vec<_> = findings.iter().map(|found| &found.message).collect();
                differing.push(format!("{name}: {text} {messages:?}"));
            }
            *(if accepted { &mut valid } else { &mut invalid }) += 1;
        }
    }
    println!("{valid} valid and {invalid} invalid schemas");
    assert!(
        differing.is_empty(),
        "{} differ:\n{}",
        differing.len(),
        differing[..differing.len().min(20)].join("\n")
    );
    assert!(valid > 1000 && invalid > 1000);
}
