//! Display of repairs.

use crate::sample::raise_finding;
use kvrules_diagnostics::render::{RenderFormat, RenderOptions, render_diagnostics};
use kvrules_diagnostics::{Applicability, Edit, Fix, Level, Sources, Span};

/// A finding with a repair of this kind, which takes out one `é` and puts something in behind another.
fn shown(format: RenderFormat, applicability: Applicability) -> String {
    let mut sources = Sources::default();
    let file = sources.add_file("a b.yaml", "x: 1\néé: 2\n");
    let edits = [Edit::remove_span(Span::new(file, 5, 7)), Edit::insert_at(Span::new(file, 9, 9), "\"")];
    let finding = raise_finding("KV102", "missing_key", Level::Error, Span::new(file, 5, 9), "two marks")
        .with_help("one is enough")
        .with_fix(Fix::new(applicability, "remove the first `é`", edits));
    render_diagnostics(format, &[finding], &sources, &RenderOptions::default())
}

#[test]
fn human_names_the_repair_and_how_far_it_may_be_trusted() {
    insta::assert_snapshot!(shown(RenderFormat::Human, Applicability::Safe), @r"
    error[KV102]: two marks
     --> a b.yaml:2:1
      |
    2 | éé: 2
      | ^^
      |
      = help: one is enough
      = fix: remove the first `é`
    ");
    assert!(shown(RenderFormat::Human, Applicability::Unsafe).contains("= unsafe fix: remove"));
    assert!(shown(RenderFormat::Human, Applicability::DisplayOnly).contains("= possible fix: remove"));
}

#[test]
fn json_has_the_edits_with_their_places() {
    let found: serde_json::Value =
        serde_json::from_str(&shown(RenderFormat::Json, Applicability::Unsafe)).unwrap();
    let at = |line: u32, column: u32, offset: u32| serde_json::json!({"line": line, "column": column, "offset": offset});
    let expected = serde_json::json!({
        "title": "remove the first `é`",
        "applicability": "unsafe",
        "edits": [
            {"start": at(2, 1, 5), "end": at(2, 2, 7), "replacement": ""},
            {"start": at(2, 3, 9), "end": at(2, 3, 9), "replacement": "\""},
        ],
    });
    assert_eq!(found.pointer("/0/fix"), Some(&expected));
}

#[test]
fn sarif_has_the_regions_that_go_and_the_texts_that_come() {
    let log: serde_json::Value =
        serde_json::from_str(&shown(RenderFormat::Sarif, Applicability::Unsafe)).unwrap();
    let region = |line: u32, from: u32, to: u32| serde_json::json!({"startLine": line, "startColumn": from, "endLine": line, "endColumn": to});
    let expected = serde_json::json!([{
        "description": {"text": "remove the first `é` (unsafe)"},
        "artifactChanges": [{
            "artifactLocation": {"uri": "a%20b.yaml"},
            "replacements": [
                {"deletedRegion": region(2, 1, 2), "insertedContent": {"text": ""}},
                {"deletedRegion": region(2, 3, 3), "insertedContent": {"text": "\""}},
            ],
        }],
    }]);
    assert_eq!(log.pointer("/runs/0/results/0/fixes"), Some(&expected));
}
