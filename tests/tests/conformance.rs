//! Recorded cases: the selections in `conformance/` agree, the full files agree where they are there, and the runner
//! of both notices what does not.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kvrules_tests::conformance::{
    FORMATS,
    report::{CaseDifference, CaseReport, summary_line},
    row::CaseRow,
    run::run_cases,
};
use serde_json::{Value, json};

/// The files next to the checkout that are of a known format.
const FULL: [&str; 13] = [
    "kubevirt/evaluator-cases.jsonl",
    "kubevirt/semantics-examples.jsonl",
    "kubernetes/vap-cases.jsonl",
    "kubernetes/crd-cases.jsonl",
    "kubernetes/crd-cases-2.jsonl",
    "kubernetes/rule-cases.jsonl",
    "kubernetes/policy-cases.jsonl",
    "kubernetes/policy-documents.jsonl",
    "nova/extra-spec-cases.jsonl",
    "nova/extra-spec-definition-cases.jsonl",
    "nova/extra-spec-api-cases.jsonl",
    "nova/extra-spec-slow-cases.jsonl",
    "nova/glance-metadef-cases.jsonl",
];

/// Cases with a feature that our evaluator refuses by name. They differ, and no others do.
const REFUSED: [&str; 1] = ["runtime-084"];

/// Beginning of the kinds of documents that are not reviewed, which is refused by name as well.
const UNREVIEWED: &str = "Mutating";

/// Selections that are picked by rule: the full file, the selection, and how many rows of each sort.
const PICKED: [(&str, &str, usize); 11] = [
    ("kubernetes/vap-cases.jsonl", "kubernetes-policy.jsonl", 8),
    ("kubernetes/crd-cases.jsonl", "kubernetes-crd.jsonl", 3),
    ("kubernetes/crd-cases-2.jsonl", "kubernetes-crd-2.jsonl", 1),
    ("kubernetes/rule-cases.jsonl", "kubernetes-rule.jsonl", 4),
    ("kubernetes/policy-cases.jsonl", "kubernetes-admission.jsonl", 1),
    ("kubernetes/policy-documents.jsonl", "kubernetes-document.jsonl", 2),
    ("nova/extra-spec-cases.jsonl", "nova-extra-specs.jsonl", 2),
    ("nova/extra-spec-definition-cases.jsonl", "nova-definitions.jsonl", 4),
    ("nova/extra-spec-api-cases.jsonl", "nova-api.jsonl", 1),
    ("nova/extra-spec-slow-cases.jsonl", "nova-slow.jsonl", 1),
    ("nova/glance-metadef-cases.jsonl", "glance-metadef.jsonl", 6),
];

const SHOWN: usize = 20;

fn report(path: &Path) -> CaseReport {
    run_cases(BufReader::new(File::open(path).expect("a recorded file opens")), SHOWN)
}

