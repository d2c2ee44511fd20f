//! Mistakes of syntax against the texts of a real API server, and inputs that must not bring the parser down.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use kvrules_cel::parse;
use proptest::prelude::*;

/// Messages of the parser's own; other errors are found later.
const OURS: [&str; 5] = [
    "Syntax error",
    "invalid argument to has() macro",
    "reserved identifier",
    "invalid double literal",
    "argument must be a simple name",
];

#[test]
fn mistakes_of_syntax_have_the_words_of_the_server() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/crd-cases.jsonl") else { return };
    let (mut agreed, mut total, mut parsed) = (0, 0, 0);
    for case in &cases {
        for rule in case["expect"]["rules"].as_array().into_iter().flatten() {
            let source = rule["rule"].as_str().unwrap().trim();
            if rule["valid"] == true {
                parsed += usize::from(parse(source).is_ok());
                assert!(parse(source).is_ok(), "{source}");
            }
            let details = rule["errors"].as_array().into_iter().flatten().filter_map(|it| {
                it.as_str().or_else(|| it["detail"].as_str())?.strip_prefix("compilation failed: ")
            });
            for detail in details.filter(|it| OURS.iter().any(|ours| it.contains(ours))) {
                total += 1;
                match parse(source) {
                    Err(error) if error.to_string() == detail => agreed += 1,
                    Err(error) => println!("{source}\n{error}\n-- server --\n{detail}"),
                    Ok(_) => println!("{source}\nparses\n-- server --\n{detail}"),
                }
            }
        }
    }
    println!("texts of syntax: agreed {agreed}/{total}; valid rules parsed: {parsed}");
    assert_eq!(agreed, total);
}

#[test]
fn what_is_too_deep_or_too_long_is_an_error() {
    for text in [
        "(",
        "[",
        "{1:",
        "-",
        "!",
        "a.",
        "a[",
        "a?b:",
        "f(",
        "x.all(y, ",
        "1+",
        "a==",
        "a||",
        "'",
        "\"\"\"",
        "?",
    ] {
        for count in [10, 249, 400, 5000, 40_000] {
            let _ = parse(&text.repeat(count));
        }
    }
    let deep = format!("{}1{}", "(".repeat(300), ")".repeat(300));
    let message = &parse(&deep).unwrap_err().issues[0].message;
    assert_eq!(message, "expression recursion limit exceeded: 250");
    let fits = format!("{}1{}", "(".repeat(200), ")".repeat(200));
    assert!(parse(&fits).is_ok());
    let long = format!("'{}'", "a".repeat(1 << 20));
    assert_eq!(
        parse(&long).unwrap_err().to_string(),
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 1048578, limit 100000"
    );
}

#[test]
fn a_node_covers_what_was_written() {
    let source = "  self.spec.items.all(é, é.name in ['a', \"b\"]) && has(self.x)";
    let error = parse(source);
    assert!(error.is_err());
    let source = "self.l.all(x, size(x.?n) > 1) && 'é' == self.m['k']";
    let expression = parse(source).unwrap();
    let mut texts = Vec::new();
    expression.root.visit_nodes(&mut |expr| texts.push(source.get(expr.span.start..expr.span.end).unwrap()));
    for text in ["self.l.all(x, size(x.?n) > 1)", "size(x.?n)", "x.?n", "self.m['k']", "'é'", source] {
        assert!(texts.contains(&text), "{text} in {texts:?}");
    }
}

proptest! {
    #[test]
    fn any_text_parses_or_is_refused(text in "[a-z0-9().\\[\\]{}'\"?:!&|<=+ é,-]{0,60}") {
        let parsed = parse(&text);
        if let Ok(expression) = parsed {
            expression.root.visit_nodes(&mut |expr| assert!(text.get(expr.span.start..expr.span.end).is_some()));
        }
    }
}
