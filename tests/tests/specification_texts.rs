//! The examples in the two KubeVirt specification texts, checked where they stand in the Markdown.
//!
//! The texts call three examples each invalid, and have accidents of their own. The snapshots hold what `check` says of
//! every example.

use kvrules::{
    Diagnostic, FileId, SourceFile, Sources,
    render::{Format, Options, render},
};
use kvrules_tests::shared;

/// A text under a name without folders, and its findings.
fn findings(name: &str) -> Option<(Sources, Vec<Diagnostic>)> {
    let path = shared(&format!("specs/{name}"), &format!("the examples of {name}"))?;
    let mut sources = Sources::default();
    let id = sources.add(name, std::fs::read_to_string(path).unwrap());
    let diagnostics = kvrules::read(sources.get(id).unwrap()).diagnostics;
    Some((sources, diagnostics))
}

/// Line of the rule and what it lacks, for each mandatory key that is missing.
fn missing(sources: &Sources, diagnostics: &[Diagnostic]) -> Vec<(u32, String)> {
    let lacks = diagnostics.iter().filter(|finding| finding.name == "missing_key");
    let file = sources.get(FileId(0)).unwrap();
    let key = |finding: &Diagnostic| finding.message.rsplit('`').nth(1).unwrap_or_default().to_owned();
    lacks.map(|finding| (file.position(finding.primary.span.start).line, key(finding))).collect()
}

#[test]
fn the_text_of_201901_says_what_is_wrong_with_its_examples() {
    let Some((sources, diagnostics)) = findings("template-validation-201901.md") else { return };
    let expected = [(84, "rule"), (103, "message"), (103, "name"), (121, "path")];
    assert_eq!(missing(&sources, &diagnostics), expected.map(|(line, key)| (line, key.to_owned())));
    insta::assert_snapshot!("201901", render(Format::Concise, &diagnostics, &sources, &Options::default()));
}

#[test]
fn the_text_of_201902_says_what_is_wrong_with_its_examples() {
    let Some((sources, diagnostics)) = findings("template-validation-201902.md") else { return };
    let expected = [(103, "rule"), (126, "message"), (126, "name"), (148, "path")];
    assert_eq!(missing(&sources, &diagnostics), expected.map(|(line, key)| (line, key.to_owned())));
    insta::assert_snapshot!("201902", render(Format::Concise, &diagnostics, &sources, &Options::default()));
}

#[test]
fn accidents_are_found_without_any_text_at_hand() {
    // What the texts contain, in our own words: a block under a value, curly quotes, a comma that is missing.
    let text = "```yaml\nkind: Template\n  metadata:\n    annotations:\n      validations: |\n        [{“rule”: “integer”\n          \"path”: \"/spec.domain.cpu.cores\"}]\n```\n";
    let reading = kvrules::read(&SourceFile::new(FileId(0), "x.md", text));
    let names: Vec<_> = reading.diagnostics.iter().map(|finding| finding.name).collect();
    let expected = [
        "yaml_indentation",
        "missing_key",
        "missing_key",
        "json_quotes",
        "json_quotes",
        "no_argument",
        "json_comma",
        "json_quotes",
    ];
    assert_eq!(names, expected);
}
