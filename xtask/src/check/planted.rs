//! Violations that are planted next to the files of the workspace: the whole check finds each of them.

use super::find_violations;
use crate::workspace::{Source, Workspace};

/// The names and the texts of planted files, and a part of the finding about each.
fn planted_files() -> Vec<(&'static str, String, &'static str)> {
    let long = format!("//! Planted.\n\nfn planted() {{\n{}}}\n", "    work();\n".repeat(70));
    let host = format!("//! Planted.\n\n// See https://{}{}/.\n", "index.", "crates.io");
    let ring = |other: &str| format!("//! Planted.\n\nuse super::{other}::Planted;\n");
    vec![
        ("kvrules-ir/src/planted_opening.rs", "pub(crate) struct Planted;\n".to_owned(), "`//!`"),
        ("kvrules-ir/src/planted_name.rs", "//! Planted.\n\npub fn meant(text: &str) {}\n".to_owned(), ""),
        ("kvrules-ir/src/planted_question.rs", "//! What to plant.\n".to_owned(), "indirect question"),
        ("kvrules-ir/src/planted_word.rs", "//! A dear rule.\n".to_owned(), "homely word"),
        ("kvrules-ir/src/planted_size.rs", long, "72 lines"),
        (
            "kvrules-ir/src/planted_rest.rs",
            "//! Planted.\n\nfn a() {\n    todo!()\n}\n".to_owned(),
            "leftover",
        ),
        ("kvrules-ir/src/planted_host.rs", host, "host of a package registry"),
        ("kvrules-ir/src/planted_one.rs", ring("planted_two"), "cyclic modules"),
        ("kvrules-ir/src/planted_two.rs", ring("planted_one"), "cyclic modules"),
        (
            "kvrules-cli/src/commands/planted.rs",
            "//! Planted.\n\nfn is_planted(name: &str) -> bool {\n    name == \"openapi\"\n}\n".to_owned(),
            "a command asks for `openapi` by name",
        ),
        (
            "kvrules-ir/src/planted_keyword.rs",
            "//! Planted.\n\nconst KEYWORD: &str = \"x-kubernetes-validations\";\n".to_owned(),
            "`x-kubernetes-validations` is written as a literal",
        ),
    ]
}

#[test]
fn every_planted_violation_is_found() {
    let workspace = Workspace::find().unwrap();
    let mut sources = workspace.sources();
    let planted = planted_files();
    let paths = planted.iter().map(|(file, text, _)| (format!("crates/{file}"), text.clone()));
    sources.extend(paths.map(|(path, text)| Source { path, text }));
    let found: Vec<String> =
        find_violations(&workspace, &sources).unwrap().iter().map(ToString::to_string).collect();
    let about = |file: &str| found.iter().filter(|it| it.contains(file)).cloned().collect::<Vec<_>>();
    for (file, _, part) in planted.iter().filter(|(_, _, part)| !part.is_empty()) {
        let stem = file.rsplit(['/', '.']).nth(1).unwrap_or_default();
        assert!(about(stem).iter().any(|finding| finding.contains(part)), "{file}: {found:#?}");
    }
    // The public functions of one word are counted by crate.
    assert!(about("one-word-functions").iter().any(|finding| finding.contains("kvrules-ir")), "{found:#?}");
}
