//! Paths that the deployed validator accepted or refused, with its words.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop and speak"
)]

use kvrules_diagnostics::Origin;
use kvrules_elaborate::path::parse;
use serde_json::Value;

/// Beginnings of the path parser's own messages.
const MESSAGES: [&str; 9] = [
    "unclosed action",
    "unterminated ",
    "unclosed array",
    "invalid array index",
    "array index",
    "invalid multiple",
    "unrecognized character",
    "cannot parse number",
    "unquote string",
];

/// Every path in a list of rules, in the order in which the validator decodes them.
fn paths(rules: &Value) -> Vec<&str> {
    let rules = rules.as_array().into_iter().flatten().filter_map(Value::as_object);
    let holds_paths =
        |key: &str| ["path", "valid", "min", "max", "minLength", "maxLength", "values"].contains(&key);
    let values =
        rules.flat_map(|rule| rule.iter()).filter(move |(key, _)| holds_paths(key)).map(|(_, value)| value);
    let texts = values.flat_map(|value| match value {
        Value::Array(items) => items.iter().collect(),
        other => vec![other],
    });
    texts.filter_map(|text| text.as_str()?.strip_prefix("jsonpath::")).collect()
}

#[test]
fn paths_parse_and_fail_as_recorded() {
    let Some(cases) = kvrules_testdata::read_rows("kubevirt/evaluator-cases.jsonl") else { return };
    let (mut agreed, mut differing) = (0, Vec::new());
    for case in cases {
        let Ok(rules) = serde_json::from_str::<Value>(case["rules"].as_str().unwrap()) else { continue };
        let expected = case["expected"]["parseError"].as_str();
        let expected =
            expected.map(|text| text.trim_start_matches("cannot unmarshall IntOrPath from JSON: "));
        let errors: Vec<_> = paths(&rules)
            .iter()
            .filter_map(|path| parse(path, Origin::default()).err())
            .map(|error| error.go_text())
            .filter(|text| text != "invalid JSONPath")
            .collect();
        let as_recorded = match expected {
            Some(text) if MESSAGES.iter().any(|message| text.starts_with(message)) => {
                errors.iter().any(|e| e == text)
            }
            Some(_) => continue,
            None => errors.is_empty(),
        };
        if as_recorded {
            agreed += 1;
        } else {
            differing.push(format!("{}: expected {expected:?}, found {errors:?}", case["id"]));
        }
    }
    println!("paths: {agreed} of {} recorded rule lists agree", agreed + differing.len());
    assert!(differing.is_empty(), "{differing:#?}");
}
