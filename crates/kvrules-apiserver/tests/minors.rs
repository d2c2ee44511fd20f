//! Definitions and objects against the recorded answers of the servers of twelve minors.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod minors_tally;

use std::collections::{BTreeMap, HashMap};

use kvrules_apiserver::cost::{ReviewMemo, RuleReport};
use kvrules_apiserver::definition::{DefinitionReview, review_definition_on};
use kvrules_apiserver::object::{Admission, ObjectSchema};
use kvrules_apiserver::server::ServerFeatures;
use kvrules_cel::kubernetes::KubernetesVersion;
use minors_tally::MinorTally;
use serde_json::{Value as Json, json};

/// The number of comparisons that agreed when this was written; it may only grow.
const AGREED_GATES: usize = 46_743;
const AGREED_DEFINITIONS: usize = 126_379;

/// An input with the answers of every minor.
struct Case {
    id: String,
    family: String,
    definition: Json,
    old: Option<Json>,
    objects: Vec<Json>,
    /// By the text of the version.
    expected: HashMap<String, Json>,
    /// True if `expected` names every rule.
    has_all_rules: bool,
}

#[test]
fn every_minor_answers_the_cases_of_gates_as_recorded() {
    let Some(rows) = kvrules_testdata::read_rows("kubernetes/minors/gate-cases.jsonl") else { return };
    let cases = rows.iter().map(|row| Case {
        id: row["id"].as_str().unwrap().to_owned(),
        family: row["family"].as_str().unwrap().to_owned(),
        definition: row["crd"].clone(),
        old: row.get("oldCrd").cloned(),
        objects: row["objects"].as_array().cloned().unwrap_or_default(),
        expected: by_version(row["expect"].as_array().unwrap(), Json::clone),
        has_all_rules: true,
    });
    let mut tally = MinorTally::default();
    cases.for_each(|case| compare_case(&case, &mut tally));
    tally.finish("gate-cases", AGREED_GATES);
}

#[test]
fn every_minor_answers_definitions_and_objects_as_recorded() {
    let Some(rows) = kvrules_testdata::read_rows("kubernetes/minors/crd-minors.jsonl") else { return };
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases.jsonl") else { return };
    let Some(facts) = kvrules_testdata::read_value("kubernetes/crds-facts.json") else { return };
    let differs: HashMap<&str, &Json> = rows
        .iter()
        .map(|row| (row["id"].as_str().or(row["file"].as_str()).unwrap(), &row["differs"]))
        .collect();
    let mut tally = MinorTally::default();
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let recorded = Case {
            id: id.to_owned(),
            family: case["family"].as_str().unwrap().to_owned(),
            definition: case["crd"].clone(),
            old: None,
            objects: case["objects"].as_array().cloned().unwrap_or_default(),
            expected: with_differences(&case["crd"], &case["expect"], differs.get(id).copied()),
            has_all_rules: false,
        };
        compare_case(&recorded, &mut tally);
    }
    for fact in facts.as_array().unwrap() {
        let file = fact["file"].as_str().unwrap();
        let text = kvrules_testdata::read_text(&format!("kubernetes/crds/{file}")).unwrap();
        let definition: Json = serde_yaml::from_str(&text).unwrap();
        let recorded = Case {
            id: file.to_owned(),
            family: "real".to_owned(),
            definition: definition.clone(),
            old: None,
            objects: Vec::new(),
            expected: with_differences(&definition, fact, differs.get(file).copied()),
            has_all_rules: false,
        };
        compare_case(&recorded, &mut tally);
    }
    tally.finish("crd-minors", AGREED_DEFINITIONS);
}

fn by_version(groups: &[Json], answer: impl Fn(&Json) -> Json) -> HashMap<String, Json> {
    let versions = groups.iter().flat_map(|group| {
        let at = group["at"].as_array().unwrap().iter();
        at.map(|version| (version.as_str().unwrap().to_owned(), answer(group)))
    });
    versions.collect()
}

/// The answers of all minors: that of the newest, with what differs.
fn with_differences(definition: &Json, newest: &Json, differs: Option<&Json>) -> HashMap<String, Json> {
    let mut newest = newest.clone();
    let versions = definition["spec"]["versions"].as_array().unwrap();
    for rule in newest["rules"].as_array_mut().into_iter().flatten() {
        let index = versions.iter().position(|version| version["name"] == rule["version"]);
        if let Some(index) = index.filter(|_| rule["version"].is_string()) {
            rule["versionIndex"] = json!(index);
        }
    }
    newest["newestAccepted"] = newest["accepted"].clone();
    let newest = &newest;
    let groups = differs.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut answers = by_version(groups, |group| merged(newest, group));
    for version in KubernetesVersion::all_known() {
        answers.entry(version.to_string()).or_insert_with(|| newest.clone());
    }
    answers
}

