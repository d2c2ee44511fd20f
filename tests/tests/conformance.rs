//! Recorded cases: the selections in `conformance/` agree, the full files agree where they are there, and the runner
//! of both notices what does not.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kvrules_tests::conformance::{
    FORMATS,
    report::{Report, closing},
    row::Row,
    run::run,
};

/// The files next to the checkout that are of a known format.
const FULL: [&str; 2] = ["kubevirt/evaluator-cases.jsonl", "kubevirt/semantics-examples.jsonl"];

const SHOWN: usize = 20;

fn report(path: &Path) -> Report {
    run(BufReader::new(File::open(path).expect("a recorded file opens")), SHOWN)
}

/// Runs a file, tells its counts, and fails with its differences.
fn agrees(path: &Path) {
    let report = report(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    println!("{name}: {}", closing(report.count(), report.unread));
    assert!(report.differences.is_empty(), "{name}: {:#?}", report.differences);
    assert!(report.problems.is_empty(), "{name}: {:#?}", report.problems);
}

fn selections() -> Vec<PathBuf> {
    let folder = kvrules_tests::root().join("tests/conformance");
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
        if let Some(path) = kvrules_tests::shared(file, "the recorded cases") {
            agrees(&path);
        }
    }
}

#[test]
fn every_row_of_the_selections_is_of_one_format() {
    let mut kinds = std::collections::BTreeMap::<&str, usize>::new();
    for path in selections() {
        let text = std::fs::read_to_string(&path).expect("a selection opens");
        for line in text.lines() {
            let row = Row::parse(line.as_bytes()).expect("a case is JSON");
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
        run(row.as_bytes(), SHOWN).count().agreed
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
    let path = kvrules_tests::root().join("tests/conformance/differences.jsonl");
    let text = std::fs::read_to_string(path).expect("the selection is in the repository");
    let line =
        text.lines().find(|line| line.contains(r#""differs": [["D1"]]"#)).expect("D1 has a case of its own");
    assert_eq!(run(line.as_bytes(), SHOWN).count().agreed, 1);
    for (from, to) in [(r#"["D1"]"#, r#"["D2"]"#), (r#""spec": ["#, r#""spec": ["skipped", "#)] {
        assert_eq!(run(line.replace(from, to).as_bytes(), SHOWN).count().agreed, 0, "{from}");
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
        run(row.as_bytes(), SHOWN).count().agreed
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
    assert_eq!(run(other_order.as_bytes(), SHOWN).count().agreed, 1);
    let denied = other_order.replace("\"succeeded\":true", "\"succeeded\":false");
    assert_eq!(run(denied.as_bytes(), SHOWN).count().agreed, 0);
}

#[test]
fn a_machine_is_judged_as_it_is_spelled_however_deep_it_nests() {
    let deep = format!("{{\"metadata\":{{\"annotations\":{}{}}}}}", "[".repeat(9_000), "]".repeat(9_000));
    let report = run(case("{\"spec\":{}}", &deep).as_bytes(), SHOWN);
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
    let report = run(rows.join("\n").as_bytes(), SHOWN);
    let lines: Vec<usize> = report.differences.iter().map(|difference| difference.line).collect();
    assert_eq!(lines, [1_000, 2_000, 3_000, 4_000, 5_000]);
    assert_eq!(report.count().agreed, 4_995);
}
