//! Recorded answers about requests, through the evaluator that `kvrules eval --engine policy` uses: documents in files instead of
//! values.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "tests")]

use kvrules::eval::{
    AllowedAction, Engine, Evaluation, Evaluator, Options, PolicyFile, PolicyFileRole, PolicyRules,
    RequestSetup,
};
use kvrules::{FileId, SourceFile};
use serde_json::{Value, json};

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A file with documents.
fn file(name: &str, documents: &[&Value]) -> SourceFile {
    let texts: Vec<_> = documents.iter().map(|document| document.to_string()).collect();
    SourceFile::new(FileId(0), name, texts.join("\n---\n"))
}

/// Returns the result for an object, or the first reason why the documents are refused.
fn evaluate(
    files: &[(PolicyFileRole, &[&Value])],
    setup: RequestSetup,
    object: &Value,
) -> Result<Evaluation, String> {
    let sources: Vec<_> =
        files.iter().map(|(role, documents)| (*role, file("rules.yaml", documents))).collect();
    let files: Vec<_> =
        sources.iter().map(|(role, source)| PolicyFile { source, role: *role, is_searched: false }).collect();
    let refused = |faults: Vec<kvrules::Diagnostic>| faults[0].message.clone();
    let rules = PolicyRules::read_files(&files, setup).map_err(refused)?;
    let options = Options { engine: Engine::Policy, policies: Some(rules.into()), ..Options::default() };
    Ok(Evaluator::new(options).evaluate_objects(&file("object.json", &[object])).remove(0))
}

/// The answer about a row as the server gives it.
fn answer(evaluation: &Evaluation) -> Value {
    assert!(evaluation.fault.is_none(), "{:?}", evaluation.fault);
    let answer = evaluation.policy.as_ref().unwrap();
    let denial = answer.denial.as_ref();
    json!({
        "accepted": !evaluation.is_rejected(),
        "code": denial.map_or(201, |it| it.status),
        "reason": denial.map(|it| it.reason.clone()),
        "message": denial.map(|it| it.message.clone()),
        "warnings": answer.warnings,
    })
}

#[test]
fn recorded_answers_about_machines_agree() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/vap-cases.jsonl") else { return };
    let everything = AllowedAction::parse_action("* *").unwrap();
    let (mut agreed, mut policies_refused) = (0, 0);
    for case in cases.iter().filter(|case| case["kind"] == "runtime") {
        let rules: [&Value; 2] = [&case["policy"], &case["binding"]];
        let files = [(PolicyFileRole::Rules, rules.as_slice())];
        let answers = case["expect"]["vms"].as_array().unwrap();
        for (vm, expect) in items(&case["vms"]).zip(answers) {
            // The user of the recorded requests may do everything.
            let allowed = Some(vec![everything.clone()]);
            let setup = RequestSetup { allowed, has_all_params: true, ..RequestSetup::default() };
            let ours = evaluate(&files, setup, vm);
            if case["expect"]["policy"]["accepted"] == false {
                assert!(ours.is_err(), "{}", case["id"]);
                policies_refused += 1;
                continue;
            }
            let recorded = json!({
                "accepted": expect["accepted"],
                "code": expect["code"],
                "reason": expect["reason"],
                "message": expect["message"],
                "warnings": items(&expect["warnings"]).collect::<Vec<_>>(),
            });
            assert_eq!(answer(&ours.unwrap()), recorded, "{} {}", case["id"], expect["name"]);
            agreed += 1;
        }
    }
    println!("recorded answers: {agreed} agree, {policies_refused} of policies that are refused");
    assert_eq!((agreed, policies_refused), (420, 4));
}
