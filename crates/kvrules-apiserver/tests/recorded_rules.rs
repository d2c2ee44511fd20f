//! Checks and prices every recorded rule and counts where the answers are those of the real server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod recorded;

use kvrules_apiserver::cost::{RuleReport, RuleSite, SchemaReport, review_rules, review_schema};
use recorded::Tally;
use serde_json::{Value, json};

#[test]
fn every_row_of_the_cost_table_has_its_cost() {
    let Some(table) = kvrules_testdata::read_value("kubernetes/cost-table.json") else { return };
    let mut tally = Tally::default();
    for row in table["rows"].as_array().unwrap() {
        let rule = row["rule"].as_str().unwrap();
        let mut root = json!({"type": "object", "properties": {"spec": row["schema"]}});
        let Some(message) = row["messageExpression"].as_str() else {
            let cost = RuleSite::new(&root, "properties[spec]").and_then(|site| site.rule_cost(rule));
            let ours = cost.map(|cost| cost.expression).ok();
            tally.compare("rule", &format!("{rule} [{}]", row["bounds"]), &json!(ours), &row["maxCost"]);
            continue;
        };
        root["properties"]["spec"]["x-kubernetes-validations"] =
            json!([{"rule": rule, "messageExpression": message}]);
        let ours = review_rules(&root, "spec.validation").rules[0].message_expression_cost;
        tally.compare("messageExpression", message, &json!(ours), &row["messageExpressionMaxCost"]);
    }
    tally.finish("cost-table");
}

#[test]
fn the_rules_of_recorded_definitions_get_the_servers_answers() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases.jsonl") else { return };
    let mut tally = Tally::default();
    for case in &cases {
        let family = case["family"].as_str().unwrap();
        compare_definition(&mut tally, family, case["id"].as_str().unwrap(), &case["crd"], &case["expect"]);
    }
    tally.finish("crd-cases");
}

#[test]
fn the_rules_of_real_definitions_get_the_servers_answers() {
    let Some(facts) = kvrules_testdata::read_value("kubernetes/crds-facts.json") else { return };
    let mut tally = Tally::default();
    for fact in facts.as_array().unwrap() {
        let file = fact["file"].as_str().unwrap();
        let text = kvrules_testdata::read_text(&format!("kubernetes/crds/{file}")).unwrap();
        let definition: Value = serde_yaml::from_str(&text).unwrap();
        compare_definition(&mut tally, "real", file, &definition, fact);
    }
    tally.finish("crds");
}

#[test]
fn recorded_schemas_get_the_servers_errors() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases.jsonl") else { return };
    let mut tally = Tally::default();
    for case in &cases {
        let family = case["family"].as_str().unwrap();
        // Another suite compares updates, which may keep parts of the older definition.
        if case["oldCrd"].is_null() {
            compare_schema(&mut tally, family, case);
        }
    }
    tally.finish("schemas");
}

/// Compares acceptance and the list of all errors.
fn compare_schema(tally: &mut Tally, family: &str, case: &Value) {
    let versions = case["crd"]["spec"]["versions"].as_array().unwrap();
    let schemas: Vec<&Value> = versions.iter().map(|version| &version["schema"]["openAPIV3Schema"]).collect();
    let several = schemas.iter().any(|schema| *schema != schemas[0]);
    let mut errors = Vec::new();
    for (index, version) in versions.iter().enumerate().take(if several { versions.len() } else { 1 }) {
        let prefix =
            if several { format!("spec.versions[{index}].schema") } else { "spec.validation".to_owned() };
        let has_status = version["subresources"]["status"].is_object();
        let report = review_schema(schemas[index], &prefix, has_status);
        let of_rules = report.rules.into_iter().flat_map(|rule| rule.errors);
        errors.extend(report.errors.into_iter().chain(of_rules).map(|error| {
            (error.field, error.error_type.cause_name().to_owned(), in_neutral_names(&error.detail))
        }));
    }
    errors.sort();
    let accepted = errors.is_empty();
    let errors: Vec<Value> = errors
        .into_iter()
        .map(|(field, cause, detail)| json!({"type": cause, "field": field, "detail": detail}))
        .collect();
    let place = format!("{} {}", case["id"], schemas[0]);
    tally.compare(&format!("{family} accepted"), &place, &json!(accepted), &case["expect"]["accepted"]);
    let recorded = case["expect"].get("errors").cloned().unwrap_or_else(|| json!([]));
    tally.compare(&format!("{family} errors"), &place, &json!(errors), &recorded);
}

