//! The rules in CEL, which the schema does not express.

use kvrules_diagnostics::Exactness;
use serde_json::Value;

const KEYWORD: &str = "x-kubernetes-validations";

/// Returns the rules of a schema by their places.
pub(super) fn unsupported_rules(schema: &Value) -> Vec<(String, Exactness, String)> {
    let mut found = Vec::new();
    collect_rules(schema, "", &mut found);
    found
}

fn collect_rules(node: &Value, path: &str, found: &mut Vec<(String, Exactness, String)>) {
    let Some(keywords) = node.as_object() else { return };
    let rules = node.get(KEYWORD).and_then(Value::as_array).map_or(0, Vec::len);
    let separator = if path.is_empty() { "" } else { "." };
    for index in 0..rules {
        let name = format!("{path}{separator}{KEYWORD}[{index}]");
        found.push((name, Exactness::Unsupported, "rules in CEL are not expressed".to_owned()));
    }
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    collect_rules(property, &format!("{path}{separator}{name}"), found);
                }
            }
            ("items" | "additionalProperties", schema) => collect_rules(schema, &format!("{path}[*]"), found),
            _ => {}
        }
    }
}
