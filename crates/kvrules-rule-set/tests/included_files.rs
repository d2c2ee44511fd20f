//! Files that include each other: each counts once for each path, and there are limits.

#![expect(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use kvrules_diagnostics::{Diagnostic, FileId};
use kvrules_rule_set::{RuleSet, SubjectDefinitions, SubjectFile, read_rule_set};
use kvrules_syntax::parse_stream;
use serde_json::{Value, json};

const TREE: &str = "{schema: tree.json}";

/// A file about trees, with entries of `include` and a rule.
fn file_text(number: usize, include: &str) -> String {
    let include = if include.is_empty() { String::new() } else { format!("  include: [{include}]\n") };
    format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: f{number}}}\nspec:\n  subject: {TREE}\n\
         {include}  rules:\n  - {{name: r{number}, path: value, integer: {{min: {number}}}}}\n"
    )
}

/// Levels of the schema of trees.
const DEPTH: usize = 4;

/// Fields of a tree that are trees.
const BRANCHES: [&str; 5] = ["left", "right", "front", "back", "top"];

fn tree_schema(depth: usize) -> Value {
    let mut schema = json!({"type": "object", "properties": {"value": {"type": "integer"}}});
    if depth > 0 {
        let below = tree_schema(depth - 1);
        for branch in BRANCHES {
            schema["properties"][branch] = below.clone();
        }
    }
    schema
}

/// Reads the first of some files, of which each has the entries of `include` that are given.
fn read(files: usize, include_of: impl Fn(usize) -> String) -> (Option<RuleSet>, Vec<Diagnostic>) {
    let schema = tree_schema(DEPTH);
    let mut definitions = SubjectDefinitions::default();
    definitions.of_file.insert("tree.json".to_owned(), Ok(SubjectFile::Schemas(schema.into())));
    let text_of = |number: usize| file_text(number, &include_of(number));
    let included = (1..files).map(|number| (format!("f{number}.yaml"), Ok(text_of(number))));
    definitions.included = included.collect();
    let text = text_of(0);
    let stream = parse_stream(FileId(0), &text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings);
    (set, findings)
}

fn messages(findings: &[Diagnostic]) -> Vec<&str> {
    findings.iter().map(|finding| finding.message.as_str()).collect()
}

#[test]
fn a_file_that_is_included_in_two_ways_counts_once() {
    // Both f1 and f2 include f3.
    let include = |number: usize| match number {
        0 => "{file: f1.yaml, namePrefix: one-}, {file: f2.yaml, namePrefix: two-}".to_owned(),
        1 | 2 => "{file: f3.yaml}".to_owned(),
        _ => String::new(),
    };
    let (set, findings) = read(4, include);
    assert!(findings.is_empty(), "{:?}", messages(&findings));
    let set = set.unwrap();
    let names: Vec<&str> = set.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["r0", "one-r1", "one-r3", "two-r2"]);
}

#[test]
fn a_lattice_of_files_has_no_rule_for_each_way() {
    // Each of a layer of three files includes all three of the next.
    let include = |number: usize| {
        let next = if number == 0 { 1 } else { (number - 1) / 3 * 3 + 4 };
        let entries: Vec<String> =
            (next..(next + 3).min(31)).map(|next| format!("{{file: f{next}.yaml}}")).collect();
        entries.join(", ")
    };
    let (set, findings) = read(31, include);
    assert!(findings.is_empty(), "{:?}", messages(&findings));
    assert_eq!(set.unwrap().rules.len(), 31);
}

#[test]
fn a_file_under_two_paths_counts_for_both() {
    let include = |number: usize| match number {
        0 => {
            "{file: f1.yaml, under: left, namePrefix: left-}, {file: f1.yaml, under: right, namePrefix: right-}"
        }
        _ => "",
    };
    let (set, findings) = read(2, |number| include(number).to_owned());
    assert!(findings.is_empty(), "{:?}", messages(&findings));
    assert_eq!(set.unwrap().rules.len(), 3);
}

#[test]
fn one_file_twice_under_one_path_is_an_error() {
    let include = |number: usize| match number {
        0 => "{file: f1.yaml}, {file: ./f1.yaml, namePrefix: again-}",
        _ => "",
    };
    let (_, findings) = read(2, |number| include(number).to_owned());
    assert_eq!(messages(&findings), ["`f1.yaml` is included twice under one path"]);
}

#[test]
fn inclusions_that_double_end_with_one_error_that_names_the_chain() {
    let include = |number: usize| match number {
        0..DEPTH => {
            let entry =
                |branch| format!("{{file: f{}.yaml, under: {branch}, namePrefix: {branch}-}}", number + 1);
            BRANCHES.map(entry).join(", ")
        }
        _ => String::new(),
    };
    let (set, findings) = read(DEPTH + 1, include);
    let found = messages(&findings);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(
        only.contains("more than 500 files are included, the last by `f1.yaml`, which includes `f2.yaml`"),
        "{only}"
    );
    assert!(set.is_none_or(|set| set.rules.len() <= 501));
}

#[test]
fn a_file_that_includes_itself_is_named_with_the_way() {
    let include =
        |number: usize| format!("{{file: f{}.yaml}}", (number + 1).max(1) % 4 + usize::from(number == 3));
    let (_, findings) = read(4, include);
    let found = messages(&findings);
    assert!(
        found.iter().any(|message| message.contains(
            "`f1.yaml` includes itself: `f1.yaml`, which includes `f2.yaml`, which includes `f3.yaml`, which includes `f1.yaml`"
        )),
        "{found:?}"
    );
}

#[test]
fn a_chain_of_files_has_an_end() {
    let include = |number: usize| format!("{{file: f{}.yaml}}", number + 1);
    let (_, findings) = read(40, include);
    let found = messages(&findings);
    assert!(
        found.iter().any(|message| message.contains("more than 16 files include each other")),
        "{found:?}"
    );
    assert!(!found.iter().any(|message| message.contains("itself")), "{found:?}");
}
