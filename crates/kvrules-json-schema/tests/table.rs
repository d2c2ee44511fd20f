//! Small schemas with the findings that they must have, and others that must have none.
//!
//! `KVRULES_BLESS=1` writes the findings into `cases/wrong.txt`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::path::PathBuf;

use kvrules_diagnostics::{Diagnostic, FileId, SourceFile};
use kvrules_json_schema::check_schemas;
use kvrules_syntax::parse_stream;

/// Cases are separated by a line of `===`, sources and findings by one of `---`. A name starts with `#`.
fn read_cases(file: &str) -> (PathBuf, Vec<String>) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text.split("===\n").map(str::to_owned).collect())
}

fn check_text(text: &str) -> (SourceFile, Vec<Diagnostic>) {
    let file = SourceFile::new(FileId(0), "schema.yaml", text);
    let stream = parse_stream(FileId(0), text);
    let findings = stream.documents.first().map(|document| check_schemas(document).findings);
    (file, findings.unwrap_or_default())
}

fn report_findings(text: &str) -> String {
    let (file, findings) = check_text(text);
    let line = |found: &Diagnostic| {
        let at = file.position_at(found.primary.span.start);
        let help = found.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        let (level, code) = (found.level.as_str(), found.code);
        format!("{}:{} {level}[{code}] {}{help}\n", at.line, at.column, found.message)
    };
    findings.iter().map(line).collect()
}

#[test]
fn wrong_schemas_have_the_expected_findings() {
    let (path, cases) = read_cases("wrong.txt");
    let (mut wrong, mut written) = (Vec::new(), Vec::new());
    for case in &cases {
        let (source, expected) = case.split_once("---\n").unwrap_or((case, ""));
        let found = report_findings(source);
        if found != expected || found.is_empty() {
            wrong.push(format!("{source}expected:\n{expected}found:\n{found}"));
        }
        written.push(format!("{source}---\n{found}"));
    }
    if std::env::var_os("KVRULES_BLESS").is_some() {
        std::fs::write(path, written.join("===\n")).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    assert!(cases.len() >= 80, "{} cases", cases.len());
}

#[test]
fn right_schemas_have_no_findings() {
    let (_, cases) = read_cases("right.txt");
    let found = cases.iter().map(|case| (case, report_findings(case)));
    let wrong: Vec<String> =
        found.filter(|(_, found)| !found.is_empty()).map(|(case, found)| format!("{case}{found}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() >= 60, "{} cases", cases.len());
}