fn merged(newest: &Json, group: &Json) -> Json {
    let mut answer = newest.clone();
    for field in ["accepted", "errors", "warnings"] {
        if let Some(value) = group.get(field) {
            answer[field] = value.clone();
        }
    }
    if group.get("accepted") == Some(&json!(true)) && group.get("errors").is_none() {
        answer["errors"] = json!([]);
    }
    if group.get("accepted").is_some() && group.get("warnings").is_none() {
        answer["warnings"] = Json::Null;
    }
    merge_lists(&mut answer, group, "rules", |one| {
        (one["schemaPath"].clone(), one["index"].clone(), one["versionIndex"].clone())
    });
    let refused = answer["accepted"] == json!(false);
    merge_lists(&mut answer, group, "objects", |one| (one["name"].clone(), Json::Null, Json::Null));
    if refused {
        answer["objects"] = json!([]);
    }
    answer
}

fn merge_lists(answer: &mut Json, group: &Json, list: &str, key: impl Fn(&Json) -> (Json, Json, Json)) {
    for changed in group[list].as_array().into_iter().flatten() {
        let Some(entries) = answer[list].as_array_mut() else {
            answer[list] = json!([changed]);
            continue;
        };
        match entries.iter_mut().find(|entry| key(entry) == key(changed)) {
            Some(entry) => {
                entry["differs"] = json!(true);
                if changed.get("maxCost") == Some(&Json::Null) {
                    // Of a rule that does not compile, nothing else was compared.
                    entry.as_object_mut().unwrap().remove("messageExpressionMaxCost");
                }
                for (name, value) in changed.as_object().unwrap() {
                    entry[name] = value.clone();
                }
                if changed.get("valid") == Some(&json!(true)) && changed.get("errors").is_none() {
                    entry["errors"] = json!([]);
                }
            }
            None => entries.push(changed.clone()),
        }
    }
}

fn compare_case(case: &Case, tally: &mut MinorTally) {
    let memo = ReviewMemo::default();
    for version in KubernetesVersion::all_known() {
        let Some(expected) = case.expected.get(&version.to_string()) else { continue };
        let server = ServerFeatures::of_version(version);
        let review = review_definition_on(server, &case.definition, case.old.as_ref(), &memo);
        let mut compare = Comparison { case, version, tally };
        compare.definition(&review, expected);
        compare.rules(&review, expected);
        compare.objects(server, expected);
    }
}

struct Comparison<'a> {
    case: &'a Case,
    version: KubernetesVersion,
    tally: &'a mut MinorTally,
}

impl Comparison<'_> {
    fn add(&mut self, what: &str, ours: &Json, recorded: &Json, place: &str) {
        let place = format!("{} {place}", self.case.id);
        self.tally.compare((self.version, &self.case.family, what), &place, ours, recorded);
    }

    fn definition(&mut self, review: &DefinitionReview, expected: &Json) {
        let is_accepted =
            review.all_errors().iter().all(|it| self.case.old.is_some() && it.field == "metadata.generation");
        let accepted = expected.get("panic").map_or(expected["accepted"].clone(), |_| json!(false));
        self.add("accepted", &json!(is_accepted), &accepted, "");
        if expected.get("panic").is_some() {
            return;
        }
        let errors: Vec<Json> = review
            .all_errors()
            .iter()
            // A stored definition has a generation, which is not in the recorded rows.
            .filter(|it| self.case.old.is_none() || it.field != "metadata.generation")
            .map(|it| json!({"type": it.error_type.cause_name(), "field": it.field, "detail": it.detail}))
            .collect();
        let recorded = expected["errors"].as_array().cloned().unwrap_or_default();
        let is_real = self.case.family == "real";
        self.add("errors", &neutral(&errors, is_real), &neutral(&recorded, is_real), "");
        if is_accepted && accepted == json!(true) && !expected["warnings"].is_null() {
            self.add("warnings", &json!(review.warnings), &expected["warnings"], "");
        }
    }

    fn rules(&mut self, review: &DefinitionReview, expected: &Json) {
        for recorded in expected["rules"].as_array().into_iter().flatten() {
            // A rule that is not named was not compared with a newest server that rejected the definition.
            let is_compared =
                expected["accepted"] == json!(true) && expected["newestAccepted"] == json!(true);
            if !self.case.has_all_rules && recorded.get("differs").is_none() && !is_compared {
                continue;
            }
            let version = recorded["versionIndex"].as_u64();
            let name = recorded["version"].as_str();
            let schema = review.schemas.iter().enumerate().find(|(index, schema)| match (version, name) {
                (Some(version), _) => schema.prefix == format!("spec.versions[{version}].schema"),
                (None, Some(name)) => schema.version.as_deref() == Some(name),
                (None, None) => *index == 0,
            });
            let Some((_, schema)) = schema else { continue };
            let is_it = |rule: &&RuleReport| {
                recorded["schemaPath"] == rule.path.as_str() && recorded["index"] == json!(rule.index)
            };
            let rule = schema.report.rules.iter().find(is_it);
            let place = format!("{} [{}]", recorded["schemaPath"], recorded["index"]);
            let rule_text = rule.map(|rule| rule.rule.clone()).unwrap_or_default();
            let place = format!("{place} {rule_text}");
            self.add("costs", &json!(rule.and_then(|it| it.max_cost)), &recorded["maxCost"], &place);
            // Servers without the field have no cost of it, and the differences do not repeat that.
            let has_message = self.case.has_all_rules || self.version.is_at_least(27);
            if let Some(recorded) = recorded.get("messageExpressionMaxCost").filter(|_| has_message) {
                let ours = json!(rule.and_then(|it| it.message_expression_cost));
                self.add("costs", &ours, recorded, &format!("{place} messageExpression"));
            }
        }
    }

    fn objects(&mut self, server: ServerFeatures, expected: &Json) {
        let recorded = expected["objects"].as_array().map(Vec::as_slice).unwrap_or_default();
        if recorded.is_empty() || expected["accepted"] != json!(true) {
            return;
        }
        let definition = &self.case.definition;
        let Some(schema) = ObjectSchema::of_version(definition, &definition["spec"]["versions"][0]) else {
            return;
        };
        let schema = schema.on_server(server);
        let inputs: BTreeMap<&str, &Json> =
            self.case.objects.iter().map(|input| (input["name"].as_str().unwrap(), input)).collect();
        for recorded in recorded {
            let name = recorded["name"].as_str().unwrap();
            let input = inputs[name];
            let admission = schema.admit_object(&input["object"], input.get("oldObject"));
            self.object(name, &admission, recorded);
        }
    }

    fn object(&mut self, name: &str, admission: &Admission, recorded: &Json) {
        if recorded.get("panic").is_some() {
            self.add("objects", &json!(admission.is_accepted()), &json!(false), name);
            return;
        }
        let errors = recorded["errors"].as_array().cloned().unwrap_or_default();
        let with_text = errors.iter().any(|error| error.get("text").is_some());
        let ours: Vec<Json> = admission.errors.iter().map(|it| shown_failure(it, with_text)).collect();
        let ours = json!({"valid": admission.is_accepted(), "errors": sorted(&ours)});
        // Two objects are recorded as valid next to an error of decoding.
        let valid = recorded["valid"] == json!(true) && errors.is_empty();
        let errors = json!({"valid": valid, "errors": sorted(&errors)});
        self.add("objects", &ours, &errors, name);
        if let Some(warnings) = recorded.get("warnings") {
            let warnings = json!(warnings.as_array().cloned().unwrap_or_default());
            self.add("object warnings", &json!(admission.warnings), &warnings, name);
        }
        if let (Some(cost), Some(ours)) = (recorded["celCost"].as_u64(), admission.cost) {
            self.add("run costs", &json!(ours), &json!(cost), name);
        }
    }
}

