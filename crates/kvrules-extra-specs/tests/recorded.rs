//! Recorded answers of Nova, compared with our predictions: pairs, sets of definitions, requests, and values that take
//! Nova exponential time.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a test may stop at a surprise, and shows how many recorded cases agreed"
)]

#[path = "../../../tests/src/allocations.rs"]
mod allocations;

mod tally;

use kvrules_diagnostics::FileId;
use kvrules_extra_specs::nova::api::{ApiRequest, ApiResponse, Microversion, answer_request};
use kvrules_extra_specs::nova::{NovaDefinition, NovaOutcome, NovaValidator};
use kvrules_extra_specs::python::PyValue;
use kvrules_extra_specs::{ValidationMode, shipped_document};
use kvrules_syntax::parse_json;
use serde_json::{Value, json};
use tally::Tally;

fn shipped_nova() -> NovaValidator {
    NovaValidator::from_definitions(&shipped_document().expand_definitions())
}

/// An outcome as the recorded cases put it.
fn recorded(outcome: &NovaOutcome) -> Value {
    match outcome {
        NovaOutcome::Accepted => json!({"ok": true, "error": null}),
        NovaOutcome::Refused(refusal) => json!({"ok": false, "error": refusal.text}),
        NovaOutcome::Crash(class) => json!({"ok": null, "error": null, "crash": class}),
        NovaOutcome::Unstable { .. } => json!({"ok": null, "error": null, "crash": "order"}),
        NovaOutcome::Undecided => json!("undecided"),
    }
}

#[test]
fn every_pair_is_decided_as_nova_decided_it() {
    let (nova, mut tally) = (shipped_nova(), Tally::default());
    for case in kvrules_testdata::read_rows("nova/extra-spec-cases.jsonl").into_iter().flatten() {
        let (name, value) = (case["name"].as_str().unwrap(), case["value"].as_str().unwrap());
        let outcome = nova.check_pair(name, value);
        let kind = match &outcome {
            NovaOutcome::Refused(refusal) => json!(refusal.kind.as_str()),
            _ => Value::Null,
        };
        let found = nova.find_definition(name);
        let mode = |mode| nova.check_in(mode, name, value).is_accepted();
        let ours = json!({
            "expected": recorded(&outcome),
            "kind": kind,
            "matched": found.as_ref().map(|found| &found.definition),
            "how": found.as_ref().map(|found| if found.parameters.is_some() { "pattern" } else { "exact" }),
            "params": found.as_ref().and_then(|found| found.parameters.as_ref()),
            "namespace_known": nova.knows_namespace(name),
            "modes": {
                "strict": mode(ValidationMode::Strict),
                "permissive": mode(ValidationMode::Permissive),
                "off": mode(ValidationMode::Off),
            },
        });
        let theirs: Value = ["expected", "kind", "matched", "how", "params", "namespace_known", "modes"]
            .into_iter()
            .map(|key| (key.to_owned(), case[key].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into();
        tally.compare(case["family"].as_str().unwrap(), case["id"].as_str().unwrap(), &ours, &theirs);
    }
    tally.report("pairs");
}

#[test]
fn every_set_of_definitions_does_what_nova_did() {
    let (mut sets, mut checks) = (Tally::default(), Tally::default());
    let Some(text) = kvrules_testdata::read_text("nova/extra-spec-definition-cases.jsonl") else { return };
    let mut unstable = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (family, id) = (case["family"].as_str().unwrap(), case["id"].as_str().unwrap());
        let document = parse_json(FileId(0), line);
        let nodes = document.root().unwrap().get("definitions").unwrap();
        let built: Result<Vec<_>, _> = nodes.items().map(NovaDefinition::from_node).collect();
        let construct = built.as_ref().err().map(|error| error.as_str());
        sets.compare(family, id, &json!(construct), &case["construct"]);
        let Ok(definitions) = built else { continue };
        let regexes: Vec<_> = definitions.iter().map(|definition| definition.name_regex.clone()).collect();
        sets.compare(family, id, &json!(regexes), &case["name_regexes"]);
        let nova = NovaValidator::new(definitions);
        sets.compare(family, id, &json!(nova.namespaces()), &case["namespaces"]);
        for check in case["checks"].as_array().unwrap() {
            let (name, value) = (check["name"].as_str().unwrap(), check["value"].as_str().unwrap());
            let mut theirs = check.clone();
            theirs.as_object_mut().unwrap().retain(|key, _| key != "name" && key != "value");
            unstable += usize::from(check["crash"] == "order");
            checks.compare(
                family,
                &format!("{id} {name:?}={value:?}"),
                &recorded(&nova.check_pair(name, value)),
                &theirs,
            );
        }
    }
    sets.report("definitions");
    checks.report("checks of definitions");
    println!("of these hang on the order of a set, and are told to: {unstable}");
}

#[test]
fn every_request_is_answered_as_the_api_answered_it() {
    let (nova, mut tally) = (shipped_nova(), Tally::default());
    let Some(text) = kvrules_testdata::read_text("nova/extra-spec-api-cases.jsonl") else { return };
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let document = parse_json(FileId(0), line);
        let root = document.root().unwrap();
        // The text itself, because a float cannot hold all numbers.
        let body = &line[root.get("body").unwrap().span().to_range()];
        let version = Microversion::parse(case["microversion"].as_str().unwrap()).unwrap();
        let request = match case["key"].as_str() {
            Some(key) => ApiRequest::Put(key),
            None => ApiRequest::Post,
        };
        let response = answer_request(&nova, version, request, body);
        let stored = PyValue::from_json(root.get("stored").unwrap()).unwrap();
        let theirs = match case["status"].as_u64() {
            Some(200) => match stored {
                PyValue::Dict(pairs) => ApiResponse::Stored(pairs),
                other => panic!("{other:?}"),
            },
            _ => ApiResponse::BadRequest(case["message"].as_str().unwrap().to_owned()),
        };
        tally.compare(case["method"].as_str().unwrap(), case["id"].as_str().unwrap(), &response, &theirs);
    }
    tally.report("requests");
}

#[test]
fn values_that_take_nova_exponential_time_are_decided_with_work_that_grows_with_their_length() {
    let (nova, mut tally) = (shipped_nova(), Tally::default());
    for case in kvrules_testdata::read_rows("nova/extra-spec-slow-cases.jsonl").into_iter().flatten() {
        let (name, value) = (case["name"].as_str().unwrap(), case["value"].as_str().unwrap());
        let ours = nova.check_pair(name, value).is_accepted();
        tally.compare(
            case["family"].as_str().unwrap(),
            case["id"].as_str().unwrap(),
            &ours,
            &case["ok_linear"].as_bool().unwrap(),
        );
        if let Some(ok) = case["ok"].as_bool() {
            assert_eq!(ours, ok, "{name}={value}");
        }
    }
    tally.report("slow values");
    // The matcher does not backtrack, so its memory grows with the value; a backtracking search also stores its
    // alternatives.
    let value = |length: usize| format!("{}!", "a".repeat(length));
    let (short, long) = (value(2_000), value(20_000));
    // Matchers are compiled on first use, so that the measured calls do not include it.
    nova.check_pair("hw:pmem", &short);
    let work = |value: &str| allocations::allocated_by(|| nova.check_pair("hw:pmem", value).is_accepted());
    let (short, long) = (work(&short), work(&long));
    println!("2,000 characters: {short:?}, 20,000: {long:?}");
    assert!((short.0, long.0) == (false, false) && long.1 <= 20 * short.1.max(10_000));
}