/// Compares the answers about the rules of a definition, version by version.
fn compare_definition(tally: &mut Tally, family: &str, id: &str, definition: &Value, expect: &Value) {
    let Some(recorded) = expect["rules"].as_array().filter(|recorded| !recorded.is_empty()) else { return };
    let versions = definition["spec"]["versions"].as_array().unwrap();
    for (index, version) in versions.iter().enumerate() {
        let schema = &version["schema"]["openAPIV3Schema"];
        let several = recorded.iter().any(|rule| rule["version"].is_string());
        if !several && index > 0 {
            break;
        }
        let name = version["name"].as_str().unwrap_or_default();
        let prefix =
            if several { format!("spec.versions[{index}].schema") } else { "spec.validation".to_owned() };
        let has_status = version["subresources"]["status"].is_object();
        let report = review_schema(schema, &prefix, has_status);
        let total = if several { &expect["totalCost"][name] } else { &expect["totalCost"]["*"] };
        let recorded: Vec<&Value> =
            recorded.iter().filter(|rule| !several || rule["version"] == name).collect();
        compare_report(tally, family, id, &report, &recorded);
        if recorded.iter().any(|rule| rule["maxCost"].is_u64()) {
            tally.compare(&format!("{family} totalCost"), id, &json!(report.total_cost), total);
        }
    }
}

fn compare_report(tally: &mut Tally, family: &str, id: &str, report: &SchemaReport, recorded: &[&Value]) {
    for expected in recorded {
        let path = expected["schemaPath"].as_str().unwrap();
        let index = usize::try_from(expected["index"].as_u64().unwrap()).unwrap();
        let place = format!("{id} {path} {index}: {}", expected["rule"]);
        let ours = report.rules.iter().find(|rule| rule.path == path && rule.index == index);
        let Some(ours) = ours else {
            tally.compare(&format!("{family} present"), &place, &json!(false), &json!(true));
            continue;
        };
        compare_rule(tally, family, &place, ours, expected);
    }
}

fn compare_rule(tally: &mut Tally, family: &str, place: &str, ours: &RuleReport, expected: &Value) {
    // The records of real definitions do not have the errors of rules that contribute to a total cost above the
    // limit, because their choice is random.
    let is_kept = |detail: &str| family != "real" || !detail.starts_with("contributed to");
    let kept: Vec<_> = ours.errors.iter().filter(|error| is_kept(&error.detail)).collect();
    let mut same = |what: &str, ours: Value| {
        tally.compare(&format!("{family} {what}"), place, &ours, &expected[what]);
    };
    same("rule", json!(ours.rule));
    same("valid", json!(ours.max_cost.is_some() && kept.is_empty()));
    same("maxCost", json!(ours.max_cost));
    same("maxCardinality", json!(ours.cardinality.map(|cardinality| cardinality.evaluations)));
    same("cardinalityBounded", json!(ours.cardinality.is_some_and(|cardinality| cardinality.bounded)));
    same("estimatedCost", json!(ours.estimated_cost));
    same("messageExpressionMaxCost", json!(ours.message_expression_cost));
    same("usesOldSelf", json!(ours.uses_old_self));
    let mut errors: Vec<(String, String, String)> = kept
        .into_iter()
        .map(|error| {
            (error.field.clone(), error.error_type.cause_name().to_owned(), in_neutral_names(&error.detail))
        })
        .collect();
    errors.sort();
    let errors: Vec<Value> = errors
        .into_iter()
        .map(|(field, cause, detail)| json!({"type": cause, "field": field, "detail": detail}))
        .collect();
    let recorded = expected.get("errors").cloned().unwrap_or_else(|| json!([]));
    tally.compare(&format!("{family} errors"), place, &json!(errors), &recorded);
}

/// The records write `selfType<N>` for every name of that form, also where a rule itself has one.
fn in_neutral_names(text: &str) -> String {
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
