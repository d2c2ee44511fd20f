//! Objects against the recorded answers of a real API server: what the rules of a CRD say, and what they cost.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::collections::BTreeMap;

use kvrules_apiserver::crd::{CompiledSchema, Failure, RuleRunReport};
use serde_json::Value as Json;

#[derive(Default)]
struct Tally {
    agreed: usize,
    total: usize,
    cost_agreed: usize,
    cost_total: usize,
}

#[test]
fn the_rules_of_a_crd_answer_as_the_server_does() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases.jsonl") else { return };
    let mut families: BTreeMap<String, Tally> = BTreeMap::new();
    let mut differences = Vec::new();
    for case in &cases {
        let tally = families.entry(case["family"].as_str().unwrap().to_owned()).or_default();
        compare_case(case, tally, &mut differences);
    }
    for (family, it) in &families {
        println!(
            "{family:16} verdicts {}/{}  costs {}/{}",
            it.agreed, it.total, it.cost_agreed, it.cost_total
        );
    }
    for difference in &differences {
        println!("{difference}");
    }
    assert!(differences.is_empty(), "{} differences", differences.len());
}

fn compare_case(case: &Json, tally: &mut Tally, differences: &mut Vec<String>) {
    let Some(expected) = case["expect"]["objects"].as_array() else { return };
    let Some(schema) = schema(&case["crd"]) else { return };
    if !schema.to_string().contains("x-kubernetes-validations") {
        return;
    }
    let compiled = CompiledSchema::new(schema);
    for (input, expect) in case["objects"].as_array().unwrap().iter().zip(expected) {
        let mut recorded: Vec<Failure> =
            expect["errors"].as_array().into_iter().flatten().map(failure).collect();
        recorded.sort();
        let duplicates = schema.to_string().contains("FieldValueDuplicate");
        let of_lists = recorded.iter().any(|it| it.reason == "FieldValueDuplicate") && !duplicates;
        let mixed = of_lists || !only_rules(&recorded);
        if mixed && expect["celCost"].is_null() {
            continue; // the schema rejects the object, and the rules were not run or cannot be told apart
        }
        let object = effective(&input["object"], &expect["effective"], schema);
        let old = input.get("oldObject").map(|old| effective(old, &Json::Null, schema));
        let report = compiled.validate_object(&object, old.as_ref());
        let name = format!("{} {}", case["id"].as_str().unwrap(), input["name"].as_str().unwrap());
        let errors: Vec<Failure> =
            report.errors.iter().map(|it| Failure { value: String::new(), ..it.clone() }).collect();
        tally.total += 1;
        // If the schema also has errors, all of ours must be among the server's.
        let agreed = if mixed {
            errors.iter().all(|it| recorded.contains(it))
        } else {
            errors == recorded && excused(&report) == recorded_excuses(expect)
        };
        if agreed {
            tally.agreed += 1;
        } else {
            differences.push(format!("{name}\n  ours   {report:?}\n  server {expect}"));
        }
        if let Some(cost) = expect["celCost"].as_u64() {
            tally.cost_total += 1;
            if cost == report.cost {
                tally.cost_agreed += 1;
            } else {
                differences.push(format!("{name} cost: ours {} server {cost}", report.cost));
            }
        }
    }
}

/// Excused failures as the server warns of them.
fn excused(report: &RuleRunReport) -> Vec<String> {
    report.excused.iter().map(Failure::to_message).collect()
}

fn recorded_excuses(expect: &Json) -> Vec<String> {
    let warnings = expect["warnings"].as_array().into_iter().flatten().filter_map(Json::as_str);
    warnings.filter(|it| it.contains(": Invalid value: ")).map(str::to_owned).collect()
}

/// True if all errors come from rules: other tests cover those of the schema.
fn only_rules(failures: &[Failure]) -> bool {
    failures.iter().all(|it| {
        let schema_words =
            [" in body ", "must be of type", "should be", "should match", "must validate", "may not"];
        let from_schema = schema_words.iter().any(|words| it.detail.contains(words)) || it.field == "<nil>";
        let plain = matches!(it.reason.as_str(), "FieldValueInvalid" | "FieldValueForbidden");
        !from_schema
            && (plain || !it.detail.is_empty() || it.reason == "FieldValueDuplicate")
            && !it.detail.contains("some validation rules were not checked")
            && !it.detail.starts_with("Unsupported")
            && it.reason != "FieldValueTypeInvalid"
            && it.reason != "FieldValueNotSupported"
            && it.reason != "FieldValueTooLong"
            && it.reason != "FieldValueTooMany"
    })
}

fn failure(json: &Json) -> Failure {
    let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
    let field = text("field");
    Failure { field, reason: text("type"), detail: text("detail"), value: String::new() }
}

fn schema(crd: &Json) -> Option<&Json> {
    crd["spec"]["versions"][0]["schema"].get("openAPIV3Schema")
}

/// Returns the object that the rules see: recorded if it differs from the one sent.
fn effective(sent: &Json, recorded: &Json, _schema: &Json) -> Json {
    let Some(recorded) = recorded.as_object() else { return sent.clone() };
    let mut object = serde_json::Map::new();
    for name in ["apiVersion", "kind", "metadata"] {
        object.insert(name.to_owned(), sent[name].clone());
    }
    object.extend(recorded.clone());
    Json::Object(object)
}
