//! Texts in every layout that people get wrong, with what libyaml reads in them. libyaml and the YAML libraries of Go read alike,
//! and what kubectl and the API server read has to be read here.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use kvrules_diagnostics::FileId;
use kvrules_syntax::{DocumentStream, Node, ProblemKind, SyntaxKind, parse_stream};
use serde_json::Value;

/// Texts that libyaml reads and kvrules refuses, by what they share.
const REFUSED: [(&str, &str); 6] = [
    ("an alias without its anchor, which Go's libraries refuse", "*"),
    ("a directive in the middle of a stream", "\n%YAML"),
    ("a byte order mark inside a document", "\u{feff}"),
    ("U+0085 as a line break", "\u{85}"),
    ("U+2028 as a line break", "\u{2028}"),
    ("U+2029 as a line break", "\u{2029}"),
];

/// Texts that both read, and with other values, by what they share.
const OTHER_VALUES: [(&str, &str); 4] = [
    ("U+0085 as a line break", "\u{85}"),
    ("U+2028 as a line break", "\u{2028}"),
    ("`?` without a blank behind it in brackets, which Go's libraries read as we do", "[?x]"),
    ("a literal block at the end of a file without a line break: libyaml adds none", "a: |\n  b"),
];

fn cases() -> Vec<(String, Option<Vec<String>>)> {
    let lines =
        include_str!("libyaml/cases.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|case| {
            let text = case["text"].as_str().unwrap().to_owned();
            (text, serde_json::from_value(case["libyaml"].clone()).unwrap())
        })
        .collect()
}

/// The tree in the words of the cases: brackets, aliases, and `=` before a scalar.
fn events(stream: &DocumentStream<'_>) -> Vec<String> {
    let mut events = Vec::new();
    for document in &stream.documents {
        events.push("---".to_owned());
        match document.root() {
            Some(root) => walk(root, &mut events),
            None => events.push("=".to_owned()),
        }
    }
    events
}

fn walk(node: Node<'_>, events: &mut Vec<String>) {
    match node.kind() {
        _ if node.is_alias() => events.push("*".to_owned()),
        SyntaxKind::List => {
            events.push("[".to_owned());
            node.items().for_each(|item| walk(item, events));
            events.push("]".to_owned());
        }
        SyntaxKind::Map => {
            events.push("{".to_owned());
            for entry in node.entries() {
                walk(entry.key, events);
                walk(entry.value, events);
            }
            events.push("}".to_owned());
        }
        _ => events.push(format!("={}", node.text())),
    }
}

fn is_read(stream: &DocumentStream<'_>) -> bool {
    let harmless = |kind| matches!(kind, ProblemKind::DuplicateKey);
    stream.documents.iter().all(|document| document.problems().iter().all(|problem| harmless(problem.kind)))
}

#[test]
fn what_libyaml_reads_is_read_with_the_same_values() {
    let (mut agreed, mut refused, mut wrong) = (0, 0, Vec::new());
    for (text, libyaml) in cases() {
        let Some(expected) = libyaml else { continue };
        let stream = parse_stream(FileId(0), &text);
        if !is_read(&stream) {
            refused += 1;
            if !REFUSED.iter().any(|(_, sign)| text.contains(sign)) {
                wrong.push(format!(
                    "refused: {text:?} {:?}",
                    stream.documents.iter().flat_map(kvrules_syntax::Document::problems).next()
                ));
            }
            continue;
        }
        let found = events(&stream);
        if found == expected {
            agreed += 1;
        } else if !OTHER_VALUES.iter().any(|(_, sign)| text.contains(sign)) {
            wrong.push(format!("{text:?}\n  {found:?}\n  {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{agreed} agreed, {refused} refused\n{}", wrong.join("\n"));
    assert!(agreed > 690 && refused < 15, "{agreed} agreed, {refused} refused");
}

fn scalars<'d>(node: Node<'d>, found: &mut Vec<Node<'d>>) {
    node.items().for_each(|item| scalars(item, found));
    for entry in node.entries() {
        scalars(entry.key, found);
        scalars(entry.value, found);
    }
    if !node.is_map() && !node.is_list() && !node.is_alias() {
        found.push(node);
    }
}

/// Every scalar lies at its place: what stands there has the letters of its text in their order.
#[test]
fn places_are_exact_in_every_layout() {
    let visible = |text: &str| text.chars().filter(|char| char.is_alphabetic()).collect::<String>();
    for (text, _) in cases().into_iter().filter(|(text, _)| !text.contains('\\')) {
        let stream = parse_stream(FileId(0), &text);
        if !is_read(&stream) {
            continue;
        }
        let mut found = Vec::new();
        stream
            .documents
            .iter()
            .filter_map(kvrules_syntax::Document::root)
            .for_each(|root| scalars(root, &mut found));
        for node in found {
            let written = &text[node.span().to_range()];
            assert_eq!(visible(written), visible(node.text()), "{text:?}");
            if let Some(at) = node.text().find(char::is_alphabetic) {
                let len = node.text()[at..].chars().next().unwrap().len_utf8();
                let place = &text[node.place_of(at..at + len).to_range()];
                assert!(place.starts_with(&node.text()[at..at + len]), "{text:?} {place:?}");
            }
        }
    }
}

#[test]
fn a_mistake_behind_a_layout_of_libyaml_is_reported_at_its_own_place() {
    let text = "a:\n    b: 'x\n\n  y'\n    c: 1\n   d: [\n2\n]\n---\ne: f\n";
    let stream = parse_stream(FileId(0), text);
    let problem = &stream.documents[0].problems()[0];
    assert_eq!(problem.kind, ProblemKind::Yaml);
    assert!(text[..problem.span.start as usize].contains("c: 1"), "{problem:?}");
    assert_eq!(stream.documents[0].root().unwrap().get("a").unwrap().get("b").unwrap().text(), "x\ny");
    assert_eq!(stream.documents[1].root().unwrap().get("e").unwrap().text(), "f");
}

#[test]
fn schemas_300_levels_deep_are_read_and_hostile_nesting_is_refused() {
    let json =
        |levels: usize| format!("{}1{}", "{\"properties\":{\"a\":".repeat(levels), "}}".repeat(levels));
    let block = |levels: usize| {
        let keys = (0..levels * 2).map(|at| (at, if at % 2 == 0 { "properties" } else { "a" }));
        keys.map(|(at, key)| " ".repeat(at) + key + ":\n").collect::<Vec<_>>().concat()
    };
    for (text, is_read) in [(json(300), true), (block(300), true), (json(400), false), (block(400), false)] {
        let stream = parse_stream(FileId(0), &text);
        let problems = stream.documents[0].problems();
        assert_eq!(problems.is_empty(), is_read, "{problems:?}");
        assert!(is_read || problems[0].kind == ProblemKind::TooDeep);
    }
}
