//! Old definitions, with the mistakes of their time, become definitions that the server accepts.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use kvrules_apiserver::cost::review_schema;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_diagnostics::{Exactness, FileId};
use kvrules_import::{ImportNoteKind, ImportOptions, ImportedSchema, build_definition, import_document};
use serde_json::{Value, json};

fn imported(text: &str) -> ImportedSchema {
    let stream = kvrules_syntax::parse_stream(FileId(0), text);
    let imported = import_document(&stream.documents[0], &ImportOptions::default()).unwrap();
    let report = review_schema(&imported.schema, "spec.validation", false);
    assert_eq!((report.errors, report.rules.iter().find(|rule| !rule.valid)), (vec![], None));
    imported
}

/// Additional error of the server for the object `epsilon.type three`. The recorded definition has `allOf` below
/// `epsilon`; the imported one has its only branch as a part of `epsilon` itself, which cannot fail as a branch.
const FAILED_BRANCH: &str = "\"epsilon\" must validate all the schemas (allOf). None validated";

#[test]
fn the_example_of_the_specification_judges_as_it_does_on_the_server() {
    let Some(steps) = kvrules_testdata::read_value("kubernetes/noxu/steps.json") else { return };
    let Some(cases) = kvrules_testdata::read_value("kubernetes/noxu/objects.json") else { return };
    let objects = cases["objects"].as_array().unwrap();
    let (mut verdicts, mut branches, mut total, mut documents) = (0, 0, 0, 0);
    for step in steps.as_array().unwrap() {
        let imported = imported(&step["crd"].to_string());
        let made = build_definition(&imported.schema, &imported.names).unwrap();
        assert_eq!(made["metadata"]["name"], "noxus.mygroup.example.com");
        assert_eq!(made["spec"]["versions"][0]["name"], "v1alpha1");
        documents += 1;
        let server = ObjectSchema::new(&imported.schema);
        for (given, recorded) in objects.iter().zip(cases["afterStep8"].as_array().unwrap()) {
            let answer = server.admit_object(&given["object"], None);
            total += 1;
            verdicts += usize::from(recorded["valid"] == json!(answer.is_accepted()));
            let ours: Vec<Value> =
                answer.errors.iter().map(|error| json!([error.field, error.detail])).collect();
            let errors = recorded["errors"].as_array().into_iter().flatten();
            let (branch, errors): (Vec<_>, Vec<_>) =
                errors.partition(|error| error["detail"] == FAILED_BRANCH);
            let errors: Vec<Value> =
                errors.iter().map(|error| json!([error["field"], error["detail"]])).collect();
            assert_eq!(ours, errors, "{}", given["name"]);
            branches += branch.len();
        }
    }
    println!("{documents} documents; verdicts {verdicts}/{total}, all texts but {branches} of branches");
    assert_eq!((verdicts, branches), (total, documents));
}

#[test]
fn real_definitions_stay_acceptable() {
    let Some(facts) = kvrules_testdata::read_value("kubernetes/crds-facts.json") else { return };
    let (mut taken, mut total) = (0, 0);
    for fact in facts.as_array().unwrap().iter().filter(|fact| fact["accepted"] == true) {
        let name = format!("kubernetes/crds/{}", fact["file"].as_str().unwrap());
        let text = kvrules_testdata::read_text(&name).unwrap();
        let rules = |text: &str| text.matches("rule: ").count();
        let imported = imported(&text);
        total += 1;
        taken += usize::from(rules(&kvrules_import::to_yaml(&imported.schema)) > 0 || rules(&text) == 0);
    }
    println!("{taken}/{total} definitions imported with their rules");
    assert!(taken == total && total > 20, "{taken}/{total}");
}

