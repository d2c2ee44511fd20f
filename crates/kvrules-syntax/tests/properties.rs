//! Properties of every text: locations are exact in every style, and nothing panics.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use kvrules_diagnostics::FileId;
use kvrules_syntax::{Node, SyntaxKind, markdown, parse_embedded, parse_json, parse_stream};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Small JSON values with the characters that YAML and JSON treat in their own ways.
fn values() -> impl Strategy<Value = Value> {
    let text = "[ -~é😀'\"\\\\#:&*!|>%@`{}\\[\\],?-]{0,12}";
    let leaf = prop_oneof![
        any::<i32>().prop_map(|number| json!(number)),
        any::<bool>().prop_map(|truth| json!(truth)),
        text.prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zé]{1,5}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

/// A document, and how to undo its style on a piece of source.
type Styled = (String, fn(&str) -> String);

/// A JSON text as a scalar of each style, and how to undo the style on a piece of source.
fn scalars(json: &str) -> Vec<Styled> {
    let same: fn(&str) -> String = str::to_owned;
    let indented = format!("    {}\n", json.replace('\n', "\n    "));
    vec![
        (format!("v: |\n{indented}"), same),
        (format!("v: |4\n{indented}").replace("|4", "|2").replace("\n    ", "\n  "), same),
        (format!("é: ü\r\nv: |-\r\n{}", indented.replace('\n', "\r\n")), same),
        (format!("- x\n- v: >\n{}", indented.replace('\n', "\n\n")), same),
        (format!("v: '{}'\n", json.replace('\'', "''").replace('\n', "\n\n  ")), |text| {
            text.replace("''", "'")
        }),
        (format!("v: {}\n", serde_json::to_string(json).unwrap()), |text| {
            serde_json::from_str(&format!("\"{text}\"")).unwrap()
        }),
        // Lines that are indented less than their key, as libyaml reads them.
        (format!("-     v: '{}'\n", json.replace('\'', "''").replace('\n', "\n\n")), |text| {
            text.replace("''", "'")
        }),
        (
            format!("- é\n-     v: '{}' # ü\n      w: 1\n", json.replace('\'', "''").replace('\n', "\n\t")),
            |text| text.replace("''", "'"),
        ),
        (format!("-     v: {}\n", broken_lines(json)), |text| {
            serde_json::from_str(&format!("\"{}\"", text.replace("\\\n", ""))).unwrap()
        }),
    ]
}

/// A text in double quotation marks with each of its lines on a line of its own, without indentation.
fn broken_lines(text: &str) -> String {
    let mark = "\u{e000}";
    serde_json::to_string(&text.replace('\n', mark)).unwrap().replace(mark, "\\n\\\n")
}

/// Every scalar's place holds the text that JSON writes for it.
fn check(node: Node<'_>, source: &str, undo: fn(&str) -> String) -> Result<(), TestCaseError> {
    let written = undo(&source[node.span().to_range()]);
    match node.kind() {
        SyntaxKind::List => node.items().try_for_each(|item| check(item, source, undo))?,
        SyntaxKind::Map => {
            for entry in node.entries() {
                check(entry.key, source, undo)?;
                check(entry.value, source, undo)?;
            }
        }
        SyntaxKind::String => {
            let read: String =
                serde_json::from_str(&written).unwrap_or_else(|_| format!("no JSON: {written}"));
            prop_assert_eq!(read, node.text());
        }
        _ => prop_assert_eq!(written, node.text()),
    }
    Ok(())
}

fn find(node: Node<'_>) -> Option<Node<'_>> {
    node.get("v").or_else(|| node.items().find_map(|item| item.get("v")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn places_inside_scalars_are_exact_in_every_style(value in values(), pretty in any::<bool>()) {
        let wrapped = json!([value]);
        let text = if pretty { serde_json::to_string_pretty(&wrapped) } else { serde_json::to_string(&wrapped) };
        for (source, undo) in scalars(&text.unwrap()) {
            let stream = parse_stream(FileId(0), &source);
            let document = &stream.documents[0];
            prop_assert!(document.problems().is_empty(), "{source}\n{:?}", document.problems());
            let json = parse_embedded(find(document.root().unwrap()).unwrap());
            prop_assert!(json.problems().is_empty(), "{source}\n{:?}", json.problems());
            check(json.root().unwrap(), &source, undo)?;
        }
    }

    #[test]
    fn good_json_is_read_as_serde_reads_it(value in values()) {
        let text = serde_json::to_string_pretty(&value).unwrap();
        let document = parse_json(FileId(0), &text);
        prop_assert!(document.problems().is_empty(), "{text}");
        check(document.root().unwrap(), &text, str::to_owned)?;
    }

    #[test]
    fn no_text_panics_and_places_lie_in_it(
        text in "(\\PC|[\\n\\t\\r:,\\[\\]{}'\"“”|>&*#$ -]|kind: |validations: \\|\\n  |\"path\": |```yaml\\n|---\\n){0,60}"
    ) {
        let whole = parse_stream(FileId(0), &text);
        let blocks = markdown::find_fenced_blocks(&text);
        let parts: Vec<_> = blocks.iter().map(|block| block.parse(FileId(0))).collect();
        for document in whole.documents.iter().chain(parts.iter().flat_map(|part| &part.documents)) {
            for problem in document.problems() {
                prop_assert!(text.get(problem.span.to_range()).is_some(), "{:?}", problem);
            }
            let Some(root) = document.root() else { continue };
            prop_assert!(text.get(root.span().to_range()).is_some(), "{:?}", root.span());
            for entry in root.entries() {
                let inside = parse_embedded(entry.value);
                for problem in inside.problems() {
                    prop_assert!(text.get(problem.span.to_range()).is_some(), "{:?}", problem);
                }
            }
        }
    }
}
