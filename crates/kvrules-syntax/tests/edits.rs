//! Edits: what is put in is written as its place asks, and nothing else moves.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_syntax::{
    Document, Node, SyntaxKind,
    edit::{Rewriter, ScalarEdit, apply_edits},
    markdown::find_fenced_blocks,
    parse_embedded, parse_stream,
};

/// JSON with two rules, one over several lines.
const JSON: &str = "[\n  {\"name\": \"it's\", \"min\": 1.5, \"a\\\\d\": [1, \"b\", null]},\n  {\n    \"name\": \"b\"\n  }\n]";

fn indented(text: &str, with: &str) -> String {
    text.lines().flat_map(|line| [with, line, "\n"]).collect()
}

fn escaped(json: &str) -> String {
    json.replace('\\', "\\\\").replace('"', "\\\"")
}

fn one_line(json: &str) -> String {
    json.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

fn folded(json: &str) -> String {
    json.lines().map(str::trim).collect::<Vec<_>>().join("\n    ")
}

/// A file with the JSON under the key `r`, in many notations.
const NOTATIONS: [fn(&str) -> String; 12] = [
    |json| format!("a: é # x\nr: |\n{}b: 2\n", indented(json, "  ")),
    |json| format!("a: 1\nr: |-\n{}b: 2\n", indented(json, "   ")).replace('\n', "\r\n"),
    |json| format!("r: >-\n{}# end\n", indented(json, "  ")),
    |json| format!("a: é\nr:  \"{}\"  # x\"y\n", escaped(json).replace('\n', "\\n")),
    |json| format!("r:\n    \"{}\"\n", escaped(&folded(json))),
    |json| format!("r: '{}' # it's\n", one_line(json).replace('\'', "''")),
    |json| format!("r: '{}'\n", folded(json).replace('\'', "''")),
    |json| format!("r: &x |\n{}c: *x\n", indented(json, " ")),
    |json| format!("r: !!str >\n\n{}", indented(json, " ")),
    |json| format!("{{r: &x \"{}\", b: 2}}\n", escaped(json).replace('\n', "\\n")),
    |json| format!("{{\"a\": [1],\n\t\"r\": \"{}\"}}\n", escaped(json).replace('\n', "\\n")),
    |json| format!("- 1\n---\nr: |2\n{}", indented(json, "  ")),
];

/// Looks at the JSON of a text.
fn with_json(text: &str, look: impl FnOnce(&SourceFile, &Document<'_>)) {
    let source = SourceFile::new(FileId(0), "a.yaml", text);
    let stream = parse_stream(source.id(), source.text());
    let mut roots = stream.documents.iter().filter_map(Document::root);
    let node = roots.find_map(|root| root.get("r")).unwrap_or_else(|| panic!("{text}"));
    look(&source, &parse_embedded(node));
}

fn all(node: Node<'_>) -> Vec<Node<'_>> {
    let below = node.items().chain(node.entries().flat_map(|entry| [entry.key, entry.value]));
    std::iter::once(node).chain(below.flat_map(all)).collect()
}

#[test]
fn every_scalar_of_embedded_json_is_where_its_place_says() {
    for wrap in NOTATIONS {
        let text = wrap(JSON);
        with_json(&text, |source, json| {
            assert_eq!(json.problems(), [], "{text}");
            let nodes = all(json.root().unwrap());
            assert_eq!(nodes.len(), 14);
            for node in nodes {
                let shown = source.span_text(node.span());
                let written = match node.kind() {
                    SyntaxKind::List => {
                        assert!(shown.starts_with('[') && shown.ends_with(']'), "{text}: {shown}");
                        continue;
                    }
                    SyntaxKind::Map => {
                        assert!(shown.starts_with('{') && shown.ends_with('}'), "{text}: {shown}");
                        continue;
                    }
                    SyntaxKind::String => format!("\"{}\"", node.text().replace('\\', "\\\\")),
                    _ => node.text().to_owned(),
                };
                assert_eq!(Some(shown), node.notation().escape_json(&written).as_deref(), "{text}");
            }
        });
    }
}

/// The text after an edit, and the one that is wanted.
fn edited(
    wanted: &str,
    edit: impl for<'a> Fn(Rewriter<'a>, Node<'a>, Node<'a>) -> Vec<kvrules_diagnostics::Edit>,
) {
    for wrap in NOTATIONS {
        let text = wrap(JSON);
        with_json(&text, |source, json| {
            let rules: Vec<_> = json.root().unwrap().items().collect();
            let edits = edit(Rewriter::new(source), rules[0], rules[1]);
            assert_eq!(apply_edits(&text, &edits).unwrap(), wrap(wanted), "{text}");
        });
    }
}

#[test]
fn a_value_is_replaced_in_the_notation_of_its_place() {
    edited(
        &JSON
            .replace("1.5", "2")
            .replace("\"b\"\n", "\"a\\\\\\\"'b\"\n")
            .replace("\"name\": \"it", "\"title\": \"it"),
        |rewriter, first, second| {
            vec![
                rewriter.replace_scalar(first.get("min").unwrap(), ScalarEdit::Literal("2")).unwrap(),
                rewriter.rename_key(first.entry("name").unwrap(), "title").unwrap(),
                rewriter.replace_scalar(second.get("name").unwrap(), ScalarEdit::Text("a\\\"'b")).unwrap(),
            ]
        },
    );
}

#[test]
fn an_entry_is_put_in_as_its_neighbours_are_laid_out() {
    edited(
        &JSON
            .replace("1.5,", "1.5, \"x\": 'q',")
            .replace("'q'", "\"q\"")
            .replace("\"b\"\n", "\"b\",\n    \"x\": true\n"),
        |rewriter, first, second| {
            vec![
                rewriter
                    .insert_after(first, first.entry("min").unwrap(), "x", ScalarEdit::Text("q"))
                    .unwrap(),
                rewriter
                    .insert_after(second, second.entry("name").unwrap(), "x", ScalarEdit::Literal("true"))
                    .unwrap(),
            ]
        },
    );
}

#[test]
fn an_entry_and_an_item_go_with_their_comma() {
    edited(&JSON.replace(", \"min\": 1.5", "").replace("1, \"b\"", "1"), |rewriter, first, _| {
        let list = first.get("a\\d").unwrap();
        vec![
            rewriter.remove_entry(first, first.entry("min").unwrap()).unwrap(),
            rewriter.remove_item(list, list.items().nth(1).unwrap()).unwrap(),
        ]
    });
    edited(&JSON.replace("\"name\": \"it's\", ", "").replace("1, ", ""), |rewriter, first, _| {
        let list = first.get("a\\d").unwrap();
        vec![
            rewriter.remove_entry(first, first.entry("name").unwrap()).unwrap(),
            rewriter.remove_item(list, list.items().next().unwrap()).unwrap(),
        ]
    });
}

#[test]
fn an_item_of_a_block_list_goes_with_its_dash() {
    let removed = |text: &str, at: usize| {
        let source = SourceFile::new(FileId(0), "a.yaml", text);
        let stream = parse_stream(source.id(), source.text());
        let list = stream.documents[0].root().unwrap().get("r").unwrap();
        let edit = Rewriter::new(&source).remove_item(list, list.items().nth(at).unwrap())?;
        apply_edits(text, &[edit])
    };
    let text = "r:\n- a: 1 # one\n  b: |\n    x\n-   c: 2\n- 3\n";
    assert_eq!(removed(text, 0).unwrap(), "r:\n-   c: 2\n- 3\n");
    assert_eq!(removed(text, 1).unwrap(), "r:\n- a: 1 # one\n  b: |\n    x\n- 3\n");
    assert_eq!(removed(text, 2).unwrap(), "r:\n- a: 1 # one\n  b: |\n    x\n-   c: 2\n");
    // A dash on a line of its own, a dash that shares its line, and the only item.
    assert_eq!(removed("r:\n-\n  a: 1\n- 2\n", 0), None);
    assert_eq!(removed("r:\n- 1\n", 0), None);
}

/// A YAML mapping under the key `r` before and after an edit.
fn in_yaml(
    before: &str,
    after: &str,
    edit: impl Fn(Rewriter<'_>, Node<'_>) -> Option<kvrules_diagnostics::Edit>,
) {
    let source = SourceFile::new(FileId(0), "a.yaml", before);
    let stream = parse_stream(source.id(), source.text());
    let root = stream.documents[0].root().unwrap();
    let map = root.get("r").unwrap();
    let map = map.items().next().unwrap_or(map);
    let edit = edit(Rewriter::new(&source), map).unwrap_or_else(|| panic!("{before}"));
    assert_eq!(apply_edits(before, &[edit]).unwrap(), after);
}

#[test]
fn entries_of_block_mappings_are_lines() {
    let cases = [
        ("r:\n  a: 1 # one\n  b: 2\n", "r:\n  a: 1 # one\n  x: q\n  b: 2\n", "r:\n  b: 2\n"),
        ("r:\n- a: 1\n  b: 2\n", "r:\n- a: 1\n  x: q\n  b: 2\n", "r:\n- b: 2\n"),
        ("r:\n- a: 1\n", "r:\n- a: 1\n  x: q\n", ""),
        ("r:\n  b: 2\n  a: 1", "r:\n  b: 2\n  a: 1\n  x: q", "r:\n  b: 2"),
        (
            "r:\r\n  b: 2\r\n  a: |\r\n    1\r\nc: 3\r\n",
            "r:\r\n  b: 2\r\n  a: |\r\n    1\r\n  x: q\r\nc: 3\r\n",
            "r:\r\n  b: 2\r\nc: 3\r\n",
        ),
        ("r: {a: 1, b: [2]}\n", "r: {a: 1, x: \"q\", b: [2]}\n", "r: {b: [2]}\n"),
        ("r: {a: 1}\n", "r: {a: 1, x: \"q\"}\n", "r: {}\n"),
    ];
    for (before, inserted, removed) in cases {
        in_yaml(before, inserted, |rewriter, map| {
            rewriter.insert_after(map, map.entry("a")?, "x", ScalarEdit::Text("q"))
        });
        if !removed.is_empty() {
            in_yaml(before, removed, |rewriter, map| rewriter.remove_entry(map, map.entry("a")?));
        }
    }
}

#[test]
fn what_is_written_elsewhere_is_left_alone() {
    let source = SourceFile::new(FileId(0), "a.yaml", "b: &b {a: 1}\nr: {<<: *b, c: *b, d: [*b]}\n");
    let stream = parse_stream(source.id(), source.text());
    let map = stream.documents[0].root().unwrap().get("r").unwrap();
    let rewriter = Rewriter::new(&source);
    assert_eq!(rewriter.remove_entry(map, map.entry("a").unwrap()), None);
    assert_eq!(rewriter.insert_after(map, map.entry("a").unwrap(), "x", ScalarEdit::Literal("1")), None);
    assert_eq!(rewriter.replace_scalar(map.get("c").unwrap(), ScalarEdit::Literal("1")), None);
}

#[test]
fn edits_in_quoted_examples_keep_the_prefix_of_their_lines() {
    let text = "> ```yaml\n> r: |\n>   [{\"a\": 1,\n>     \"b\": 2}]\n> ```\n";
    let source = SourceFile::new(FileId(0), "a.md", text);
    let blocks = find_fenced_blocks(source.text());
    let stream = blocks[0].parse(source.id());
    let json = parse_embedded(stream.documents[0].root().unwrap().get("r").unwrap());
    let rule = json.root().unwrap().items().next().unwrap();
    let edit = Rewriter::new(&source)
        .insert_after(rule, rule.entry("b").unwrap(), "c", ScalarEdit::Literal("3"))
        .unwrap();
    assert_eq!(apply_edits(text, &[edit]).unwrap(), text.replace("2}", "2,\n>     \"c\": 3}"));
}