fn shown_failure(failure: &kvrules_apiserver::crd::Failure, with_text: bool) -> Json {
    let mut shown = json!({"type": failure.reason, "field": failure.field, "detail": failure.detail});
    if with_text {
        let without_field = kvrules_apiserver::crd::Failure { field: String::new(), ..failure.clone() };
        shown["text"] = json!(without_field.to_message());
    }
    shown
}

fn sorted(errors: &[Json]) -> Vec<String> {
    let mut texts: Vec<String> = errors
        .iter()
        .map(|it| {
            let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
            format!(
                "{} {}: {} | {}",
                text("type"),
                text("field"),
                text("detail"),
                without_system_fields(&text("text"))
            )
        })
        .collect();
    texts.sort();
    texts
}

/// Without the numbers that the server gives to types, and without the names of rules of equal cost, which are random.
fn neutral(errors: &[Json], is_real: bool) -> Json {
    let mut texts: Vec<String> = errors
        .iter()
        .map(|it| {
            let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
            if text("detail").starts_with("contributed to estimated rule cost") {
                return "contributed".to_owned();
            }
            format!("{} {}: {}", text("type"), text("field"), without_numbers(&text("detail")))
        })
        .collect();
    texts.sort();
    if is_real {
        // The facts of real definitions leave these errors out.
        texts.retain(|text| text != "contributed");
    }
    json!(texts)
}

/// Without the metadata that the server sets itself.
fn without_system_fields(text: &str) -> String {
    let mut text = text.to_owned();
    for separator in [", ", ","] {
        let generation = format!("\"generation\":1{separator}");
        let uid = format!("{separator}\"uid\":\"");
        for (begin, end) in [("\"creationTimestamp\":", generation.as_str()), (uid.as_str(), "\"")] {
            let Some(start) = text.find(begin) else { continue };
            let after = start + begin.len();
            let Some(length) = text.get(after..).and_then(|rest| rest.find(end)) else { continue };
            text.replace_range(start..after + length + end.len(), "");
        }
    }
    text
}

fn without_numbers(text: &str) -> String {
    let mut neutral = String::new();
    for (index, part) in text.replace("selfType<N>", "selfType").split("selfType").enumerate() {
        let is_first = index == 0;
        neutral.push_str(if is_first { part } else { part.trim_start_matches(|c: char| c.is_ascii_digit()) });
    }
    neutral
}
