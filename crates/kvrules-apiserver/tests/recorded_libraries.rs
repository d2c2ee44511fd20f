//! The libraries of the server's CEL: recorded definitions whose rules call them, with costs, texts and objects.
//!
//! `crd-cases-2.jsonl` has the answers of 1.36; `minors/gate-cases.jsonl` has those of every minor, of which the newest
//! count here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod recorded;

use kvrules_apiserver::cost::{SchemaReport, review_schema};
use kvrules_apiserver::crd::CompiledSchema;
use recorded::Tally;
use serde_json::{Value, json};

/// The minor whose answers are compared.
const NEWEST: &str = "1.36";

#[test]
fn definitions_that_call_libraries_get_the_servers_answers() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases-2.jsonl") else { return };
    let mut tally = Tally::default();
    for case in cases.iter().filter(|case| matches!(case["family"].as_str(), Some("cel-libraries"))) {
        compare(&mut tally, case, &case["expect"]);
    }
    tally.finish("libraries");
}

#[test]
fn the_newest_minor_answers_as_recorded() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/minors/gate-cases.jsonl") else { return };
    let mut tally = Tally::default();
    for case in &cases {
        let answers = case["expect"].as_array().unwrap();
        let is_newest = |it: &&Value| it["at"].as_array().unwrap().iter().any(|at| at == NEWEST);
        compare(&mut tally, case, answers.iter().find(is_newest).unwrap());
    }
    tally.finish("minors");
}

/// Compares the schema's errors, the costs of rules, and the answers about objects.
fn compare(tally: &mut Tally, case: &Value, expect: &Value) {
    // Another suite compares updates and the parts of a definition outside of the schema.
    if !case["oldCrd"].is_null() {
        return;
    }
    let family = case["family"].as_str().unwrap();
    let id = case["id"].as_str().unwrap();
    let version = &case["crd"]["spec"]["versions"][0];
    let schema = &version["schema"]["openAPIV3Schema"];
    let report = review_schema(schema, "spec.validation", version["subresources"]["status"].is_object());
    compare_errors(tally, family, id, &report, expect);
    for rule in expect["rules"].as_array().into_iter().flatten() {
        compare_costs(tally, family, id, &report, rule);
    }
    for (input, answer) in case["objects"].as_array().into_iter().flatten().zip(objects(expect)) {
        compare_object(tally, (family, id), schema, input, answer);
    }
}

fn objects(expect: &Value) -> impl Iterator<Item = &Value> {
    expect["objects"].as_array().into_iter().flatten()
}

fn compare_errors(tally: &mut Tally, family: &str, id: &str, report: &SchemaReport, expect: &Value) {
    let of_rules = report.rules.iter().flat_map(|rule| &rule.errors);
    let mut ours: Vec<Value> = report
        .errors
        .iter()
        .chain(of_rules)
        .map(|error| {
            let detail = neutral(&error.detail);
            json!({"type": error.error_type.cause_name(), "field": error.field, "detail": detail})
        })
        .collect();
    let in_schema = |error: &&Value| error["field"].as_str().unwrap().starts_with("spec.validation");
    let mut recorded: Vec<Value> =
        expect["errors"].as_array().into_iter().flatten().filter(in_schema).cloned().collect();
    ours.sort_by_key(ToString::to_string);
    recorded.sort_by_key(ToString::to_string);
    tally.compare(&format!("{family} errors"), id, &json!(ours), &json!(recorded));
}

fn compare_costs(tally: &mut Tally, family: &str, id: &str, report: &SchemaReport, recorded: &Value) {
    let is_it = |rule: &&kvrules_apiserver::cost::RuleReport| {
        recorded["schemaPath"] == rule.path.as_str() && recorded["index"] == rule.index
    };
    let Some(ours) = report.rules.iter().find(is_it) else {
        return tally.compare(&format!("{family} present"), id, &json!(false), recorded);
    };
    let place = format!("{id} {}: {}", ours.path, ours.rule);
    let mut same = |what: &str, ours: Value| {
        tally.compare(&format!("{family} {what}"), &place, &ours, &recorded[what]);
    };
    same("maxCost", json!(ours.max_cost));
    if recorded.get("messageExpressionMaxCost").is_some() {
        same("messageExpressionMaxCost", json!(ours.message_expression_cost));
    }
}

/// Compares what the rules say of an object and what they cost, unless its schema refuses it before.
fn compare_object(
    tally: &mut Tally,
    (family, id): (&str, &str),
    schema: &Value,
    input: &Value,
    answer: &Value,
) {
    let detail = |it: &Value| it["detail"].as_str().unwrap_or_default().to_owned();
    let stopped = |it: &Value| detail(it).starts_with("some validation rules were not checked");
    let errors = || answer["errors"].as_array().into_iter().flatten();
    if answer["celCost"].is_null() || errors().any(stopped) {
        return;
    }
    let sent = &input["object"];
    let mut object = sent.clone();
    if let Some(effective) = answer["effective"].as_object() {
        object =
            json!({"apiVersion": sent["apiVersion"], "kind": sent["kind"], "metadata": sent["metadata"]});
        object.as_object_mut().unwrap().extend(effective.clone());
    }
    let report = CompiledSchema::new(schema).validate_object(&object, input.get("oldObject"));
    let place = format!("{id} {}", input["name"].as_str().unwrap());
    let rules = schema.pointer("/properties/spec/x-kubernetes-validations").unwrap_or(&Value::Null);
    let place = format!("{place}: {rules}");
    tally.compare(&format!("{family} celCost"), &place, &json!(report.cost), &answer["celCost"]);
    let details = |errors: Vec<String>| {
        let mut errors = errors;
        errors.sort();
        json!(errors)
    };
    let reported = report.errors.iter().filter(|it| !it.detail.is_empty());
    let ours = details(reported.map(|it| format!("{}: {}", it.field, it.detail)).collect());
    // Errors of the schema itself have an empty detail, or contain " in body ".
    let of_rule = |it: &&Value| !detail(it).is_empty() && !detail(it).contains(" in body ");
    let recorded = errors()
        .filter(of_rule)
        .map(|it| format!("{}: {}", it["field"].as_str().unwrap(), it["detail"].as_str().unwrap()));
    tally.compare(&format!("{family} verdict"), &place, &ours, &details(recorded.collect()));
}

/// The records write `selfType<N>` for the names of types that the server makes up.
fn neutral(text: &str) -> String {
    let mut neutral = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("selfType") {
        let number = after.chars().take_while(char::is_ascii_digit).count();
        neutral.push_str(before);
        neutral.push_str(if number > 0 { "selfType<N>" } else { "selfType" });
        rest = after.get(number..).unwrap_or_default();
    }
    neutral + rest
}
