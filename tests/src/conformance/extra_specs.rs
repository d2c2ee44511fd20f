//! Recorded answers of Nova about extra specs, as `../shared/nova/README.md` describes the rows: pairs, sets of
//! definitions, requests to its API, and values that take it exponential time. `kvrules-extra-specs` must answer the
//! same in Nova's own mode, word for word. Only the members that a row has are compared.

use std::sync::OnceLock;

use kvrules::FileId;
use kvrules_extra_specs::nova::api::{ApiRequest, ApiResponse, Microversion, answer_request};
use kvrules_extra_specs::nova::{NovaDefinition, NovaOutcome as Answer, NovaValidator};
use kvrules_extra_specs::python::PyValue;
use kvrules_extra_specs::{ValidationMode, shipped_document};
use kvrules_syntax::parse_json;
use serde_json::{Map, Value, json};

use super::{CaseFormat, Outcome, row::CaseRow};

pub(super) const PAIR: CaseFormat = CaseFormat { name: "extra-spec", recognises: is_pair, judge: run_pair };
pub(super) const DEFINITIONS: CaseFormat =
    CaseFormat { name: "extra-spec-definition", recognises: is_definitions, judge: run_definitions };
pub(super) const REQUEST: CaseFormat =
    CaseFormat { name: "extra-spec-api", recognises: is_request, judge: run_request };
pub(super) const SLOW: CaseFormat =
    CaseFormat { name: "extra-spec-slow", recognises: is_slow, judge: run_slow };

fn shipped_nova() -> &'static NovaValidator {
    static NOVA: OnceLock<NovaValidator> = OnceLock::new();
    NOVA.get_or_init(|| NovaValidator::from_definitions(&shipped_document().expand_definitions()))
}

fn is_pair(row: &CaseRow) -> bool {
    row.string_member("name").is_some()
        && row.string_member("value").is_some()
        && row.value_member("expected").is_some_and(|expected| expected.is_object())
}

/// The members of an answer to a pair.
const OF_A_PAIR: [&str; 7] = ["expected", "kind", "matched", "how", "params", "namespace_known", "modes"];

fn run_pair(row: &CaseRow) -> Outcome {
    let (name, value) =
        (row.string_member("name").unwrap_or_default(), row.string_member("value").unwrap_or_default());
    let nova = shipped_nova();
    let outcome = nova.check_pair(&name, &value);
    let kind = match &outcome {
        Answer::Refused(refusal) => Some(refusal.kind.as_str()),
        _ => None,
    };
    let found = nova.find_definition(&name);
    let how = |found: &kvrules_extra_specs::nova::FoundDefinition| {
        if found.parameters.is_some() { "pattern" } else { "exact" }
    };
    let modes: Map<String, Value> = ValidationMode::ALL
        .into_iter()
        .map(|mode| (mode.as_str().to_owned(), nova.check_in(mode, &name, &value).is_accepted().into()))
        .collect();
    let actual = json!({
        "expected": outcome_record(&outcome),
        "kind": kind,
        "matched": found.as_ref().map(|found| &found.definition),
        "how": found.as_ref().map(how),
        "params": found.as_ref().and_then(|found| found.parameters.as_ref()),
        "namespace_known": nova.knows_namespace(&name),
        "modes": modes,
    });
    compare_members(row, &OF_A_PAIR, actual)
}

fn is_definitions(row: &CaseRow) -> bool {
    row.value_member("definitions").is_some_and(|all| all.is_array()) && row.raw_member("checks").is_some()
}

/// The members of an answer to a set of definitions.
const OF_DEFINITIONS: [&str; 4] = ["construct", "name_regexes", "namespaces", "checks"];

fn run_definitions(row: &CaseRow) -> Outcome {
    let document = parse_json(FileId(0), row.raw_member("definitions").unwrap_or_default());
    let nodes = document.root().into_iter().flat_map(kvrules_syntax::Node::items);
    let actual = match nodes.map(NovaDefinition::from_node).collect::<Result<Vec<_>, _>>() {
        Err(error) => {
            json!({ "construct": error.as_str(), "name_regexes": [], "namespaces": [], "checks": [] })
        }
        Ok(definitions) => {
            let regexes: Vec<_> = definitions.iter().map(|one| one.name_regex.clone()).collect();
            let nova = NovaValidator::new(definitions);
            let checks = row.value_member("checks").unwrap_or_default();
            let checks: Vec<_> =
                checks.as_array().into_iter().flatten().map(|check| answer_check(&nova, check)).collect();
            let namespaces = nova.namespaces();
            json!({ "construct": null, "name_regexes": regexes, "namespaces": namespaces, "checks": checks })
        }
    };
    compare_members(row, &OF_DEFINITIONS, actual)
}

