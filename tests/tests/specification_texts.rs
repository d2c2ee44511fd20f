//! The accidents in the two KubeVirt specification texts, checked where they stand in the Markdown.
//!
//! The texts call three examples each invalid, and have accidents of their own. `docs/guide/found.md` lists all of them
//! by line, and is held against what `check` says; the snapshots hold its words.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use kvrules::{
    Diagnostic, FileId, SourceFile, Sources,
    render::{RenderFormat, RenderOptions, render_diagnostics},
};
use kvrules_tests::repository_root;

/// The two versions.
const VERSIONS: [&str; 2] = ["201901", "201902"];

/// A finding by its place: the version of the text, the line, the code.
type Place = (String, u32, String);

/// The text of a version; none where it is not at hand.
fn text(version: &str) -> Option<String> {
    kvrules_testdata::read_text(&format!("specs/template-validation-{version}.md"))
}

/// A text under a name without folders, and its findings.
fn findings(version: &str, text: String) -> (Sources, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let id = sources.add_file(format!("template-validation-{version}.md"), text);
    let diagnostics = kvrules::read_rules(sources.get(id).unwrap()).diagnostics;
    (sources, diagnostics)
}

/// Returns the locations of the findings, in the order of the text.
fn places(version: &str, text: String) -> Vec<Place> {
    let (sources, diagnostics) = findings(version, text);
    let file = sources.get(FileId(0)).unwrap();
    let line = |found: &Diagnostic| file.position_at(found.primary.span.start).line;
    let mut places: Vec<_> =
        diagnostics.iter().map(|found| (version.to_owned(), line(found), found.code.to_owned())).collect();
    places.sort();
    places
}

/// Returns the rows of a table of the page.
fn listed(table: &str) -> Vec<Place> {
    let rows = kvrules_tests::guide_tables::read_table(&repository_root().join("docs/guide/found.md"), table);
    let mut places: Vec<_> =
        rows.into_iter().map(|row| (row[0].clone(), row[1].parse().unwrap(), row[2].clone())).collect();
    places.sort();
    places
}

#[test]
fn the_page_lists_every_finding_in_the_texts_by_its_line_and_nothing_else() {
    for version in VERSIONS {
        let Some(text) = text(version) else { continue };
        let found = places(version, text);
        let listed: Vec<_> = listed("texts").into_iter().filter(|place| place.0 == version).collect();
        let unlisted: Vec<_> = found.iter().filter(|place| !listed.contains(place)).collect();
        let unfound: Vec<_> = listed.iter().filter(|place| !found.contains(place)).collect();
        assert!(
            unlisted.is_empty() && unfound.is_empty(),
            "not listed: {unlisted:?}, not found: {unfound:?}"
        );
        assert_eq!(found, listed, "{version}: another number of findings in a line");
        println!("{version}: {} accidents and wrong examples, {} found", listed.len(), found.len());
    }
}

/// Content of the lines of prose that the page lists, in a word.
const PROSE: [(&str, u32, &str); 14] = [
    ("201901", 14, "`validation`"),
    ("201901", 28, "must exist"),
    ("201901", 53, "objects:"),
    ("201901", 172, "included"),
    ("201901", 199, "lesser"),
    ("201901", 200, "`for maxLength`"),
    ("201901", 238, "\"spec."),
    ("201902", 28, "must exist"),
    ("201902", 54, "objects:"),
    ("201902", 163, "always exist"),
    ("201902", 181, "ports[*].port`"),
    ("201902", 254, "lesser"),
    ("201902", 255, "`for maxLength`"),
    ("201902", 284, "Perl"),
];

#[test]
fn what_no_tool_can_find_stands_where_the_page_says() {
    let page = repository_root().join("docs/guide/found.md");
    let rows = kvrules_tests::guide_tables::read_table(&page, "prose");
    let listed: Vec<_> = rows.iter().map(|row| (row[0].as_str(), row[1].parse().unwrap())).collect();
    assert_eq!(listed, PROSE.map(|(version, line, _)| (version, line)));
    for version in VERSIONS {
        let Some(text) = text(version) else { continue };
        for (_, line, word) in PROSE.iter().filter(|place| place.0 == version) {
            let wording = text.lines().nth(*line as usize - 1).unwrap();
            assert!(wording.contains(word), "{version}:{line}: {wording}");
        }
    }
}

#[test]
fn behind_a_field_in_the_wrong_place_the_next_accident_is_found() {
    for version in VERSIONS {
        let Some(text) = text(version) else { continue };
        let repaired = text
            .replace(".spec.devices", ".spec.domain.devices")
            .replace("/spec.devices", "/spec.domain.devices");
        let before = places(version, text);
        let found = places(version, repaired);
        let listed: Vec<_> = listed("behind").into_iter().filter(|place| place.0 == version).collect();
        assert!(
            !listed.is_empty() && listed.iter().all(|place| found.contains(place)),
            "{version}: {found:?}"
        );
        let paths = |places: &[Place]| places.iter().filter(|place| place.2 == "KV205").count();
        let (healed, behind) = (paths(&before) - paths(&found), listed.len());
        assert_eq!(healed, 1, "{version}: one of the paths is right then");
        println!("{version}: {behind} accidents behind others, {behind} found");
    }
}

#[test]
fn the_text_of_201901_says_what_is_wrong_with_its_examples() {
    words("201901");
}

#[test]
fn the_text_of_201902_says_what_is_wrong_with_its_examples() {
    words("201902");
}

/// Compares what is said of a text with its snapshot.
fn words(version: &str) {
    let Some(text) = text(version) else { return };
    let (sources, diagnostics) = findings(version, text);
    insta::assert_snapshot!(
        version,
        render_diagnostics(RenderFormat::Concise, &diagnostics, &sources, &RenderOptions::default())
    );
}

#[test]
fn accidents_are_found_without_any_text_at_hand() {
    // The defects of the texts in our own words: a block under a value, curly quotes, a missing comma.
    let text = "```yaml\nkind: Template\n  metadata:\n    annotations:\n      validations: |\n        [{“rule”: “integer”\n          \"path”: \"/spec.domain.cpu.cores\"}]\n```\n";
    let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "x.md", text));
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
        "deployed_denies",
    ];
    assert_eq!(names, expected);
}
