//! Reading keywords of a node.

pub(crate) use kvrules_kubernetes::keywords::{
    BRANCH_LISTS as JUNCTORS, EMBEDDED_RESOURCE as EMBEDDED, INT_OR_STRING, LIST_MAP_KEYS as LIST_KEYS,
    LIST_TYPE, PRESERVE_UNKNOWN_FIELDS as PRESERVE, VALIDATIONS as RULES,
};
use serde_json::Value;

pub(crate) fn keyword_text<'s>(node: &'s Value, keyword: &str) -> &'s str {
    node.get(keyword).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn keyword_flag(node: &Value, keyword: &str) -> bool {
    node.get(keyword).and_then(Value::as_bool).unwrap_or(false)
}

/// A size, such as `maxItems`.
pub(crate) fn keyword_size(node: &Value, keyword: &str) -> Option<i64> {
    node.get(keyword)?.as_i64()
}

pub(crate) fn keyword_list<'s>(node: &'s Value, keyword: &str) -> &'s [Value] {
    node.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(crate) fn keyword_texts<'s>(node: &'s Value, keyword: &str) -> Vec<&'s str> {
    keyword_list(node, keyword).iter().filter_map(Value::as_str).collect()
}

pub(crate) fn properties(node: &Value) -> impl Iterator<Item = (&String, &Value)> {
    node.get("properties").and_then(Value::as_object).into_iter().flatten()
}

pub(crate) fn find_property<'s>(node: &'s Value, name: &str) -> Option<&'s Value> {
    node.get("properties")?.get(name)
}

pub(crate) fn keyword_schema<'s>(node: &'s Value, keyword: &str) -> Option<&'s Value> {
    node.get(keyword).filter(|value| value.is_object())
}

/// The default, if there is one; the server drops one that is `null`.
pub(crate) fn default_value(node: &Value) -> Option<&Value> {
    node.get("default").filter(|value| !value.is_null())
}

/// The names that a schema always has in every object: of none of them a change is reported.
pub(crate) fn is_meta(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// All properties of two nodes, those of the first first.
pub(crate) fn property_names<'s>(old: &'s Value, new: &'s Value) -> Vec<&'s String> {
    let mut names: Vec<&String> = properties(old).map(|(name, _)| name).collect();
    let is_known = |name: &&String| find_property(old, name).is_some();
    names.extend(properties(new).map(|(name, _)| name).filter(|name| !is_known(name)));
    names
}

/// True if branches of other schemas limit the values here.
pub(crate) fn has_branches(node: &Value) -> bool {
    JUNCTORS.iter().any(|junctor| !keyword_list(node, junctor).is_empty())
        || keyword_schema(node, "not").is_some()
}