/// A check with our answer in the place of the recorded one.
fn answer_check(nova: &NovaValidator, check: &Value) -> Value {
    let text = |key: &str| check.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut ours = json!({ "name": text("name"), "value": text("value") });
    let answer = outcome_record(&nova.check_pair(text("name"), text("value")));
    if let (Value::Object(ours), Value::Object(answer)) = (&mut ours, answer) {
        ours.extend(answer);
    }
    ours
}

/// An outcome as it is recorded.
fn outcome_record(outcome: &Answer) -> Value {
    match outcome {
        Answer::Accepted => json!({ "ok": true, "error": null }),
        Answer::Refused(refusal) => json!({ "ok": false, "error": refusal.text }),
        Answer::Crash(class) => json!({ "ok": null, "error": null, "crash": class }),
        Answer::Unstable { .. } => json!({ "ok": null, "error": null, "crash": "order" }),
        Answer::Undecided => json!({ "undecided": true }),
    }
}

fn is_request(row: &CaseRow) -> bool {
    row.string_member("microversion").is_some()
        && row.raw_member("body").is_some()
        && row.raw_member("status").is_some()
}

fn run_request(row: &CaseRow) -> Outcome {
    let Some(version) = Microversion::parse(&row.string_member("microversion").unwrap_or_default()) else {
        let expected = row.raw_member("microversion").unwrap_or_default().to_owned();
        return Outcome::Differs { expected, actual: "no microversion".to_owned() };
    };
    let key = row.string_member("key");
    let request = key.as_deref().map_or(ApiRequest::Post, ApiRequest::Put);
    // As written, because a float cannot hold all numbers.
    let response =
        answer_request(shipped_nova(), version, request, row.raw_member("body").unwrap_or_default());
    let stored = parse_json(FileId(0), row.raw_member("stored").unwrap_or("null"));
    let stored = stored.root().and_then(PyValue::from_json);
    let expected = match (row.value_member("status").and_then(|status| status.as_u64()), stored) {
        (Some(200), Some(PyValue::Dict(pairs))) => ApiResponse::Stored(pairs),
        (Some(400), _) => ApiResponse::BadRequest(row.string_member("message").unwrap_or_default()),
        (status, _) => {
            let expected = format!("an answer with the status {status:?}");
            return Outcome::Differs { expected, actual: format!("{response:?}") };
        }
    };
    compare_values(&expected, &response)
}

fn is_slow(row: &CaseRow) -> bool {
    row.string_member("name").is_some()
        && row.string_member("value").is_some()
        && row.raw_member("ok_linear").is_some()
}

fn run_slow(row: &CaseRow) -> Outcome {
    let (name, value) =
        (row.string_member("name").unwrap_or_default(), row.string_member("value").unwrap_or_default());
    let ours = shipped_nova().check_pair(&name, &value).is_accepted();
    // `ok` is the answer of Nova itself. It is missing if Nova took too long.
    let theirs = |key: &str| row.value_member(key).and_then(|ok| ok.as_bool());
    compare_values(&(theirs("ok_linear"), theirs("ok").or(Some(ours))), &(Some(ours), Some(ours)))
}

/// Compares the members that the row has.
fn compare_members(row: &CaseRow, members: &[&str], actual: Value) -> Outcome {
    let has = |key: &&&str| row.raw_member(key).is_some();
    let expected: Map<String, Value> = members
        .iter()
        .filter(has)
        .map(|key| ((*key).to_owned(), row.value_member(key).unwrap_or_default()))
        .collect();
    let Value::Object(mut actual) = actual else { return Outcome::Agrees };
    actual.retain(|key, _| expected.contains_key(key));
    if expected == actual {
        return Outcome::Agrees;
    }
    Outcome::Differs { expected: Value::from(expected).to_string(), actual: Value::from(actual).to_string() }
}

fn compare_values<T: PartialEq + std::fmt::Debug>(expected: &T, actual: &T) -> Outcome {
    if expected == actual {
        return Outcome::Agrees;
    }
    Outcome::Differs { expected: format!("{expected:?}"), actual: format!("{actual:?}") }
}
