//! Trees, places and problems, seen from outside.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use kvrules_diagnostics::FileId;
use kvrules_syntax::{
    Document, EmbeddedReader, Node, ProblemKind, SyntaxKind, markdown, parse_embedded, parse_json,
    parse_stream,
};

fn yaml(text: &str) -> Document<'_> {
    parse_stream(FileId(0), text).documents.into_iter().next().unwrap()
}

/// A tree in a line: strings in quotes, holes as `?`.
fn show(node: Node<'_>) -> String {
    match node.kind() {
        SyntaxKind::List => format!("[{}]", node.items().map(show).collect::<Vec<_>>().join(",")),
        SyntaxKind::Map => {
            let entries = node.entries().map(|e| format!("{}:{}", show(e.key), show(e.value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        SyntaxKind::String => format!("{:?}", node.text()),
        SyntaxKind::Hole => "?".into(),
        SyntaxKind::Null => "null".into(),
        _ => node.text().into(),
    }
}

fn json(text: &str) -> (String, Vec<(ProblemKind, &str)>) {
    let document = parse_json(FileId(0), text);
    let problems = document.problems().iter().map(|p| (p.kind, &text[p.span.to_range()])).collect();
    (document.root().map_or(String::new(), show), problems)
}

#[test]
fn good_json_has_no_problems() {
    let text = r#" {"a": [1, -2.5e3, true, null, "x\n\u00e9\ud83d\ude00"], "": {}, "c": [] } "#;
    assert_eq!(json(text), (r#"{"a":[1,-2.5e3,true,null,"x\né😀"],"":{},"c":[]}"#.into(), vec![]));
}

#[test]
fn each_mistake_is_one_problem_and_the_rest_is_read() {
    use ProblemKind::*;
    type Case<'c> = (&'c str, &'c str, &'c [(ProblemKind, &'c str)]);
    let cases: &[Case<'_>] = &[
        ("{“a”: 1}", r#"{"a":1}"#, &[(JsonCurlyQuote, "“a”")]),
        (
            "{\"a”: \"b\", \"c”: 1}",
            r#"{"a":"b","c":1}"#,
            &[(JsonCurlyQuote, "\"a”"), (JsonCurlyQuote, "\"c”")],
        ),
        ("{\"a\": “b”}", r#"{"a":"b"}"#, &[(JsonCurlyQuote, "“b”")]),
        ("{\"a\": \"say “b”, please\"}", r#"{"a":"say “b”, please"}"#, &[]),
        ("{'a': 'b'}", r#"{"a":"b"}"#, &[(JsonSingleQuote, "'a'"), (JsonSingleQuote, "'b'")]),
        ("{\"a\": \"b\"\n \"c\": 1}", r#"{"a":"b","c":1}"#, &[(JsonMissingComma, "")]),
        ("[1, 2,]", "[1,2]", &[(JsonExtraComma, ",")]),
        ("[1,, 2]", "[1,2]", &[(JsonExtraComma, ",")]),
        ("{\"a\": 1,}", r#"{"a":1}"#, &[(JsonExtraComma, ",")]),
        ("[1 /* one */, // two\n 2]", "[1,2]", &[(JsonComment, "/* one */"), (JsonComment, "// two")]),
        ("[{\"a\": 1}", r#"[{"a":1}]"#, &[(JsonUnclosed, "[")]),
        ("[{\"a\": 1, {\"b\": 2}]", r#"[{"a":1},{"b":2}]"#, &[(JsonUnclosed, "{")]),
        ("[{\"a\": 1 {\"b\": 2}]", r#"[{"a":1},{"b":2}]"#, &[(JsonUnclosed, "{")]),
        ("[{\"a\": [1, 2}]", r#"[{"a":[1,2]}]"#, &[(JsonUnclosed, "[")]),
        ("[{\"a\": 1}]]", r#"[{"a":1}]"#, &[(JsonTrailing, "]")]),
        ("{\"a\": \"b}", r#"{"a":"b"}"#, &[(JsonUnclosed, "\"b")]),
        ("{\"a\": \"b,\n\"c\": 1}", r#"{"a":"b","c":1}"#, &[(JsonUnclosed, "\"b")]),
        ("{\"a: \"b\"}", r#"{"a":"b"}"#, &[(JsonUnclosed, "\"a")]),
        (
            "{\"a\": \"say \"hi\" now\", \"c\": 1}",
            r#"{"a":"say \"hi\" now","c":1}"#,
            &[(JsonInnerQuote, "\"")],
        ),
        ("{a: b}", r#"{"a":"b"}"#, &[(JsonUnquoted, "a"), (JsonUnquoted, "b")]),
        ("{\"a\" 1}", r#"{"a":1}"#, &[(JsonMissingColon, "")]),
        ("{\"a\" = 1}", r#"{"a":1}"#, &[(JsonMissingColon, "=")]),
        ("{\"a\": }", r#"{"a":?}"#, &[(JsonMissingValue, ":")]),
        ("{\"a\": True, \"b\": None}", r#"{"a":True,"b":null}"#, &[(JsonWord, "True"), (JsonWord, "None")]),
        ("[+1, 1Gi]", r#"[1,"1Gi"]"#, &[(JsonNumber, "+1"), (JsonUnquoted, "1Gi")]),
        ("{\"a\": \"\\d+\"}", r#"{"a":"\\d+"}"#, &[(JsonEscape, "\\d")]),
        ("{\"a\": \"b\nc\"}", r#"{"a":"b\nc"}"#, &[(JsonControl, "\n")]),
        ("{\"a\": 1, \"a\": 2}", r#"{"a":1,"a":2}"#, &[(DuplicateKey, "\"a\"")]),
        ("", "", &[(JsonEmpty, "")]),
        ("[${N}, \"${M}\", ${{K}}]", r#"[${N},"${M}",${{K}}]"#, &[]),
    ];
    for (text, tree, problems) in cases {
        assert_eq!(json(text), ((*tree).to_owned(), problems.to_vec()), "{text}");
    }
}

#[test]
fn yaml_scalars_of_every_style_keep_exact_places_inside() {
    let inner = r#"[{"name": "a", "min": 12}]"#;
    let cases = [
        format!("v: |\n  {inner}\n"),
        format!("v: |\n\n\n  {inner}\n"),
        format!("v: |2-\n    {inner}\n\n"),
        format!("v: >-\n  {inner}\n"),
        "v: >\n  [{\"name\": \"a\",\n  \"min\": 12}]\n".to_owned(),
        "v: >+\n  [{\"name\": \"a\",\n     \"x\": 1,\n\n  \"min\": 12}]\n\n".to_owned(),
        format!("v: '{inner}'\n"),
        format!("v: {}\n", serde_json::to_string(inner).unwrap()),
        "v: \"[{\\\"name\\\": \\\"é\\\\u00e9\\\",\n   \\\"min\\\":\\\n   12}]\"\n".to_owned(),
        "v: '[{\"name\": \"it''s\",\n\n  \"min\": 12}]'\n".to_owned(),
        format!("é: ü\r\nv: |\r\n  {}\r\n", inner.replace(',', ",\r\n   ")),
        format!("\u{feff}v: |\n  {}\n", inner.replace(',', ",\n  \t")),
        format!("é: ü\nv: &x\n  {{a: '{inner}'}}\n"),
        serde_json::to_string_pretty(&serde_json::json!({"v": inner.replace(", ", ",\n"), "w": 1})).unwrap(),
    ];
    for text in &cases {
        let document = yaml(text);
        assert!(document.problems().is_empty(), "{text}");
        let value = document.root().unwrap().get("v").unwrap();
        let value = value.get("a").unwrap_or(value);
        let json = parse_embedded(value);
        assert!(json.problems().is_empty(), "{text} {:?}", json.problems());
        let min = json.root().unwrap().items().next().unwrap().get("min").unwrap();
        assert_eq!(&text[min.span().to_range()], "12", "{text}");
    }
}

#[test]
fn a_document_that_fails_keeps_what_was_read_and_the_next_one() {
    let text = "a: 1\nb: [1, 2\n---\nc: 3\n";
    let stream = parse_stream(FileId(0), text);
    let shown: Vec<_> = stream.documents.iter().map(|d| d.root().map(show).unwrap_or_default()).collect();
    assert_eq!(shown, [r#"{"a":1,"b":[1,2]}"#, r#"{"c":3}"#]);
    assert_eq!(stream.documents[0].problems()[0].kind, ProblemKind::Yaml);
}

#[test]
fn a_block_indented_under_a_value_is_read_as_it_was_meant() {
    let text = "apiVersion: v1\nkind: Template\n  metadata:\n    name: x\n  other: [1]\n";
    let document = yaml(text);
    assert_eq!(
        show(document.root().unwrap()),
        r#"{"apiVersion":"v1","kind":"Template","metadata":{"name":"x"},"other":[1]}"#
    );
    let [problem] = document.problems() else { panic!("{:?}", document.problems()) };
    assert_eq!((problem.kind, &text[problem.span.to_range()]), (ProblemKind::YamlIndentation, "metadata"));
}

#[test]
fn aliases_are_followed_and_bounded() {
    let document = yaml("a: &x {k: 1}\nb: *x\nc: {<<: *x, l: 2}\n");
    let root = document.root().unwrap();
    assert_eq!(root.get("b").unwrap().get("k").unwrap().text(), "1");
    assert_eq!(root.get("c").unwrap().get("k").unwrap().text(), "1");
    let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for i in 1..30 {
        let aliases = vec![format!("*a{}", i - 1); 10].join(",");
        bomb = format!("{bomb}a{i}: &a{i} [{aliases}]\n");
    }
    let document = yaml(&bomb);
    assert!(document.problems().iter().any(|p| p.kind == ProblemKind::AliasExpansion));
}

#[test]
fn deep_and_broken_input_ends_in_problems() {
    for text in ["[".repeat(100_000), "{\"a\":".repeat(100_000), "- ".repeat(50_000), "a: {".repeat(50_000)] {
        let stream = parse_stream(FileId(0), &text);
        assert!(stream.documents.iter().any(|d| !d.problems().is_empty()), "{}", &text[..8]);
    }
}

#[test]
fn fenced_blocks_keep_their_places() {
    let text = "# T\n\n```yaml\na: 1\n```\n\n> ```yaml\n> b:\n>   c: 22\n> ```\n\n- x\n\n  ```json\n  {\"d\": 3}\n  ```\n";
    let blocks = markdown::find_fenced_blocks(text);
    assert_eq!(blocks.iter().map(|b| b.language).collect::<Vec<_>>(), ["yaml", "yaml", "json"]);
    let stream = blocks[1].parse(FileId(0));
    let c = stream.documents[0].root().unwrap().get("b").unwrap().get("c").unwrap();
    assert_eq!(&text[c.span().to_range()], "22");
    let stream = blocks[2].parse(FileId(0));
    assert_eq!(show(stream.documents[0].root().unwrap()), r#"{"d":3}"#);
}

/// Each node of a tree: its kind, its text and its span.
fn list_nodes(node: Node<'_>) -> Vec<String> {
    let mut all = vec![format!("{:?} {:?} {:?} {:?}", node.kind(), node.style(), node.text(), node.span())];
    all.extend(node.items().flat_map(list_nodes));
    all.extend(node.entries().flat_map(|entry| [list_nodes(entry.key), list_nodes(entry.value)].concat()));
    all
}

#[test]
fn a_text_that_is_repeated_is_read_as_if_it_were_alone() {
    let text = "é: &a |\n  \n  [{\"a\": \"x\\ny\",\n    \"b\": 1}]\n\
                same: |\n  \n  [{\"a\": \"x\\ny\",\n    \"b\": 1}]\n\
                deeper:\n  again: |\n    \n    [{\"a\": \"x\\ny\",\n      \"b\": 1}]\n\
                kept: |+\n  \n  [{\"a\": \"x\\ny\",\n    \"b\": 1}]\n\n\
                indented: |1\n  \n  [{\"a\": \"x\\ny\",\n    \"b\": 1}]\n\
                folded: >\n  \n  [{\"a\": \"x\\ny\",\n    \"b\": 1}]\n\
                folded again: >\n  \n  [{\"a\": \"x\\ny\",\n    \"b\": 1}]\n\
                broken: |\n  [{\"a\": 1,}]\nbroken again: |\n  [{\"a\": 1,}]\n\
                quoted: '[1, \"a\"]'\nquoted again: '[1, \"a\"]'\nalias: *a\n";
    let document = yaml(text);
    let mut reader = EmbeddedReader::default();
    let mut values: Vec<Node<'_>> = document.root().unwrap().entries().map(|entry| entry.value).collect();
    values.extend(values[2].entries().map(|entry| entry.value).collect::<Vec<_>>());
    assert_eq!(values.len(), 13);
    for value in values.into_iter().filter(|value| !value.is_map()) {
        let (read, alone) = (reader.parse(value), parse_embedded(value));
        assert_eq!(list_nodes(read.root().unwrap()), list_nodes(alone.root().unwrap()));
        assert_eq!(read.problems(), alone.problems());
        assert_eq!(read.root().unwrap().notation(), alone.root().unwrap().notation());
        let part = |document: &Document<'_>| {
            let item = document.root().unwrap().items().next().unwrap();
            item.get("a").unwrap_or(item).span_of(0..1)
        };
        assert_eq!(part(&read), part(&alone));
    }
}

#[test]
fn nodes_that_may_have_parameters_are_those_with_a_dollar_sign_or_an_alias() {
    fn assert_sign(node: Node<'_>) -> bool {
        let entries = node.entries().flat_map(|entry| [entry.key, entry.value]);
        let below: Vec<bool> = node.items().chain(entries).map(assert_sign).collect();
        let has_sign = node.is_alias() || node.text().contains('$') || below.contains(&true);
        assert_eq!(node.may_have_parameters(), has_sign, "{:?} {:?}", node.kind(), node.text());
        has_sign
    }
    let long = "x".repeat(3000);
    let text = format!(
        "a: [b, {long}, ${{A}}, c]\n'$': {{d: \"\\x24\", e: }}\nf: &f {{g: h, {long}é: é}}\nk: |\n  a\n  $b\nm: n\nl: [*f]\n--- [a, ' $']\n"
    );
    for document in parse_stream(FileId(0), &text).documents {
        assert!(assert_sign(document.root().unwrap()));
    }
    assert!(assert_sign(
        parse_json(FileId(0), r#"{"a": ["\u0024", {}], "b": ["c"], "${D}": ${E}}"#).root().unwrap()
    ));
}
