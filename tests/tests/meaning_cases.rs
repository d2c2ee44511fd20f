//! Every sentence of the page on meaning has cases, and every case has its sentence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use kvrules_tests::repository_root;
use serde_json::Value;

const PAGE: &str = "docs/internals/meaning.md";
const CASES: &str = "tests/conformance/meaning.jsonl";

/// Marker after each sentence of the page.
const MARK: &str = "<!-- m: ";

fn read(path: &str) -> String {
    fs::read_to_string(repository_root().join(path)).expect("the file is in the repository")
}

/// Marker at the end of a paragraph whose cases are in another file of the repository.
const ELSEWHERE: &str = "<!-- cases: ";

/// The part of the page that decides something: from its first section on, without headings and code blocks.
fn paragraphs() -> Vec<String> {
    let page = read(PAGE);
    let (_, rules) = page.split_once("\n## ").expect("the page has sections");
    let mut paragraphs = Vec::new();
    for block in rules.split("\n\n").skip(1) {
        let heads = ["#", "```", "|---", "| in the catalog"];
        let lines = block.lines().filter(|line| !heads.iter().any(|head| line.starts_with(head)));
        let mut open = String::new();
        for line in lines {
            let begins = line.starts_with("- ") || line.starts_with('|');
            if begins && !open.is_empty() {
                paragraphs.push(std::mem::take(&mut open));
            }
            open.push_str(line);
            open.push(' ');
        }
        paragraphs.push(open);
    }
    paragraphs.retain(|paragraph| {
        !paragraph.trim().is_empty()
            && !paragraph.starts_with("some g in G")
            && !paragraph.contains(ELSEWHERE)
    });
    paragraphs
}

/// The sentences of a paragraph with their ids; what stands behind the last mark is a sentence without one.
fn sentences(paragraph: &str) -> Vec<(String, Option<String>)> {
    let mut parts = paragraph.split(MARK);
    let mut sentence = parts.next().unwrap_or_default().to_owned();
    let mut sentences = Vec::new();
    for part in parts {
        let (id, rest) = part.split_once(" -->").expect("a mark is closed");
        sentences.push((std::mem::replace(&mut sentence, rest.to_owned()), Some(id.to_owned())));
    }
    sentences.push((sentence, None));
    sentences.retain(|(text, id)| id.is_some() || text.chars().any(char::is_alphanumeric));
    sentences
}

fn ids() -> Vec<String> {
    paragraphs().iter().flat_map(|paragraph| sentences(paragraph)).filter_map(|(_, id)| id).collect()
}

fn cases(path: &str) -> Vec<Value> {
    read(path).lines().map(|line| serde_json::from_str(line).expect("a case is JSON")).collect()
}

fn text<'c>(case: &'c Value, key: &str) -> &'c str {
    case[key].as_str().expect("a case has the member")
}

/// A sentence ends, and another begins, outside of code.
fn holds_two(sentence: &str) -> bool {
    let bare: String =
        sentence.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "`" }).collect();
    let bare = bare
        .split("**")
        .enumerate()
        .map(|(at, part)| if at % 2 == 0 { part } else { "" })
        .collect::<String>();
    let mut ends = bare.match_indices(". ");
    ends.any(|(at, _)| {
        bare[at + 2..].trim_start().starts_with(|next: char| next.is_uppercase() || next == '`')
    })
}

#[test]
fn every_sentence_of_the_page_has_an_id_of_its_own() {
    let mut seen = BTreeSet::new();
    for paragraph in paragraphs() {
        for (sentence, id) in sentences(&paragraph) {
            let id = id.unwrap_or_else(|| panic!("no id stands behind: {sentence}"));
            assert!(!holds_two(&sentence), "two sentences share `{id}`: {sentence}");
            assert!(seen.insert(id.clone()), "`{id}` stands behind two sentences");
        }
    }
    assert!(!seen.is_empty());
}

#[test]
fn the_files_with_the_cases_of_other_paragraphs_are_there() {
    for rest in read(PAGE).split(ELSEWHERE).skip(1) {
        let (file, _) = rest.split_once(" -->").expect("a comment is closed");
        assert!(read(file).contains("#[test]"), "{file}");
    }
}

#[test]
fn every_sentence_has_three_cases_or_more_and_every_case_a_sentence() {
    let mut counts: BTreeMap<String, usize> = ids().into_iter().map(|id| (id, 0)).collect();
    let mut names = BTreeSet::new();
    for case in cases(CASES) {
        let (id, sentence) = (text(&case, "id"), text(&case, "sentence"));
        assert!(names.insert(id.to_owned()), "two cases are called `{id}`");
        *counts
            .get_mut(sentence)
            .unwrap_or_else(|| panic!("`{id}`: the page has no sentence `{sentence}`")) += 1;
    }
    // The rows of the table repeat the sentences above it.
    let few = |(id, count): (&String, &usize)| {
        (*count < if id.starts_with("presence-") { 2 } else { 3 }).then(|| id.clone())
    };
    let few: Vec<String> = counts.iter().filter_map(few).collect();
    assert!(few.is_empty(), "too few cases: {few:?}");
    println!("meaning: {} cases for {} sentences", names.len(), counts.len());
}

#[test]
fn every_case_expects_an_outcome_of_every_rule() {
    for case in cases(CASES) {
        let id = text(&case, "id");
        let expected = case["expected"].as_array().expect("what is expected is a list");
        assert_eq!(expected.len(), case["rules"].as_array().map_or(1, Vec::len), "{id}");
        for expected in expected {
            let outcome = text(expected, "outcome");
            assert!(["satisfied", "violated", "skipped", "left out"].contains(&outcome), "{id}: {outcome}");
        }
        assert!(!text(&case, "why").is_empty(), "{id}");
    }
}
