//! Whatever the text and the spans: every format answers, twice the same, in its own shape.

use std::sync::LazyLock;

use crate::sample::{render, sample};
use jsonschema::Validator;
use kvrules_diagnostics::render::Format;
use kvrules_diagnostics::{Diagnostic, FileId, Level, Sources, Span};
use proptest::prelude::*;
use serde_json::Value;

/// The part of SARIF 2.1.0 that we use.
static SARIF: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("sarif-2.1.0-required.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

/// What `log` gets wrong.
fn errors(log: &Value) -> Vec<String> {
    let said = SARIF.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path()));
    said.collect()
}

#[test]
fn sarif_has_what_the_standard_requires() {
    let (diagnostics, sources) = sample();
    for shown in [&diagnostics[..], &[]] {
        let log = serde_json::from_str(&render(Format::Sarif, shown, &sources)).unwrap();
        assert_eq!(errors(&log), Vec::<String>::new());
    }
}

#[test]
fn the_schema_refuses_logs_that_lack_something() {
    let (diagnostics, sources) = sample();
    let log: Value = serde_json::from_str(&render(Format::Sarif, &diagnostics, &sources)).unwrap();
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
fn sarif_rule_indices_name_the_rule_of_the_result() {
    let (diagnostics, sources) = sample();
    let log: Value = serde_json::from_str(&render(Format::Sarif, &diagnostics, &sources)).unwrap();
    let run = &log["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn a_finding_without_a_known_file_has_no_location_in_sarif() {
    let (diagnostics, sources) = sample();
    let log: Value = serde_json::from_str(&render(Format::Sarif, &diagnostics, &sources)).unwrap();
    assert_eq!(log["runs"][0]["results"][4]["ruleId"], "KV900");
    assert_eq!(log["runs"][0]["results"][4]["locations"], serde_json::json!([]));
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
        let finding = Diagnostic::new("KV001", "any_thing", Level::Warning, primary, words.clone())
            .label(words.clone())
            .help(words.clone());
        others.into_iter().fold(finding, |finding, span| finding.also(span, words.clone()))
    }
}

proptest! {
    // A failing case belongs into a test of its own, not into a file beside.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_format_answers_for_any_text_and_any_spans(
        texts in prop::collection::vec("[a é名\t\n\r\u{feff}\u{200d}\u{1b}:]{0,60}", 0..3),
        findings in prop::collection::vec(finding(), 0..4),
    ) {
        let mut sources = Sources::default();
        for text in texts {
            sources.add("a,b:c%.yaml", text);
        }
            for format in Format::ALL {
            let text = render(format, &findings, &sources);
            prop_assert_eq!(&text, &render(format, &findings, &sources));
            prop_assert!(text.is_empty() || text.ends_with('\n'));
            match format {
                Format::Human => {}
                Format::Concise | Format::Github => prop_assert_eq!(text.lines().count(), findings.len()),
                Format::Json => {
                    let array: Value = serde_json::from_str(&text).unwrap();
                    prop_assert_eq!(array.as_array().unwrap().len(), findings.len());
                }
                Format::Sarif => {
                    let log = serde_json::from_str(&text).unwrap();
                    prop_assert_eq!(errors(&log), Vec::<String>::new());
                }
            }
        }
    }
}
