//! Whole definitions: what the server is recorded to say of them, and neighbours that are answered from its source.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod table;

use std::path::Path;

use kvrules_apiserver::definition::review_definition;
use kvrules_apiserver::field_error::FieldError;
use serde_json::{Value, json};
use table::edited;

#[test]
fn recorded_definitions_have_the_errors_and_warnings_of_the_server() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let committed = root.join("tests/conformance/kubernetes-crd.jsonl");
    let shared = ["kubernetes/crd-cases.jsonl", "kubernetes/crd-cases-2.jsonl"];
    let shared = shared.into_iter().filter_map(kvrules_testdata::find_path);
    let mut wrong = Vec::new();
    for path in std::iter::once(committed).chain(shared) {
        let text = std::fs::read_to_string(path).unwrap();
        for line in text.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            // Another suite compares the results of single functions.
            if case["family"] == "cel-libraries" {
                continue;
            }
            let review = review_definition(&case["crd"], case.get("oldCrd"));
            let ours = json!({"errors": shown(&review.all_errors()), "warnings": review.warnings});
            let list = |name: &str| case["expect"][name].as_array().cloned().unwrap_or_default();
            let recorded = json!({"errors": list("errors"), "warnings": list("warnings")});
            if neutral(&ours) != neutral(&recorded) {
                wrong.push(format!("{}\n  recorded {recorded}\n  ours     {ours}", case["id"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn shown(errors: &[FieldError]) -> Vec<Value> {
    let mut sorted: Vec<_> = errors.iter().collect();
    sorted.sort_by_key(|error| (error.field.clone(), error.error_type.cause_name(), error.detail.clone()));
    let shown = |it: &&FieldError| json!({"type": it.error_type.cause_name(), "field": it.field, "detail": it.detail});
    sorted.iter().map(shown).collect()
}

/// Without the numbers that the server gives to types.
fn neutral(answer: &Value) -> String {
    let text = answer.to_string().replace("selfType<N>", "selfType");
    let mut neutral = String::new();
    for (index, part) in text.split("selfType").enumerate() {
        neutral.push_str(if index == 0 {
            part
        } else {
            part.trim_start_matches(|c: char| c.is_ascii_digit())
        });
    }
    neutral
}

/// A definition that the server accepts.
fn accepted() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "ponds", "singular": "pond", "kind": "Pond", "listKind": "PondList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
                    "a": {"type": "string"}, "b": {"type": "boolean"}, "i": {"type": "integer"}, "n": {"type": "number"},
                    "m": {"type": "object", "additionalProperties": {"type": "string"}},
                }}}}},
            }],
        },
    })
}

#[test]
fn neighbours_of_the_recorded_definitions_are_answered_as_the_source_of_the_server_says() {
    let table = include_str!("definitions/neighbours.txt");
    let counts = table::hold(
        table,
        |_| accepted(),
        |_, new, old| {
            let errors = review_definition(new, old).all_errors();
            // A stored definition has a generation, which is not in the recorded rows.
            let reported =
                errors.iter().filter(|error| old.is_none() || error.field != "metadata.generation");
            reported
                .map(|error| {
                    let cause = error.error_type.cause_name().trim_start_matches("FieldValue");
                    format!("{cause} {}: {}", error.field, error.detail)
                })
                .collect()
        },
    );
    println!("{counts:?}");
    assert!(counts.values().all(|count| *count >= 20), "{counts:?}");
}

#[test]
fn whatever_stands_in_a_definition_it_is_answered() {
    let pointers = [
        "",
        "/metadata",
        "/metadata/name",
        "/metadata/labels",
        "/spec",
        "/spec/names",
        "/spec/versions",
        "/spec/versions/0",
        "/spec/versions/0/schema",
        "/spec/versions/0/schema/openAPIV3Schema",
        "/spec/scope",
        "/spec/group",
        "/spec/names/shortNames",
        "/spec/conversion",
        "/spec/versions/0/subresources",
        "/spec/versions/0/selectableFields",
        "/spec/versions/0/additionalPrinterColumns",
        "/status",
        "/metadata/ownerReferences",
        "/metadata/managedFields",
    ];
    for pointer in pointers {
        for value in [
            json!(null),
            json!(7),
            json!(1.5),
            json!(true),
            json!("x"),
            json!([]),
            json!([7]),
            json!([null]),
            json!({}),
            json!({"a": 7}),
            json!([{}]),
            json!([{"name": 7}]),
        ] {
            let document = match pointer {
                "" => value.clone(),
                pointer => {
                    let edit = format!("{pointer} = {value}");
                    edited(accepted(), &edit)
                }
            };
            let review = review_definition(&document, None);
            let bad = review.errors.iter().any(|error| error.error_type.cause_name() == "BadRequest");
            assert!(
                !bad || (review.errors.len() == 1 && review.schemas.is_empty()),
                "{pointer} {value}: {review:?}"
            );
            review_definition(&accepted(), Some(&document));
            kvrules_apiserver::definition::review_envelope(&document, Some(&accepted()));
        }
    }
}
