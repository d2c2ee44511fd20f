//! Documents that nobody writes: the check ends soon, and never fails.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::format_collect,
    reason = "a test may stop at the first surprise"
)]

use std::fmt::Write as _;

use kvrules_diagnostics::FileId;
use kvrules_json_schema::{CheckedSchemas, check_schemas};
use kvrules_syntax::parse_stream;

const SCHEMA: &str = "\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"";

/// Checks a text; that it ends is the claim.
fn check_text(name: &str, text: &str) -> CheckedSchemas {
    let stream = parse_stream(FileId(0), text);
    let checked: Vec<_> = stream.documents.iter().map(check_schemas).collect();
    println!("{name}: {} bytes", text.len());
    checked.into_iter().next().unwrap_or(CheckedSchemas {
        language: kvrules_json_schema::SchemaLanguage::JsonSchema,
        schemas: 0,
        findings: Vec::new(),
    })
}

#[test]
fn empty_and_odd_documents_have_few_findings() {
    for text in [
        "",
        "~",
        "[]",
        "5",
        "a",
        "{}",
        "{[a]: 1}",
        "? {a: b}\n: c\n",
        "&a [*a]",
        "{\"a\": ",
        "properties: {? [x] : {}}",
        "$ref: ~",
    ] {
        assert!(check_text(text, text).findings.len() < 2, "{text}");
    }
}

#[test]
fn deep_schemas_are_checked() {
    for keyword in ["items", "not", "additionalProperties"] {
        let depth = 340;
        let text = format!(
            "{{{SCHEMA}, \"x\": 1, {}\"minLength\": -1{}}}",
            format!("\"{keyword}\": {{").repeat(depth),
            "}".repeat(depth)
        );
        let checked = check_text(keyword, &text);
        assert_eq!((checked.schemas, checked.findings.len()), (depth + 1, 1), "{keyword}");
    }
    let depth = 170;
    let text =
        format!("{{{SCHEMA}, {}\"type\": \"strng\"{}}}", "\"allOf\": [{".repeat(depth), "}]".repeat(depth));
    assert_eq!(check_text("allOf", &text).findings.len(), 1);
    let value =
        format!("{{{SCHEMA}, \"type\": \"string\", \"default\": {}{}}}", "[".repeat(600), "]".repeat(600));
    assert_eq!(check_text("default", &value).findings.len(), 1);
}

#[test]
fn long_documents_take_time_in_proportion() {
    let mut text = format!("{{{SCHEMA}, \"$defs\": {{");
    for index in 0..5_000 {
        let next = index + 1;
        let _ = write!(
            text,
            "\"d{index}\": {{\"type\": \"object\", \"required\": [\"a\"], \"properties\": {{\"a\": {{\"$ref\": \"#/$defs/d{next}\"}}, \
             \"b\": {{\"type\": \"string\", \"enum\": [\"x\", \"y\"], \"default\": \"x\"}}}}}},"
        );
    }
    text.push_str("\"d5000\": {\"type\": \"integer\", \"minimum\": 5, \"maximum\": 3}}}");
    let checked = check_text("chain", &text);
    assert_eq!(checked.findings.len(), 1, "{:?}", checked.findings.first());
    let missing: String = (0..20_000).map(|index| format!("{{\"$ref\": \"#/$defs/n{index}\"}},")).collect();
    let names: String = (0..20_000).map(|index| format!("\"m{index}\": {{}},")).collect();
    let text = format!("{{{SCHEMA}, \"anyOf\": [{missing} {{}}], \"$defs\": {{{names} \"x\": {{}}}}}}");
    assert_eq!(check_text("missing", &text).findings.len(), 20_000);
}

#[test]
fn references_that_multiply_are_not_followed_forever() {
    let mut text = format!("{{{SCHEMA}, \"$ref\": \"#/$defs/d0\", \"maximum\": 5, \"$defs\": {{");
    for index in 0..60 {
        let next = format!("{{\"$ref\": \"#/$defs/d{}\"}}", index + 1);
        for (keyword, suffix) in [("allOf", ""), ("anyOf", "b"), ("oneOf", "c")] {
            let _ = write!(
                text,
                "\"d{index}{suffix}\": {{\"{keyword}\": [{next}, {next}, {next}], \"minimum\": {index}}},"
            );
        }
    }
    text.push_str("\"d60\": {\"type\": \"integer\"}}}");
    check_text("fan", &text);
    let branches: String = (0..400).map(|index| format!("{{\"required\": [\"p{index}\"]}},")).collect();
    let text = format!(
        "{{{SCHEMA}, \"type\": \"object\", \"oneOf\": [{branches} {{}}], \"anyOf\": [{branches} {{}}], \"not\": {{\"anyOf\": [{branches} {{}}]}}}}"
    );
    check_text("branches", &text);
    let groups: String = (0..6)
        .map(|group| {
            let branches: String = (0..4)
                .map(|index| format!("{{\"properties\": {{\"p{group}\": {{\"const\": {index}}}}}}},"))
                .collect();
            format!("{{\"anyOf\": [{branches} {{\"required\": [\"q\"]}}]}},")
        })
        .collect();
    check_text("groups", &format!("{{{SCHEMA}, \"type\": \"object\", \"allOf\": [{groups} {{}}]}}"));
}

#[test]
fn long_lists_numbers_and_patterns_are_checked() {
    let values: String = (0..50_000).map(|index| format!("\"v{index}\",")).collect();
    let text = format!(
        "{{{SCHEMA}, \"type\": \"integer\", \"enum\": [{values} 5], \"minimum\": 6, \"default\": 5}}"
    );
    check_text("enum", &text);
    let digits = "9".repeat(5_000);
    let text = format!(
        "{{{SCHEMA}, \"minimum\": {digits}, \"maximum\": 1e999, \"minLength\": {digits}, \"type\": \"integer\", \"default\": {digits}}}"
    );
    assert_eq!(check_text("digits", &text).findings.len(), 1, "the length of a number");
    let text = format!(
        "{{{SCHEMA}, \"type\": \"string\", \"pattern\": \"^({})+$\", \"minLength\": 3, \"default\": \"{}\"}}",
        "a?".repeat(200),
        "a".repeat(2_000)
    );
    check_text("pattern", &text);
    let text = format!(
        "{{{SCHEMA}, \"type\": \"string\", \"allOf\": [{{\"pattern\": \"{}\"}}, {{\"pattern\": \"(a|b){{900}}\"}}], \"maxLength\": 3}}",
        "(".repeat(3_000)
    );
    check_text("parentheses", &text);
}
