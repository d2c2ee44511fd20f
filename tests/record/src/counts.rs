//! What is counted in an answer: findings by code, verdicts, fidelity, directions, and what was not decided.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::run::Output;

/// Fields of reports whose values are words of a small set.
const COUNTED: [&str; 14] = [
    "code",
    "coverage",
    "direction",
    "exactness",
    "fidelity",
    "form",
    "kind",
    "level",
    "outcome",
    "result",
    "severity",
    "state",
    "status",
    "verdict",
];

/// Numbers of values, such as `direction=unknown`.
pub type Counts = BTreeMap<String, u64>;

/// Counts in the JSON that a run prints.
pub fn count(output: &Output) -> Counts {
    let mut counts = Counts::new();
    counts.insert(format!("exit={}", output.status), 1);
    for (name, text) in output.parts.iter().filter(|(name, _)| name == "stdout") {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => count_values(&value, &mut counts),
            Err(_) => *counts.entry(format!("{name} lines")).or_default() += text.lines().count() as u64,
        }
    }
    for (_, text) in output.parts.iter().filter(|(name, _)| name == "stderr") {
        for line in text.lines() {
            for level in ["error", "warning"] {
                if line.starts_with(level) {
                    *counts.entry(format!("stderr {level}")).or_default() += 1;
                }
            }
        }
    }
    counts
}

fn count_values(value: &Value, counts: &mut Counts) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| count_values(item, counts)),
        Value::Object(fields) => {
            for (name, field) in fields {
                let counted = COUNTED.contains(&name.as_str());
                match field {
                    Value::String(word) if counted && is_word(word) => {
                        *counts.entry(format!("{name}={word}")).or_default() += 1;
                    }
                    Value::Bool(true) => *counts.entry(name.clone()).or_default() += 1,
                    field => count_values(field, counts),
                }
            }
        }
        _ => {}
    }
}

/// True for words of reports; names and texts of inputs are longer, or have other characters.
fn is_word(text: &str) -> bool {
    text.len() < 24 && text.chars().all(|it| it.is_ascii_alphanumeric() || it == '-' || it == '_')
}

/// Words for what is not known, in the reports.
const UNKNOWN: [&str; 9] = [
    "unknown",
    "undecided",
    "inconclusive",
    "unlifted",
    "unsupported",
    "incomparable",
    "skipped",
    "gave-up",
    "surviving",
];

/// True if more of it is worse, false if less of it is; `None` if neither is.
pub fn is_more_worse(key: &str) -> Option<bool> {
    let (field, word) = key.split_once('=').unwrap_or(("", key));
    if UNKNOWN.contains(&word) || word == "wider" || word == "narrower" {
        return Some(true);
    }
    if field == "exit" && (word == "101" || word == "-1") {
        return Some(true);
    }
    (["exactness", "fidelity"].contains(&field) && word == "exact" || word == "proved").then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_reports_are_counted_and_names_are_not() {
        let stdout = r#"{"changes": [{"direction": "unknown", "proved": true}, {"direction": "unknown", "kind": "a b"}]}"#;
        let output = Output { status: 1, parts: vec![("stdout".to_owned(), stdout.to_owned())] };
        let counts = count(&output);
        assert_eq!(counts["direction=unknown"], 2);
        assert_eq!(counts["proved"], 1);
        assert_eq!(counts["exit=1"], 1);
        assert_eq!(counts.len(), 3);
    }

    #[test]
    fn more_unknowns_are_worse_and_fewer_exact_claims_too() {
        assert_eq!(is_more_worse("direction=unknown"), Some(true));
        assert_eq!(is_more_worse("fidelity=exact"), Some(false));
        assert_eq!(is_more_worse("code=KC310"), None);
    }
}
