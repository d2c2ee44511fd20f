//! Metadefs: what Glance answered against what we predict, and what we write.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at a surprise, and shows how many recorded cases agreed"
)]

mod metadef_comparison;
mod tally;

use kvrules_diagnostics::{Exactness, FileId};
use kvrules_extra_specs::glance::{
    ApiAnswer, namespace_definitions, predict_answers, read_namespace, write_metadefs,
};
use kvrules_extra_specs::python::PyValue;
use kvrules_extra_specs::{ValueType, shipped_document};
use kvrules_syntax::parse_json;
use metadef_comparison::{PropertyDifference, compare_metadefs};
use serde_json::Value;
use tally::Tally;

/// A value with the keys of objects in order, to be compared.
fn sorted(value: &PyValue) -> PyValue {
    match value {
        PyValue::Dict(entries) => {
            let mut entries: Vec<_> =
                entries.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            PyValue::Dict(entries)
        }
        PyValue::List(items) => PyValue::List(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

#[test]
fn every_document_is_judged_as_glance_judged_it() {
    let Some(text) = kvrules_testdata::read_text("nova/glance-metadef-cases.jsonl") else { return };
    let mut tally = Tally::default();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let document = parse_json(FileId(0), line);
        let root = document.root().unwrap();
        let prediction = predict_answers(root.get("document").unwrap());
        let schema = if prediction.schema.is_empty() { "ok" } else { "rejected" };
        tally.compare("schema", id, &schema, &case["schema"].as_str().unwrap());
        tally.compare("api", id, &prediction.api.as_str(), &case["api"].as_str().unwrap());
        let back = prediction.properties.as_ref().map_or(PyValue::None, sorted);
        let recorded = sorted(&PyValue::from_json(root.get("round_trip").unwrap()).unwrap());
        tally.compare("round trip", id, &back, &recorded);
    }
    tally.report("metadefs");
}

#[test]
fn glance_takes_what_we_write_and_gives_it_back() {
    let written = write_metadefs(&shipped_document().expand_definitions(), "OS::Compute::ExtraSpecs::");
    let mut keys = 0;
    for file in &written.files {
        let text = file.document.to_string();
        let document = parse_json(FileId(0), &text);
        let prediction = predict_answers(document.root().unwrap());
        assert_eq!(
            (&prediction.schema, &prediction.api),
            (&Vec::new(), &ApiAnswer::Created),
            "{}",
            file.name
        );
        let read_back = read_namespace(document.root().unwrap()).unwrap();
        let own = PyValue::from_json(document.root().unwrap().get("properties").unwrap()).unwrap();
        assert_eq!(sorted(prediction.properties.as_ref().unwrap()), sorted(&own));
        keys += namespace_definitions(&read_back).len();
    }
    let names: Vec<_> = written.files.iter().map(|file| file.name.as_str()).collect();
    println!("{} files, {keys} keys: {}", names.len(), names.join(", "));
    let left_out = written.losses.iter().filter(|loss| loss.kind == Exactness::Unsupported).count();
    assert_eq!((keys, left_out), (520, 5));
    let wider = written.losses.iter().filter(|loss| loss.kind == Exactness::Wider);
    assert_eq!(wider.count(), 4, "patterns with classes");
}

#[test]
fn what_applies_to_images_too_says_so() {
    let written = write_metadefs(&shipped_document().expand_definitions(), "OS::Compute::ExtraSpecs::");
    let file = written.files.iter().find(|file| file.name == "hw-and-images.json").unwrap();
    assert_eq!(file.document["resource_type_associations"][1]["prefix"], "hw_");
    assert_eq!(file.document["properties"].as_object().unwrap().len(), 29);
    assert_eq!(file.document["properties"]["cpu_policy"]["enum"][2], "mixed");
    let alias = written.files.iter().find(|file| file.name == "pci-passthrough.json").unwrap();
    assert_eq!(
        alias.document["properties"]["alias"]["pattern"],
        r"^[^:]+:[0-9]+(?:[\t-\r ]*,[\t-\r ]*[^:]+:[0-9]+)*$|[^\x00-\x1b\x20-\x7f]"
    );
}

#[test]
fn written_metadefs_differ_from_definitions_in_no_more_than_patterns() {
    let all = shipped_document().expand_definitions();
    let written = write_metadefs(&all, "X::");
    let texts: Vec<_> = written.files.iter().map(|file| file.document.to_string()).collect();
    let namespaces: Vec<_> = texts
        .iter()
        .map(|text| read_namespace(parse_json(FileId(0), text).root().unwrap()).unwrap())
        .collect();
    let rows = compare_metadefs(&all, &namespaces);
    assert_eq!(rows.len(), 520);
    for row in &rows {
        let only_pattern =
            |difference: &PropertyDifference| matches!(difference, PropertyDifference::Pattern(..));
        assert!(row.definition.is_some() && row.differences.iter().all(only_pattern), "{row:#?}");
    }
}

#[test]
fn a_metadef_becomes_definitions() {
    let text = r#"{"namespace": "X", "resource_type_associations": [{"name": "OS::Nova::Flavor", "prefix": "acme:"}],
        "properties": {"tier": {"title": "Tier", "type": "string", "enum": ["gold"]}},
        "objects": [{"name": "o", "properties": {"n": {"title": "N", "type": "integer", "minimum": 1}}}]}"#;
    let document = parse_json(FileId(0), text);
    let found = namespace_definitions(&read_namespace(document.root().unwrap()).unwrap());
    let names: Vec<_> = found.iter().map(|definition| definition.name.as_str()).collect();
    assert_eq!(names, ["acme:tier", "acme:n"]);
    assert_eq!(found[1].value.r#type, ValueType::Integer { min: Some(1), max: None });
}
