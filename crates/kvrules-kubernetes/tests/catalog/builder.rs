//! Builds the text of the catalog from the recorded types of each minor.

#![allow(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the generator, and the test that it is run in, stop at data of another form"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

/// The keywords that are kept.
const KEYWORDS: [&str; 10] = [
    "type",
    "format",
    "required",
    "enum",
    "default",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
];

/// Lines with the minors in which they are the same.
type SharedLines = BTreeMap<(String, String), u8>;

/// Returns the text of the catalog; `minors` are the recorded types, from the oldest minor.
pub(crate) fn build_catalog(minors: &[Value]) -> String {
    let (mut resources, mut schemas) = (SharedLines::new(), SharedLines::new());
    for (index, minor) in minors.iter().enumerate() {
        let by_kind = schemas_by_kind(minor);
        let mut used = BTreeSet::new();
        for resource in minor["resources"].as_array().into_iter().flatten() {
            let text = |key: &str| resource[key].as_str().unwrap_or_default();
            let kind = (text("group"), text("version"), text("kind"));
            let name = by_kind.get(&kind).copied().unwrap_or_else(|| panic!("no schema of {kind:?}"));
            mark_used(minor, name, &mut used);
            let (head, tail) = resource_line(resource, name);
            *resources.entry((head, tail)).or_default() |= 1 << index;
        }
        for name in used {
            let schema = compact_schema(&minor["schemas"][name]).to_string();
            *schemas.entry((short_name(name).to_owned(), schema)).or_default() |= 1 << index;
        }
    }
    let mut text = String::new();
    for ((head, tail), minors) in resources {
        let _ = writeln!(text, "resource {head} {minors:02x} {tail}");
    }
    for ((name, schema), minors) in schemas {
        let _ = writeln!(text, "schema {name} {minors:02x} {schema}");
    }
    text
}

/// The names of schemas by group, version and kind.
fn schemas_by_kind(minor: &Value) -> BTreeMap<(&str, &str, &str), &str> {
    let mut names = BTreeMap::new();
    for (name, schema) in minor["schemas"].as_object().into_iter().flatten() {
        for kind in schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten() {
            let text = |key: &str| kind[key].as_str().unwrap_or_default();
            names.insert((text("group"), text("version"), text("kind")), name.as_str());
        }
    }
    names
}

/// Notes a schema and all to which it refers.
fn mark_used<'v>(minor: &'v Value, name: &'v str, used: &mut BTreeSet<&'v str>) {
    if used.insert(name) {
        let mut references = Vec::new();
        find_references(&minor["schemas"][name], &mut references);
        for name in references {
            mark_used(minor, name, used);
        }
    }
}

fn find_references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|value| find_references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| find_references(value, found)),
        _ => {}
    }
}

fn short_name(name: &str) -> &str {
    name.strip_prefix("io.k8s.").unwrap_or(name)
}

fn resource_line(resource: &Value, schema: &str) -> (String, String) {
    let text = |key: &str| resource[key].as_str().unwrap_or_default();
    let group = if text("group").is_empty() { "-" } else { text("group") };
    let scope = if resource["namespaced"] == true { "namespaced" } else { "cluster" };
    let mut tail = format!("{} {scope} {}", text("kind"), short_name(schema));
    for (name, kind) in resource["subresources"].as_object().into_iter().flatten() {
        let _ = write!(tail, " {name}={}", kind.as_str().unwrap_or_default());
    }
    (format!("{group} {} {}", text("plural"), text("version")), tail)
}

/// A schema with the keywords that are kept. A value that is an integer or a string has the extension of definitions, and a
/// quantity, which the newest minors declare as a string or a number, is a string: the server writes it so.
fn compact_schema(schema: &Value) -> Value {
    if schema["format"] == "int-or-string" {
        return json!({"x-kubernetes-int-or-string": true});
    }
    if schema["oneOf"] == json!([{"type": "string"}, {"type": "number"}]) {
        return json!({"type": "string"});
    }
    let mut kept = Map::new();
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let value = match (keyword.as_str(), value) {
            ("$ref", Value::String(name)) => json!(short_name(name)),
            ("properties", Value::Object(properties)) => {
                let sorted: BTreeMap<_, _> = properties.iter().collect();
                let compact = sorted.into_iter().map(|(name, it)| (name.clone(), compact_schema(it)));
                Value::Object(compact.collect())
            }
            ("items" | "additionalProperties", Value::Object(_)) => compact_schema(value),
            (keyword, value) if KEYWORDS.contains(&keyword) => value.clone(),
            _ => continue,
        };
        kept.insert(keyword.clone(), value);
    }
    Value::Object(kept)
}
