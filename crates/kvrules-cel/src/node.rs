//! Reading keywords of a schema node.

use serde_json::Value;

/// A keyword's text; empty when it is not there.
pub(crate) fn text<'a>(schema: &'a Value, keyword: &str) -> &'a str {
    schema.get(keyword).and_then(Value::as_str).unwrap_or_default()
}

/// Whether a keyword is `true`.
pub(crate) fn flag(schema: &Value, keyword: &str) -> bool {
    schema.get(keyword).and_then(Value::as_bool).unwrap_or(false)
}

/// Whether a value is what the server has where nothing is written.
pub(crate) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Number(_) => false,
    }
}

/// Whether a keyword is there and not `null`.
pub(crate) fn is_set(schema: &Value, keyword: &str) -> bool {
    schema.get(keyword).is_some_and(|value| !value.is_null())
}

/// The members of an object keyword, or nothing.
pub(crate) fn members<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

/// The elements of an array keyword, with their numbers.
pub(crate) fn elements<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate()
}

/// A schema under a keyword, where it is one.
pub(crate) fn schema<'a>(schema: &'a Value, keyword: &str) -> Option<&'a Value> {
    schema.get(keyword).filter(|value| value.is_object())
}

/// The branches of a node, with the steps to them.
pub(crate) fn branches(node: &Value) -> Vec<(String, &Value)> {
    let mut branches = Vec::new();
    for junctor in ["allOf", "anyOf", "oneOf"] {
        branches
            .extend(elements(node, junctor).map(|(index, branch)| (format!("{junctor}[{index}]"), branch)));
    }
    branches.extend(schema(node, "not").map(|branch| ("not".to_owned(), branch)));
    branches
}

/// The nodes of the spine directly below a node, with the steps to them.
pub(crate) fn spine(node: &Value) -> Vec<(String, &Value)> {
    let mut below: Vec<_> =
        members(node, "properties").map(|(name, schema)| (format!("properties[{name}]"), schema)).collect();
    for keyword in ["items", "additionalProperties"] {
        below.extend(schema(node, keyword).map(|schema| (keyword.to_owned(), schema)));
    }
    below
}

/// All nodes directly below a node.
pub(crate) fn below(node: &Value) -> Vec<(String, &Value)> {
    let mut below = spine(node);
    below.extend(branches(node));
    below
}
