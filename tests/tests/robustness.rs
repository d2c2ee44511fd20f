//! Damaged input: whatever is cut out of a file or put into it, reading ends in findings and never in a panic, and
//! what is read without errors compiles.

use kvrules::{
    FileId, Request, SourceFile, Sources,
    render::{RenderFormat, RenderOptions, render_diagnostics},
};
use kvrules_tests::repository_root;
use proptest::prelude::*;

fn examples() -> Vec<(String, String)> {
    ["legacy-201901.yaml", "linux-server.yaml", "windows-desktop.json"]
        .map(|name| {
            (
                name.to_owned(),
                std::fs::read_to_string(repository_root().join("docs/examples").join(name)).unwrap(),
            )
        })
        .to_vec()
}

/// Pieces that people and editors put into files by error.
const PIECES: [&str; 24] = [
    "\"", "'", "“", "”", "{", "}", "[", "]", ",", ":", "\\", "\n", "\t", " ", "#", "//", "- ", "---\n", "é",
    "${X}", "|", "&a", "*a", "null",
];

/// A text with some bytes replaced by a piece.
fn damaged(text: &str, cuts: &[(usize, usize, usize)]) -> String {
    let mut text = text.to_owned();
    for (at, len, piece) in cuts {
        let floor =
            |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let (start, end) = (floor(at % (text.len() + 1)), floor(at % (text.len() + 1) + len));
        text.replace_range(start..end, PIECES[piece % PIECES.len()]);
    }
    text
}

/// Every place of every finding lies in the text, every format can show it, and good rules compile.
fn survives(name: &str, text: &str) -> Result<(), TestCaseError> {
    let mut sources = Sources::default();
    let id = sources.add_file(name, text);
    let reading = kvrules::read_rules(sources.get(id).unwrap());
    for finding in &reading.diagnostics {
        for label in std::iter::once(&finding.primary).chain(&finding.secondary) {
            prop_assert!(text.get(label.span.to_range()).is_some(), "{finding:?}");
        }
    }
    for format in RenderFormat::ALL {
        let shown = render_diagnostics(format, &reading.diagnostics, &sources, &RenderOptions::default());
        prop_assert!(format != RenderFormat::Concise || shown.lines().count() == reading.diagnostics.len());
    }
    if !reading.has_errors() {
        let sets = kvrules::merge_rule_sets(reading.sets);
        prop_assert!(
            kvrules::compile_targets(kvrules::all_targets(), &Request::for_virtual_machines(&sets)).is_ok()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(150), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_end_in_findings(
        example in 0..3_usize,
        cuts in prop::collection::vec((any::<usize>(), 0..40_usize, any::<usize>()), 1..6),
        markdown in any::<bool>(),
    ) {
        let (name, text) = examples().swap_remove(example);
        let text = damaged(&text, &cuts);
        survives(&name, &text)?;
        if markdown {
            survives("page.md", &format!("# T\n\n```yaml\n{text}\n```\n\n> ```json\n> {}\n> ```\n", text.replace('\n', "\n> ")))?;
        }
    }
}

#[test]
fn every_prefix_of_an_example_is_survived() {
    for (name, text) in examples() {
        for end in (0..text.len()).step_by(97).filter(|end| text.is_char_boundary(*end)) {
            survives(&name, &text[..end]).unwrap();
        }
    }
    let nothing = kvrules::read_rules(&SourceFile::new(FileId(0), "empty.yaml", ""));
    assert!(nothing.diagnostics.is_empty() && nothing.sets.is_empty());
}
