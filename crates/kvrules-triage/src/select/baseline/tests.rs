//! Findings that a baseline recognizes.

use kvrules_diagnostics::FileId;

use super::*;

const RULE: &str = r#"{"name": "N", "rule": "integer", "message": "few", "colour": "red", "valid": "jsonpath::.spec.domain.cpu.cores", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8}"#;

/// A file with rules of these names, each with one finding.
fn source(names: &[&str]) -> SourceFile {
    let rules: Vec<_> = names.iter().map(|name| RULE.replace('N', name)).collect();
    let text = format!("vm.kubevirt.io/validations: |\n  [{}]\n", rules.join(",\n   "));
    SourceFile::new(FileId(0), "a.yaml", text)
}

fn serious(reading: &FileReading) -> Vec<Diagnostic> {
    reading.diagnostics.iter().filter(|found| found.code == "KV106").cloned().collect()
}

fn baseline(names: &[&str]) -> Baseline {
    let reading = kvrules_sources::read_rules(&source(names));
    let mut baseline = Baseline::default();
    baseline.add_findings("a.yaml", &reading, &serious(&reading));
    baseline
}

/// Returns the numbers of new, known and outdated findings of a file.
fn accepted(baseline: &Baseline, source: &SourceFile) -> (usize, usize, u32) {
    let reading = kvrules_sources::read_rules(source);
    let accepted = baseline.split_findings("a.yaml", &reading, serious(&reading));
    (accepted.new.len(), accepted.known.len(), accepted.outdated)
}

#[test]
fn what_it_was_made_of_is_known_and_nothing_else() {
    let retained = baseline(&["a", "b"]);
    assert_eq!(accepted(&retained, &source(&["a", "b"])), (0, 2, 0));
    assert_eq!(accepted(&retained, &source(&["b", "a"])), (0, 2, 0));
    assert_eq!(accepted(&retained, &source(&["a", "b", "c"])), (1, 2, 0));
    assert_eq!(accepted(&retained, &source(&["a"])), (0, 1, 1));
    assert_eq!(accepted(&Baseline::default(), &source(&["a"])), (1, 0, 0));
}

#[test]
fn moved_and_laid_out_anew_a_finding_is_known() {
    let retained = baseline(&["a", "b"]);
    let text = source(&["a", "b"])
        .text()
        .replace("{\"name\"", "\n\n    {\n   \"name\"")
        .replace(", \"rule\"", ",\n    \"rule\"");
    let moved = SourceFile::new(FileId(0), "a.yaml", format!("# new\n\nspec: {{}}\n{text}"));
    assert_eq!(accepted(&retained, &moved), (0, 2, 0));
}

#[test]
fn alike_findings_are_counted() {
    let retained = baseline(&["a", "a"]);
    assert_eq!((retained.len(), accepted(&retained, &source(&["a", "a", "a"]))), (2, (1, 2, 0)));
}

#[test]
fn what_is_written_is_read_back() {
    let mut retained = baseline(&["a", "b", "a"]);
    let reading = kvrules_sources::read_rules(&SourceFile::new(FileId(0), "b.yaml", "validations: '[]'\n"));
    retained.add_findings("b.yaml", &reading, &reading.diagnostics);
    let text = retained.to_text();
    let read = Baseline::parse(&SourceFile::new(FileId(0), "baseline.json", text.as_str())).unwrap();
    assert_eq!(read, retained);
    assert_eq!(read.to_text(), text);
    assert_eq!(retained.files().collect::<Vec<_>>(), ["a.yaml", "b.yaml"]);
}

#[test]
fn what_is_kept_is_up_to_the_caller() {
    let mut made = Baseline::default();
    made.copy_files_from(&baseline(&["a"]), |file| file != "a.yaml");
    assert!(made.is_empty());
    made.copy_files_from(&baseline(&["a"]), |file| file == "a.yaml");
    assert_eq!(made.len(), 1);
}

#[test]
fn a_broken_baseline_is_told_with_its_places() {
    let reported = |text: &str| {
        let file = SourceFile::new(FileId(0), "b.json", text);
        let faults = Baseline::parse(&file).unwrap_err();
        let reported =
            faults.into_iter().map(|fault| format!("{} {}", fault.primary.span.start, fault.message));
        reported.collect::<Vec<_>>()
    };
    assert_eq!(reported(""), ["0 the baseline is empty"]);
    assert_eq!(reported("{\"version\": 1, \"findings\": [}"), ["27 invalid JSON in the baseline"]);
    assert_eq!(
        reported("[]"),
        ["0 missing `version` in the baseline", "0 missing list `findings` in the baseline"]
    );
    assert_eq!(reported("{\"version\": 2}"), ["12 unsupported version of the baseline; expected 1"]);
    let finding =
        r#"{"version": 1, "findings": [{"file": "a", "code": 3, "message": "m", "count": 0, "rule": []}]}"#;
    assert_eq!(
        reported(finding),
        [
            "50 a finding has no string `code`",
            "89 a finding has no string `rule`",
            "78 a finding needs a `count` of at least 1"
        ]
    );
}
