//! Types of fields in words.

use kvrules_apiserver::definition::keyword_value;
use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, INT_OR_STRING};
use serde_json::Value as Json;

use super::values::is_true;

/// One value or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    One,
    Several,
}

/// Returns the type of a schema in words, in parts: `list of strings`.
pub(super) fn type_words(node: &Json, number: Number) -> Vec<&'static str> {
    let pick = |one, several| vec![if number == Number::One { one } else { several }];
    let of_parts = |name: Vec<&'static str>, link, parts| {
        [name, vec![link], type_words(parts, Number::Several)].concat()
    };
    if is_true(node, INT_OR_STRING) {
        return pick("integer or string", "integers or strings");
    }
    match keyword_value(node, "type").and_then(Json::as_str).unwrap_or_default() {
        "array" => {
            let items = keyword_value(node, "items").unwrap_or(&Json::Null);
            of_parts(pick("list", "lists"), " of ", items)
        }
        "object" if is_true(node, EMBEDDED_RESOURCE) => pick("Kubernetes object", "Kubernetes objects"),
        "object" => match values_schema(node) {
            Some(values) => of_parts(pick("map", "maps"), " of strings to ", values),
            None => pick("object", "objects"),
        },
        "string" => pick("string", "strings"),
        "integer" => pick("integer", "integers"),
        "number" => pick("number", "numbers"),
        "boolean" => pick("boolean", "booleans"),
        _ => pick("any value", "values of any type"),
    }
}

/// Returns the schema of the values of a map; `None` if a schema is not of a map.
fn values_schema(node: &Json) -> Option<&Json> {
    if has_properties(node) {
        return None;
    }
    keyword_value(node, "additionalProperties")
        .filter(|values| values.is_object() || **values == Json::Bool(true))
}

/// True if a schema names fields.
pub(super) fn has_properties(node: &Json) -> bool {
    keyword_value(node, "properties").and_then(Json::as_object).is_some_and(|fields| !fields.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_named_in_words() {
        let strings = json!({"type": "array", "items": {"type": "string"}});
        for (node, words) in [
            (strings.clone(), "list of strings"),
            (json!({"type": "array", "items": strings}), "list of lists of strings"),
            (
                json!({"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": true}}),
                "map of strings to integers or strings",
            ),
            (json!({"type": "object", "additionalProperties": true}), "map of strings to values of any type"),
            (json!({"type": "object", "properties": {"a": {"type": "string"}}}), "object"),
            (json!({"x-kubernetes-preserve-unknown-fields": true}), "any value"),
        ] {
            assert_eq!(type_words(&node, Number::One).concat(), words);
        }
    }
}
