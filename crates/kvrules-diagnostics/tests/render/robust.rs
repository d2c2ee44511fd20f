//! Whatever the text and the spans: every format answers, twice the same, in its own shape.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::sample::{raise_finding, render, sample, span_of};
use jsonschema::Validator;
use kvrules_diagnostics::render::{RenderFormat, RenderOptions};
use kvrules_diagnostics::{Applicability, Diagnostic, Edit, FileId, Fix, Level, Sources, Span};
use proptest::prelude::*;
use serde_json::Value;

/// The part of SARIF 2.1.0 that we use.
static SARIF: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("sarif-2.1.0-required.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

/// Returns the errors in `log`.
fn errors(log: &Value) -> Vec<String> {
    let wording = SARIF.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path()));
    wording.collect()
}

#[test]
fn sarif_has_what_the_standard_requires() {
    let (diagnostics, sources) = sample();
    for shown in [&diagnostics[..], &[]] {
        let log = serde_json::from_str(&render(RenderFormat::Sarif, shown, &sources)).unwrap();
        assert_eq!(errors(&log), Vec::<String>::new());
    }
}

#[test]
fn the_schema_refuses_logs_that_lack_something() {
    let (diagnostics, sources) = sample();
    let log: Value = serde_json::from_str(&render(RenderFormat::Sarif, &diagnostics, &sources)).unwrap();
    let broken = |pointer: &str, value: Value| {
        let mut log = log.clone();
        *log.pointer_mut(pointer).unwrap() = value;
        !SARIF.is_valid(&log)
    };
    assert!(broken("/version", "2.0.0".into()));
    assert!(broken("/runs/0/tool/driver/name", Value::Null));
    assert!(broken("/runs/0/results/0/message", serde_json::json!({})));
    assert!(broken("/runs/0/results/0/level", "info".into()));
    assert!(broken("/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0.into()));
    assert!(broken("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", "a b".into()));
}

#[test]
fn sarif_describes_codes_by_their_summaries_where_they_are_given() {
    let (diagnostics, sources) = sample();
    let options =
        RenderOptions { summaries: vec![("KV102", "a key is missing")], ..RenderOptions::default() };
    let log = kvrules_diagnostics::render::render_diagnostics(
        RenderFormat::Sarif,
        &diagnostics,
        &sources,
        &options,
    );
    let log: Value = serde_json::from_str(&log).unwrap();
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let described: Vec<_> =
        rules.iter().map(|rule| rule["shortDescription"]["text"].as_str().unwrap()).collect();
    assert_eq!(described, ["tab", "a key is missing", "empty range", "lost"]);
}

#[test]
fn a_fix_for_a_person_is_not_in_sarif_where_a_reader_would_apply_it() {
    let mut sources = Sources::default();
    let file = sources.add_file("a.yaml", "a: 1\n");
    let fixes = |applicability| {
        let edit = Edit { span: Span::new(file, 3, 4), replacement: "2".to_owned() };
        let fix = Fix { title: "t".to_owned(), applicability, edits: vec![edit], removes_rule: false };
        let finding = raise_finding("KV001", "x", Level::Error, Span::new(file, 3, 4), "m").with_fix(fix);
        let log: Value = serde_json::from_str(&render(RenderFormat::Sarif, &[finding], &sources)).unwrap();
        assert_eq!(errors(&log), Vec::<String>::new());
        log["runs"][0]["results"][0]["fixes"].clone()
    };
    assert_eq!(fixes(Applicability::DisplayOnly), Value::Null);
    let replacement = &fixes(Applicability::Safe)[0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "2");
    let region = serde_json::json!({"startLine": 1, "startColumn": 4, "endLine": 1, "endColumn": 5});
    assert_eq!(replacement["deletedRegion"], region);
}

#[test]
fn sarif_rule_indices_name_the_rule_of_the_result() {
    let (diagnostics, sources) = sample();
    let log: Value = serde_json::from_str(&render(RenderFormat::Sarif, &diagnostics, &sources)).unwrap();
    let run = &log["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn a_finding_without_a_known_file_has_no_location_in_sarif() {
    let (diagnostics, sources) = sample();
    let log: Value = serde_json::from_str(&render(RenderFormat::Sarif, &diagnostics, &sources)).unwrap();
    assert_eq!(log["runs"][0]["results"][4]["ruleId"], "KV900");
    assert_eq!(log["runs"][0]["results"][4]["locations"], serde_json::json!([]));
}

/// The findings as the `json` format has them.
fn array_of(findings: &[Diagnostic], sources: &Sources) -> Vec<Value> {
    serde_json::from_str(&render(RenderFormat::Json, findings, sources)).unwrap()
}

/// True if an object has what GitLab reads of an issue, in the types that it documents.
fn is_issue(issue: &Value) -> bool {
    let severities = ["info", "minor", "major", "critical", "blocker"];
    ["description", "check_name", "fingerprint"].iter().all(|key| issue[key].is_string())
        && issue["severity"].as_str().is_some_and(|severity| severities.contains(&severity))
        && issue["location"]["path"].is_string()
        && issue["location"]["lines"]["begin"].as_u64().is_some_and(|line| line > 0)
}

/// The test cases of a report and whether they fail. That the counts of the report are true is checked on the way.
fn test_cases(report: &str) -> Vec<(String, bool)> {
    let document = roxmltree::Document::parse(report).unwrap();
    let failed = |case: &roxmltree::Node<'_, '_>| case.children().any(|child| child.has_tag_name("failure"));
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
    let cases: Vec<_> =
        cases.map(|case| (case.attribute("name").unwrap().to_owned(), failed(&case))).collect();
    let counts = |name: &str| document.root_element().attribute(name).unwrap().parse::<usize>().unwrap();
    assert_eq!(cases.len(), counts("tests"));
    assert_eq!(cases.iter().filter(|(_, fails)| *fails).count(), counts("failures"));
    cases
}

/// A case for each finding, and one for each file without any.
fn expected_cases(findings: &[Diagnostic], sources: &Sources) -> usize {
    let has = |id| findings.iter().any(|finding| finding.primary.span.file == id);
    findings.len() + sources.files().iter().filter(|file| !has(file.id())).count()
}

#[test]
fn what_fails_in_junit_is_worse_than_what_may_pass() {
    let (diagnostics, sources) = sample();
    let failing = |passing| {
        let options = RenderOptions { passing, ..RenderOptions::default() };
        let report = kvrules_diagnostics::render::render_diagnostics(
            RenderFormat::Junit,
            &diagnostics,
            &sources,
            &options,
        );
        test_cases(&report).into_iter().filter(|(_, fails)| *fails).count()
    };
    let levels = [Some(Level::Error), Some(Level::Warning), Some(Level::Info), None];
    assert_eq!(levels.map(failing), [0, 3, 4, 5]);
}

#[test]
fn a_file_without_findings_passes_in_junit() {
    let mut sources = Sources::default();
    sources.add_file("clean.yaml", "a: 1\n");
    let report = render(RenderFormat::Junit, &[], &sources);
    assert_eq!(test_cases(&report), [("no findings".to_owned(), false)]);
}

#[test]
fn a_fingerprint_in_gitlab_does_not_move_with_the_lines() {
    let print = |text: &str| {
        let mut sources = Sources::default();
        let file = sources.add_file("./a.yaml", text);
        let finding = raise_finding("KV001", "x", Level::Error, span_of(&sources, file, "b"), "m");
        array_at(&render(RenderFormat::Gitlab, &[finding], &sources))
    };
    let (old, new) = (print("b: 1\n"), print("\n\nb: 1\n"));
    assert_eq!(old["fingerprint"], new["fingerprint"]);
    assert_eq!(
        (&old["location"]["lines"]["begin"], &new["location"]["lines"]["begin"]),
        (&1.into(), &3.into())
    );
    assert_eq!(old["location"]["path"], "a.yaml");
}

/// The first of a JSON array.
fn array_at(text: &str) -> Value {
    let mut array: Vec<Value> = serde_json::from_str(text).unwrap();
    array.remove(0)
}

prop_compose! {
    fn span()(file in 0..3_u32, start in 0..60_u32, end in 0..60_u32) -> Span {
        Span { file: FileId(file), start, end }
    }
}

prop_compose! {
    fn finding()(primary in span(), others in prop::collection::vec(span(), 0..4), words in "\\PC{0,9}|.{0,9}")
        -> Diagnostic
    {
        let finding = raise_finding("KV001", "any_thing", Level::Warning, primary, words.clone())
            .with_label(words.clone())
            .with_help(words.clone());
        let edit = Edit { span: primary, replacement: words.clone() };
        let fix = Fix { title: words.clone(), applicability: Applicability::Unsafe, edits: vec![edit], removes_rule: false };
        others.into_iter().fold(finding.with_fix(fix), |finding, span| finding.with_secondary_label(span, words.clone()))
    }
}

proptest! {
    // Add a failing case as a test of its own, not as a regression file.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_format_answers_for_any_text_and_any_spans(
        texts in prop::collection::vec("[a é名\t\n\r\u{feff}\u{200d}\u{1b}:]{0,60}", 0..3),
        findings in prop::collection::vec(finding(), 0..4),
    ) {
        let mut sources = Sources::default();
        for text in texts {
            sources.add_file("a,b:c%.yaml", text);
        }
        for format in RenderFormat::ALL {
            let text = render(format, &findings, &sources);
            prop_assert_eq!(&text, &render(format, &findings, &sources));
            prop_assert!(text.is_empty() || text.ends_with('\n'));
            match format {
                RenderFormat::Human => {}
                RenderFormat::Concise | RenderFormat::Github => prop_assert_eq!(text.lines().count(), findings.len()),
                RenderFormat::Jsonl => {
                    let objects = text.lines().map(|line| serde_json::from_str(line).unwrap());
                    prop_assert_eq!(objects.collect::<Vec<Value>>(), array_of(&findings, &sources));
                }
                RenderFormat::Gitlab => {
                    let issues: Vec<Value> = serde_json::from_str(&text).unwrap();
                    let prints: HashSet<_> = issues.iter().map(|issue| issue["fingerprint"].as_str()).collect();
                    prop_assert_eq!((issues.len(), prints.len()), (findings.len(), findings.len()));
                    prop_assert!(issues.iter().all(is_issue), "{}", text);
                }
                RenderFormat::Junit => prop_assert_eq!(test_cases(&text).len(), expected_cases(&findings, &sources)),
                RenderFormat::Json => {
                    let array: Value = serde_json::from_str(&text).unwrap();
                    prop_assert_eq!(array.as_array().unwrap().len(), findings.len());
                }
                RenderFormat::Sarif => {
                    let log = serde_json::from_str(&text).unwrap();
                    prop_assert_eq!(errors(&log), Vec::<String>::new());
                }
            }
        }
    }
}