#[test]
fn keywords_among_the_properties_are_told_and_meant_where_they_belong() {
    let imported = imported(include_str!("data/parcel.yaml"));
    let reported: Vec<(ImportNoteKind, Exactness, &str)> = imported
        .notes
        .iter()
        .map(|note| (note.kind, note.effect, note.message.as_str()))
        .filter(|(kind, ..)| *kind == ImportNoteKind::Mistake)
        .collect();
    assert_eq!(
        reported,
        [
            (
                ImportNoteKind::Mistake,
                Exactness::Wider,
                "`stamp` is required but not a property, so no object could be created"
            ),
            (
                ImportNoteKind::Mistake,
                Exactness::Exact,
                "`additionalProperties` is inside `properties`, it belongs next to it"
            ),
            (
                ImportNoteKind::Mistake,
                Exactness::Exact,
                "`definitions` is inside `properties`, it belongs next to it"
            ),
        ]
    );
    let pruned = imported.notes.iter().filter(|note| note.message.starts_with("unknown fields are pruned"));
    assert_eq!(pruned.count(), 2);
    assert_eq!(
        imported.schema,
        json!({
            "type": "object",
            "properties": {
                "to": {
                    "type": "object",
                    "properties": {
                        "country": {"type": "string", "enum": ["NL", "DE"]},
                        "street": {"type": "string"},
                    },
                    "required": ["street", "country"],
                },
                "weight": {
                    "description": "Kilograms, not none.",
                    "type": "number",
                    "minimum": 0,
                    "exclusiveMinimum": true,
                },
                "depot": {"x-kubernetes-int-or-string": true, "minimum": 1, "maxLength": 4},
            },
            "required": ["to", "weight"],
        })
    );
}

#[test]
fn a_parcel_is_judged_by_the_imported_schema() {
    let imported = imported(include_str!("data/parcel.yaml"));
    let server = ObjectSchema::new(&imported.schema);
    let judge = |weight: Value, country: &str, depot: Value| {
        let meta = json!({"name": "p"});
        let to = json!({"street": "Dam 1", "country": country});
        server
            .admit_object(&json!({"metadata": meta, "to": to, "weight": weight, "depot": depot}), None)
            .is_accepted()
    };
    assert!(judge(json!(0.5), "NL", json!("A4")));
    assert!(judge(json!(2), "DE", json!(7)));
    assert!(!judge(json!(0), "NL", json!("A4")));
    assert!(!judge(json!(1), "FR", json!("A4")));
    assert!(!judge(json!(1), "NL", json!("A4444")));
    assert!(!judge(json!(1), "NL", json!(0)));
    assert!(!judge(json!(1), "NL", json!(true)));
}

#[test]
fn what_is_said_of_a_name_is_kept_and_what_else_is_said_of_metadata_is_told() {
    let meta = |more: &str| format!("properties: {{metadata: {{type: object, properties: {{{more}}}}}}}\n");
    let typed = "name: {type: string, maxLength: 3}, namespace: {type: string}, labels: {type: object, additionalProperties: {type: string}}";
    let made = imported(&meta(typed));
    let expected = json!({"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}});
    assert_eq!((&made.schema["properties"]["metadata"], made.notes.as_slice()), (&expected, &[][..]));
    for more in ["namespace: {type: string, maxLength: 3}", "labels: {type: object, required: [a]}"] {
        let made = imported(&meta(more));
        let reported: Vec<_> = made.notes.iter().map(|note| (note.effect, note.message.as_str())).collect();
        assert_eq!(reported, [(Exactness::Wider, "only the names in `metadata` can be restricted")]);
    }
}

#[test]
fn a_field_that_is_null_is_there_for_others_that_depend_on_it() {
    let text = "properties: {a: {type: [string, 'null']}, b: {type: string}}\ndependentRequired: {a: [b]}\n";
    let server = ObjectSchema::new(&imported(text).schema).without_metadata_checks();
    let accepts = |fields: Value| server.admit_object(&fields, None).is_accepted();
    assert!(
        !accepts(json!({"a": null})) && accepts(json!({"a": null, "b": "x"})) && accepts(json!({"b": "x"}))
    );
}
