//! The field that an error of a rule names, if it is below the place of the rule.

use kvrules_apiserver::crd::normalize_field_path;
use serde_json::Value as Json;

use crate::path::{PathStep, RulePath};

/// Returns a path below a place as `fieldPath`, as far as servers take it: up to the first list, and only through fields of the schema
/// there. `None` if that is the place itself.
// apiextensions schema/cel/validation.go, ValidFieldPath; lists have no indices there.
pub(crate) fn to_field_path(below: &RulePath, schema: &Json) -> Option<String> {
    let mut text = String::new();
    for step in &below.0 {
        let PathStep::Field(name) = step else { break };
        let longer = text.clone() + &field_step(name);
        if normalize_field_path(&longer, schema).is_none() {
            break;
        }
        text = longer;
    }
    (!text.is_empty()).then_some(text)
}

fn field_step(name: &str) -> String {
    if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        format!(".{name}")
    } else {
        format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn field_paths_are_those_that_servers_take() {
        let schema = json!({"type": "object", "properties": {"a-b": {"type": "object", "properties": {
            "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}},
            "map": {"type": "object", "additionalProperties": {"type": "string"}}}}}});
        let path = |text: &str| to_field_path(&RulePath::parse(text).unwrap(), &schema);
        assert_eq!(path("a-b.list[*].x").as_deref(), Some("['a-b'].list"));
        assert_eq!(path("a-b.map[\"k'y.z\"]").as_deref(), Some("['a-b'].map['k\\'y.z']"));
        assert_eq!(path("metadata.labels.tier"), None);
        assert_eq!(path(""), None);
    }
}
