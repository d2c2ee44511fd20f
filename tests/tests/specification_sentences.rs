//! Every sentence and example of the five specifications has a row of `tests/specifications/sentences.tsv`, and every row that
//! states something names the tests that hold it. The page with the rows is generated; `KVRULES_WRITE=1` writes it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

#[path = "specification_sentences/annotations.rs"]
mod annotations;
#[path = "specification_sentences/definitions.rs"]
mod definitions;
#[path = "specification_sentences/extra_specs.rs"]
mod extra_specs;
#[path = "specification_sentences/validation_rule.rs"]
mod validation_rule;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use kvrules_tests::repository_root;

const ROWS: &str = "tests/specifications/sentences.tsv";
const PAGE: &str = "docs/internals/specifications.md";

/// The specifications and the extensions of their files.
const SPECIFICATIONS: [(&str, &str); 5] = [
    ("template-validation-201902", "md"),
    ("template-validation-201901", "md"),
    ("kubernetes-validation-rule", "txt"),
    ("flavor-extra-spec-validator", "txt"),
    ("customresources-validation", "txt"),
];

/// Kinds of rows: held; not as the text says but reported; as the server does; nothing to hold.
const STATES: [&str; 4] = ["held", "found", "server", "none"];

struct Row {
    specification: String,
    first: usize,
    last: usize,
    state: String,
    fact: String,
    holders: Vec<String>,
}

fn read(path: &str) -> String {
    fs::read_to_string(repository_root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn rows() -> Vec<Row> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [specification, lines, state, fact, holders] = cells[..] else { panic!("five cells: {line}") };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        Row {
            specification: specification.to_owned(),
            first: first.parse().unwrap(),
            last: last.parse().unwrap(),
            state: state.to_owned(),
            fact: fact.to_owned(),
            holders: holders.split_whitespace().map(str::to_owned).collect(),
        }
    };
    read(ROWS).lines().map(row).collect()
}

#[test]
fn the_rows_cover_every_line_of_every_specification_once() {
    for (name, extension) in SPECIFICATIONS {
        let Some(text) = kvrules_testdata::read_text(&format!("specs/{name}.{extension}")) else { continue };
        let mut covered: BTreeMap<usize, usize> = BTreeMap::new();
        let rows: Vec<Row> = rows().into_iter().filter(|row| row.specification == name).collect();
        for line in rows.iter().flat_map(|row| row.first..=row.last) {
            *covered.entry(line).or_default() += 1;
        }
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            assert_eq!(covered.get(&number), Some(&1), "{name}:{number}: {line}");
        }
        println!("{name}: {} rows", rows.len());
    }
}

#[test]
fn every_row_that_states_something_is_held_by_tests_that_exist() {
    for row in rows() {
        let place = format!("{}:{}", row.specification, row.first);
        assert!(STATES.contains(&row.state.as_str()) && !row.fact.is_empty(), "{place}");
        assert_eq!(row.state == "none", row.holders.is_empty(), "{place}");
        for holder in &row.holders {
            assert!(exists(holder), "{place}: no test `{holder}`");
        }
    }
}

/// True if a test exists: a function of a file, a page of a lint, whose examples are run, or cases of a sentence about meaning.
fn exists(holder: &str) -> bool {
    if let Some(id) = holder.strip_prefix("meaning:") {
        return read("tests/conformance/meaning.jsonl").contains(&format!("\"sentence\":\"{id}\""))
            || read("tests/conformance/meaning.jsonl").contains(&format!("\"sentence\": \"{id}\""));
    }
    let (file, name) = holder.split_once('#').unwrap_or((holder, ""));
    let texts = [file.to_owned()].into_iter().chain(parts_of(file));
    let texts: String =
        texts.filter_map(|path| fs::read_to_string(repository_root().join(path)).ok()).collect();
    match (name, file.starts_with("docs/lints/")) {
        ("", true) => texts.contains("```findings"),
        ("", false) => texts.contains("#[test]"),
        (name, _) => texts.contains(&format!("fn {name}()")),
    }
}

/// The files of the modules of a test.
fn parts_of(file: &str) -> Vec<String> {
    let folder = file.trim_end_matches(".rs");
    let entries = fs::read_dir(repository_root().join(folder)).into_iter().flatten().flatten();
    entries.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy())).collect()
}

#[test]
fn the_page_is_that_of_the_rows() {
    let mut page = String::from(
        "# Specifications\n\nWhat each sentence and example of the five specifications states, in our words, and the tests that hold it. \
         This page is generated from `tests/specifications/sentences.tsv`; `cargo test -p kvrules-tests --test specification_sentences` with \
         `KVRULES_WRITE=1` writes it.\n\n| state | meaning |\n|---|---|\n| held | kvrules does what the text states |\n| found | the text \
         contradicts itself or what is deployed; `check` reports it |\n| server | API servers do otherwise, and kvrules does as they do \
         |\n| none | nothing to hold |\n",
    );
    for (name, _) in SPECIFICATIONS {
        let rows: Vec<Row> = rows().into_iter().filter(|row| row.specification == name).collect();
        let _ = write!(page, "\n## {name}\n\n| lines | state | fact | held by |\n|---|---|---|---|\n");
        for row in &rows {
            let lines = if row.first == row.last {
                row.first.to_string()
            } else {
                format!("{}-{}", row.first, row.last)
            };
            let holders: Vec<String> = row.holders.iter().map(|holder| show(holder)).collect();
            let _ = writeln!(page, "| {lines} | {} | {} | {} |", row.state, row.fact, holders.join(", "));
        }
    }
    if std::env::var_os("KVRULES_WRITE").is_some() {
        fs::write(repository_root().join(PAGE), &page).unwrap();
    }
    assert!(read(PAGE) == page, "{PAGE} is stale: run this test with KVRULES_WRITE=1");
}

/// A test as the page names it.
fn show(holder: &str) -> String {
    if let Some(id) = holder.strip_prefix("meaning:") {
        return format!("[meaning](meaning.md) `{id}`");
    }
    if let Some(page) = holder.strip_prefix("docs/lints/") {
        return format!("[{}](../lints/{page})", page.split('-').next().unwrap_or_default());
    }
    let (file, name) = holder.split_once('#').unwrap_or((holder, ""));
    format!("`{}`", if name.is_empty() { file } else { name })
}