/// Runs a file, tells its counts, and fails with its differences.
fn agrees(path: &Path) {
    let report = report(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    println!("{name}: {}", summary_line(report.total_count(), report.unread));
    let wrong: Vec<_> = report.differences.iter().filter(|difference| !is_refused(difference)).collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    assert!(report.problems.is_empty(), "{name}: {:#?}", report.problems);
}

fn is_refused(difference: &CaseDifference) -> bool {
    let id = difference.id.as_deref().unwrap_or_default();
    let is_unreviewed = difference.actual.contains(&format!("refused by name: the review of a {UNREVIEWED}"));
    is_unreviewed || REFUSED.contains(&id) && difference.actual.contains("refused by name: ")
}

fn selections() -> Vec<PathBuf> {
    let folder = kvrules_tests::repository_root().join("tests/conformance");
    let entries = std::fs::read_dir(folder).expect("the selections are in the repository");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_selection_in_the_repository_comes_out_as_recorded() {
    let paths = selections();
    assert!(!paths.is_empty());
    paths.iter().for_each(|path| agrees(path));
}

#[test]
fn every_full_file_comes_out_as_recorded() {
    for file in FULL {
        if let Some(path) = kvrules_testdata::find_path(file) {
            agrees(&path);
        }
    }
}

#[test]
fn the_picked_selections_are_the_smallest_cases_of_each_sort() {
    for (full, selection, of_each) in PICKED {
        let Some(full) = kvrules_testdata::read_text(full) else { continue };
        let picked = pick(&full, of_each);
        let path = kvrules_tests::repository_root().join("tests/conformance").join(selection);
        if std::env::var_os("KVRULES_PICK").is_some() {
            std::fs::write(&path, &picked).expect("the selection can be written");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == picked, "{selection} is not what is picked: run this test with KVRULES_PICK=1");
    }
}

/// Of each sort of case the smallest, as they are spelled and in their order.
fn pick(full: &str, of_each: usize) -> String {
    let mut sorts = std::collections::BTreeMap::<String, Vec<(usize, usize)>>::new();
    for (at, line) in full.lines().enumerate() {
        let case: Value = serde_json::from_str(line).expect("a case is JSON");
        let id = case["id"].as_str().unwrap_or_default();
        let is_reviewed = case["doc"]["kind"].as_str().is_none_or(|kind| !kind.starts_with(UNREVIEWED));
        if is_reviewed && !REFUSED.contains(&id) && !id.starts_with("real-") {
            sorts.entry(sort(&case)).or_default().push((line.len(), at));
        }
    }
    let mut picked = std::collections::BTreeSet::new();
    for mut lines in sorts.into_values() {
        lines.sort_unstable();
        picked.extend(lines.into_iter().take(of_each).map(|(_, at)| at));
    }
    let lines = full.lines().enumerate().filter(|(at, _)| picked.contains(at));
    lines.map(|(_, line)| format!("{line}\n")).collect()
}

/// Returns the category of a case: its kind with the reasons of what is rejected and whether there are warnings, or
/// its family with whether it is accepted, has rules, has objects whose rules were run, and has objects that are
/// rejected.
fn sort(case: &Value) -> String {
    if let Some(sort) = openstack_sort(case) {
        return sort;
    }
    if let Some(sort) = admission_sort(case) {
        return sort;
    }
    let expect = &case["expect"];
    let list = |key: &str| expect[key].as_array().cloned().unwrap_or_default();
    let has = |key: &str, member: &str| list(key).iter().any(|it| !it[member].is_null());
    if let Some(kind) = case["kind"].as_str() {
        let answers = [list("causes"), list("vms")].concat();
        let reasons: std::collections::BTreeSet<String> =
            answers.iter().map(|it| it["reason"].to_string()).collect();
        return format!("{kind} {reasons:?} {}", has("vms", "warnings"));
    }
    let outcome = [has("rules", "index"), has("objects", "celCost"), has("objects", "errors")];
    format!("{} {} {outcome:?}", case["family"], expect["accepted"])
}

/// The sort of a single rule: how it came out, and if it is about a dynamic value. Of a document: its kind and the fields of its
/// errors. Of requests: the reasons, the answers' parts and the kinds of parameters' references.
fn admission_sort(case: &Value) -> Option<String> {
    let items = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let kinds =
        |errors: &Value| -> Vec<String> { items(errors).iter().map(|it| it["type"].to_string()).collect() };
    if let Some(rule) = case["rule"].as_str() {
        let outcome = [&case["definition"], &case["object_"]].map(|it| kinds(&it["errors"]));
        return Some(format!("{outcome:?} {} {}", rule.contains("dyn("), rule.contains("google")));
    }
    if case["mutation"].is_array() {
        let field =
            |error: &Value| error["field"].as_str().unwrap_or_default().split('[').next().map(str::to_owned);
        let fields: Vec<_> = items(&case["expect"]["errors"]).iter().take(1).map(field).collect();
        return Some(format!("{} {:?} {fields:?}", case["doc"]["kind"], kinds(&case["expect"]["errors"])));
    }
    let results = case["expect"]["results"].as_array().filter(|_| case["case"].is_object())?;
    let parts = |result: &Value| {
        let audit = result["audit"].as_object().is_some_and(|audit| !audit.is_empty());
        format!("{} {} {audit}", result["reason"], result["warnings"].is_array())
    };
    let answers: std::collections::BTreeSet<String> = results.iter().map(parts).collect();
    let bindings = items(&case["case"]["bindings"]);
    let params: std::collections::BTreeSet<String> =
        bindings.iter().map(|it| it["spec"]["paramRef"]["parameterNotFoundAction"].to_string()).collect();
    Some(format!("{answers:?} {params:?}"))
}

/// The sort of a case of Nova's or Glance's: its family, how it came out, and what it was found by.
fn openstack_sort(case: &Value) -> Option<String> {
    let members: &[&str] = if case["modes"].is_object() {
        &["family", "kind", "how", "modes"]
    } else if case["checks"].is_array() {
        &["family", "construct"]
    } else if case["microversion"].is_string() {
        &["method", "microversion", "status"]
    } else if case["ok_linear"].is_boolean() {
        &["family", "ok_linear", "ok"]
    } else if case["document"].is_object() || case["api"].is_string() {
        &["schema", "api"]
    } else {
        return None;
    };
    let reported: Vec<String> = members.iter().map(|member| case[*member].to_string()).collect();
    let crashes: std::collections::BTreeSet<String> = case["checks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|check| format!("{}{}", check["ok"], check["crash"]))
        .collect();
    // The parts of the message outside of quotation marks, which do not depend on the request.
    let words: String = case["message"].as_str().unwrap_or_default().split('\'').step_by(2).collect();
    let words: String = words.chars().filter(|char| !char.is_ascii_digit()).take(60).collect();
    let back = case["round_trip"].is_object();
    Some(format!("{reported:?} {crashes:?} {words} {back}"))
}

/// The cases of a selection.
fn selected(name: &str) -> Vec<Value> {
    let path = kvrules_tests::repository_root().join("tests/conformance").join(name);
    let text = std::fs::read_to_string(path).expect("the selection is in the repository");
    text.lines().map(|line| serde_json::from_str(line).expect("a case is JSON")).collect()
}

/// Exchanges each member in turn, in the first case that has it, and runs that case.
fn every_exchange_differs(cases: &[Value], members: &[&str]) {
    for member in members {
        let case = cases.iter().find(|case| case.pointer(member).is_some());
        let mut case = case.unwrap_or_else(|| panic!("no case has {member}")).clone();
        assert_eq!(run_cases(case.to_string().as_bytes(), SHOWN).total_count().agreed, 1, "{member}");
        let recorded = case.pointer_mut(member).expect("the case has the member");
        *recorded = other(recorded);
        let report = run_cases(case.to_string().as_bytes(), SHOWN);
        assert_eq!((report.total_count().agreed, report.total_count().total), (0, 1), "{member}");
    }
}

/// Another value, of the same type where that is easy.
fn other(value: &Value) -> Value {
    match (value.as_bool(), value.as_u64()) {
        (Some(flag), _) => json!(!flag),
        (None, Some(number)) => json!(number + 1),
        (None, None) => json!("other"),
    }
}

#[test]
fn of_a_policy_its_causes_and_of_its_machines_every_answer_are_compared() {
    let cases = selected("kubernetes-policy.jsonl");
    let of_documents = ["accepted", "causes/0/field", "causes/0/reason", "causes/0/message"];
    let of_machines = ["name", "accepted", "code", "reason", "message", "causes/0/message", "warnings/0"];
    let documents = of_documents.map(|member| format!("/expect/{member}"));
    let machines = of_machines.map(|member| format!("/expect/vms/0/{member}"));
    let others = ["/expect/policy/accepted", "/expect/binding/accepted"].map(str::to_owned);
    let members = [&documents[..], &machines[..], &others[..]].concat();
    every_exchange_differs(&cases, &members.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn of_a_rule_a_document_and_a_request_every_answer_is_compared() {
    let rule = ["definition/accepted", "definition/errors/0/detail", "definition/cost/0", "object_/accepted"];
    let rule = [&rule[..], &["object_/errors/0/type", "object_/errors/0/field", "object_/errors/0/detail"]];
    let rule: Vec<String> = rule.concat().iter().map(|member| format!("/{member}")).collect();
    let document = ["accepted", "errors/0/type", "errors/0/field", "errors/0/detail"];
    let document = document.map(|member| format!("/expect/{member}"));
    let answer = ["denied", "code", "reason", "message", "cause", "warnings/0"];
    let mut answer: Vec<String> = answer.iter().map(|member| format!("/expect/results/0/{member}")).collect();
    answer.push("/expect/documents/0/accepted".to_owned());
    let members =
        |members: &[String]| members.iter().map(String::as_str).map(str::to_owned).collect::<Vec<_>>();
    for (selection, members) in [
        ("kubernetes-rule.jsonl", members(&rule)),
        ("kubernetes-document.jsonl", members(&document)),
        ("kubernetes-admission.jsonl", members(&answer)),
    ] {
        every_exchange_differs(&selected(selection), &members.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn of_a_definition_errors_rules_and_costs_are_compared() {
    let cases = selected("kubernetes-crd.jsonl");
    let of_document = ["accepted", "errors/0/type", "errors/0/field", "errors/0/detail", "totalCost/*"];
    let of_rules = [
        "schemaPath",
        "index",
        "rule",
        "valid",
        "errors/0/detail",
        "maxCost",
        "maxCardinality",
        "cardinalityBounded",
        "estimatedCost",
        "messageExpressionMaxCost",
        "usesOldSelf",
    ];
    let document = of_document.map(|member| format!("/expect/{member}"));
    let rules = of_rules.map(|member| format!("/expect/rules/0/{member}"));
    let members = [&document[..], &rules[..]].concat();
    every_exchange_differs(&cases, &members.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn of_an_object_of_a_definition_the_whole_answer_is_compared() {
    let cases = selected("kubernetes-crd.jsonl");
    let members =
        ["name", "op", "valid", "errors/0/type", "errors/0/field", "errors/0/detail", "effective", "celCost"];
    let members: Vec<_> = members.iter().map(|member| format!("/expect/objects/0/{member}")).collect();
    every_exchange_differs(&cases, &members.iter().map(String::as_str).collect::<Vec<_>>());
    every_exchange_differs(&cases, &["/objects/0/name"]);
    for has_word in ["unknown field", ": Invalid value: "] {
        let warns = |object: &Value| object["warnings"][0].as_str().is_some_and(|it| it.contains(has_word));
        let of = |case: &Value| case["expect"]["objects"].as_array()?.iter().position(warns);
        let (case, at) = cases.iter().find_map(|case| Some((case, of(case)?))).expect("a case warns so");
        every_exchange_differs(std::slice::from_ref(case), &[&format!("/expect/objects/{at}/warnings/0")]);
    }
}

#[test]
fn objects_that_cannot_be_judged_differ_and_bring_nothing_down() {
    let mut cases = selected("kubernetes-crd.jsonl");
    cases.retain(|case| case["expect"]["objects"][0].is_object());
    let case = cases.swap_remove(0);
    for member in ["/crd", "/crd/spec/versions", "/objects", "/objects/0", "/objects/0/object"] {
        for other in [json!(null), json!([]), json!({}), json!("text"), json!(7)] {
            let mut case = case.clone();
            *case.pointer_mut(member).expect("the case has the member") = other.clone();
            let report = run_cases(case.to_string().as_bytes(), SHOWN);
            assert_eq!((report.total_count().agreed, report.unread), (0, 0), "{member} {other}");
            let actual = report.differences.first().map(|it| it.actual.as_str()).unwrap_or_default();
            assert!(!actual.contains("a panic"), "{member} {other}: {actual}");
        }
    }
}

#[test]
fn what_the_evaluator_refuses_by_name_differs_and_is_named() {
    let mut cases = selected("kubernetes-policy.jsonl");
    cases.retain(|case| case["kind"] == "runtime" && case["expect"]["policy"]["accepted"] == true);
    let mut case = cases.swap_remove(0);
    case["policy"]["spec"]["matchConditions"] = json!(null);
    case["policy"]["spec"]["validations"] =
        json!([{"expression": "authorizer.group('').resource('pods').check('get').allowed()"}]);
    let report = run_cases(case.to_string().as_bytes(), SHOWN);
    let difference = report.differences.first().expect("a refusal differs");
    assert!(difference.actual.contains("refused by name: `authorizer`"), "{}", difference.actual);
}

#[test]
fn every_row_of_the_selections_is_of_one_format() {
    let mut kinds = std::collections::BTreeMap::<&str, usize>::new();
    for path in selections() {
        let text = std::fs::read_to_string(&path).expect("a selection opens");
        for line in text.lines() {
            let row = CaseRow::parse(line.as_bytes()).expect("a case is JSON");
            let mut of = FORMATS.iter().filter(|format| (format.recognises)(&row));
            let (Some(format), None) = (of.next(), of.next()) else {
                panic!("not of one format: {line}");
            };
            *kinds.entry(format.name).or_default() += 1;
        }
    }
    println!("selections: {kinds:?}");
    assert_eq!(kinds.len(), FORMATS.len(), "a format has no selection");
}

#[test]
fn of_an_expected_meaning_every_named_member_is_compared() {
    let row = |expected: &str| {
        let rules = r#"[{"name":"r","rule":"integer","message":"m","path":"jsonpath::.spec.domain.cpu.cores","max":1}]"#;
        let vm = r#"{"spec":{"template":{"spec":{"domain":{"cpu":{}}}}}}"#;
        let row = format!(r#"{{"id":"m","sentence":"s","rules":{rules},"vm":{vm},"expected":[{expected}]}}"#);
        run_cases(row.as_bytes(), SHOWN).total_count().agreed
    };
    let place = ".spec.template.spec.domain.cpu.cores";
    assert_eq!(row(r#"{"outcome":"satisfied"}"#), 1);
    assert_eq!(row(r#"{"outcome":"violated"}"#), 0);
    assert_eq!(row(&format!(r#"{{"outcome":"satisfied","values":[["{place}",1,"default"]]}}"#)), 1);
    assert_eq!(row(&format!(r#"{{"outcome":"satisfied","values":[["{place}",1]]}}"#)), 0);
    assert_eq!(row(r#"{"outcome":"satisfied","rejects":true}"#), 0);
    assert_eq!(row(r#"{"outcome":"satisfied","no such member":true}"#), 0);
    assert_eq!(row(r#"{"outcome":"satisfied"},{"outcome":"satisfied"}"#), 0);
    assert_eq!(row(""), 0);
}

#[test]
fn of_a_difference_the_ids_are_compared() {
    let path = kvrules_tests::repository_root().join("tests/conformance/differences.jsonl");
    let text = std::fs::read_to_string(path).expect("the selection is in the repository");
    let line =
        text.lines().find(|line| line.contains(r#""differs": [["D1"]]"#)).expect("D1 has a case of its own");
    assert_eq!(run_cases(line.as_bytes(), SHOWN).total_count().agreed, 1);
    for (from, to) in [(r#"["D1"]"#, r#"["D2"]"#), (r#""spec": ["#, r#""spec": ["skipped", "#)] {
        assert_eq!(run_cases(line.replace(from, to).as_bytes(), SHOWN).total_count().agreed, 0, "{from}");
    }
}

/// A case that comes out as recorded, with a member exchanged.
fn case(from: &str, to: &str) -> String {
    let case = r#"{"id":"c1","family":"demo","rules":"[]","vm":{"spec":{}},"expected":{"vmError":null,"parseError":null,"panic":null,"status":[],"succeeded":true,"causes":[]}}"#;
    assert!(case.contains(from), "{from}");
    case.replace(from, to)
}

/// Runs the command over files with these texts.
fn conformance(test: &str, texts: &[&str], options: &[&str]) -> (i32, String, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance").join(test);
    std::fs::create_dir_all(&folder).expect("the folder for tests can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_conformance"));
    command.current_dir(&folder).args(options);
    for (index, text) in texts.iter().enumerate() {
        let name = format!("{index}.jsonl");
        std::fs::write(folder.join(&name), text).expect("the folder for tests can be written");
        command.arg(name);
    }
    outcome(command)
}

fn outcome(mut command: Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("what is told is text");
    (status.code().expect("the command ends by itself"), text(stdout), text(stderr))
}

#[test]
fn a_case_that_agrees_passes() {
    let (status, out, err) = conformance("agrees", &[&case("", "")], &[]);
    assert_eq!(out, "0.jsonl\n  demo: 1/1\n  1 passed, 0 failed\ntotal of 1 file: 1 passed, 0 failed\n");
    assert_eq!((status, err.as_str()), (0, ""));
}

#[test]
fn a_tampered_case_is_told_with_both_answers_and_fails() {
    let text = format!("{}\n\n{}\n", case("", ""), case("\"succeeded\":true", "\"succeeded\":false"));
    let (status, out, err) = conformance("tampered", &[&text], &[]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert_eq!(
        out,
        "0.jsonl\n  demo: 1/2\n  c1 (line 3)\n    \
         expected {\"vmError\":null,\"parseError\":null,\"panic\":null,\"status\":[],\"succeeded\":false,\"causes\":[]}\n    \
         actual   {\"vmError\":null,\"parseError\":null,\"panic\":null,\"status\":[],\"succeeded\":true,\"causes\":[]}\n  \
         1 passed, 1 failed\ntotal of 1 file: 1 passed, 1 failed\n"
    );
}

#[test]
fn twenty_differences_of_a_file_are_shown_unless_all_are_asked_for() {
    let row = case("\"succeeded\":true", "\"succeeded\":false");
    let text = [row.as_str(); 23].join("\n");
    let (status, out, _) = conformance("twenty", &[&text], &[]);
    assert_eq!((status, out.matches("    actual ").count()), (1, 20));
    assert!(out.contains("  and 3 more that differ; --all shows them\n"), "{out}");
    let (status, out, _) = conformance("all", &[&text], &["--all"]);
    assert_eq!((status, out.matches("    actual ").count()), (1, 23));
}

#[test]
fn a_broken_line_and_an_unknown_format_are_named_and_hide_nothing() {
    let broken = format!("{}\n{{\"id\": }}\n{}\n", case("", ""), case("", ""));
    let unknown = r#"{"id":"x","question":1}"#;
    let (status, out, err) = conformance("unread", &[&broken, unknown, "", &case("", "")], &[]);
    assert_eq!(status, 2);
    assert_eq!(
        err,
        "0.jsonl:2: the line is not JSON: expected value (column 8)\n\
         1.jsonl:1: the format is not known: the fields are `id`, `question`\n\
         2.jsonl:1: there is no case in it\n"
    );
    assert!(out.starts_with("0.jsonl\n  demo: 2/2\n  2 passed, 0 failed, 1 not read\n"), "{out}");
    assert!(out.ends_with("total of 4 files: 3 passed, 0 failed, 3 not read\n"), "{out}");
}

#[test]
fn what_could_not_be_run_outweighs_what_differs() {
    let text = format!("{}\n[1]", case("\"succeeded\":true", "\"succeeded\":false"));
    let (status, _, err) = conformance("both", &[&text], &[]);
    assert_eq!(status, 2);
    assert_eq!(err, "0.jsonl:2: the format is not known: the line is not an object with fields\n");
}

#[test]
fn a_missing_file_and_a_wrong_command_line_have_status_2() {
    let with = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conformance"));
        command.current_dir(env!("CARGO_TARGET_TMPDIR")).args(args);
        outcome(command)
    };
    let (status, _, err) = with(&["there-is-no-such.jsonl"]);
    assert_eq!(status, 2);
    assert!(err.starts_with("there-is-no-such.jsonl:1: cannot be read: "), "{err}");
    assert_eq!(with(&[]).0, 2);
    assert_eq!(with(&["--everything", "x.jsonl"]).0, 2);
}

#[test]
fn engine_dependent_words_are_not_compared_but_the_kind_of_answer_is() {
    let run_one = |marks: &str, expected: &str| {
        let row = format!(r#"{{"id":"e",{marks}"rules":"[","vm":{{}},"expected":{expected}}}"#);
        run_cases(row.as_bytes(), SHOWN).total_count().agreed
    };
    let parse = r#"{"vmError":null,"parseError":"other words","panic":null,"status":null,"succeeded":null,"causes":null}"#;
    let vm = r#"{"vmError":"other words","parseError":null,"panic":null,"status":null,"succeeded":null,"causes":null}"#;
    let mark = r#""errorText":"engine-dependent","#;
    assert_eq!(run_one(mark, parse), 1);
    assert_eq!(run_one("", parse), 0);
    assert_eq!(run_one(mark, vm), 0);
}

#[test]
fn of_a_case_in_random_order_only_the_verdict_is_compared() {
    let rest = r#""nondeterministic":true,"expected""#;
    let other_order = case("\"status\":[]", "\"status\":[1]").replace("\"expected\"", rest);
    assert_eq!(run_cases(other_order.as_bytes(), SHOWN).total_count().agreed, 1);
    let denied = other_order.replace("\"succeeded\":true", "\"succeeded\":false");
    assert_eq!(run_cases(denied.as_bytes(), SHOWN).total_count().agreed, 0);
}

#[test]
fn a_machine_is_judged_as_it_is_spelled_however_deep_it_nests() {
    let deep = format!("{{\"metadata\":{{\"annotations\":{}{}}}}}", "[".repeat(9_000), "]".repeat(9_000));
    let report = run_cases(case("{\"spec\":{}}", &deep).as_bytes(), SHOWN);
    assert_eq!(report.unread, 0);
    let actual = report.differences.first().map(|difference| difference.actual.clone()).unwrap_or_default();
    assert!(actual.contains("vmError") && !actual.contains("\"vmError\":null"), "{actual}");
}

#[test]
fn cases_beyond_one_batch_are_counted_in_order() {
    let wrong = case("\"succeeded\":true", "\"succeeded\":false");
    let right = case("", "");
    let rows: Vec<&str> =
        (1..=5_000).map(|line| if line % 1_000 == 0 { &wrong[..] } else { &right[..] }).collect();
    let report = run_cases(rows.join("\n").as_bytes(), SHOWN);
    let lines: Vec<usize> = report.differences.iter().map(|difference| difference.line).collect();
    assert_eq!(lines, [1_000, 2_000, 3_000, 4_000, 5_000]);
    assert_eq!(report.total_count().agreed, 4_995);
}

#[test]
fn of_a_pair_every_member_that_nova_answered_is_compared() {
    let mut cases = selected("nova-extra-specs.jsonl");
    cases.retain(|case| case["how"] == "pattern" && case["expected"]["ok"] == false);
    let members =
        ["expected/ok", "expected/error", "kind", "matched", "how", "params/group", "namespace_known"];
    let modes = ["strict", "permissive", "off"].map(|mode| format!("/modes/{mode}"));
    let members: Vec<_> = members.iter().map(|member| format!("/{member}")).chain(modes).collect();
    every_exchange_differs(&cases, &members.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn of_definitions_requests_and_metadefs_every_answer_is_compared() {
    let mut cases = selected("nova-definitions.jsonl");
    cases.retain(|case| case["checks"][0]["error"].is_string());
    let members = ["/construct", "/name_regexes/0", "/namespaces/0", "/checks/0/ok", "/checks/0/error"];
    every_exchange_differs(&cases, &members);
    let mut cases = selected("nova-api.jsonl");
    cases.retain(|case| case["message"].is_string());
    every_exchange_differs(&cases, &["/message", "/status"]);
    every_exchange_differs(&selected("nova-slow.jsonl"), &["/ok_linear", "/ok"]);
    every_exchange_differs(&selected("glance-metadef.jsonl"), &["/schema", "/api"]);
}
