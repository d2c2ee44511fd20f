//! The part of a schema that formulas need.

use std::collections::HashSet;

use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::Value as Json;

/// Number of properties of an object that are kept although no formula names them.
const UNNAMED: usize = 3;

/// The schema without rules, which are evaluated apart, and without most of what the formulas do not name: a value of a large
/// schema takes long to make.
pub(super) fn reduced_schema(schema: &Json, names: &HashSet<String>) -> Json {
    let Json::Object(keywords) = schema else { return schema.clone() };
    let required: Vec<&str> = keywords
        .get("required")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    let mut unnamed = 0;
    let mut keep = |name: &String| {
        let is_needed = names.contains(name) || required.contains(&name.as_str());
        unnamed += usize::from(!is_needed);
        is_needed || unnamed <= UNNAMED
    };
    let reduce = |(keyword, value): (&String, &Json)| {
        let reduced = match (keyword.as_str(), value) {
            ("properties", Json::Object(properties)) => properties
                .iter()
                .filter(|(name, _)| keep(name))
                .map(|(name, child)| (name.clone(), reduced_schema(child, names)))
                .collect(),
            ("items" | "additionalProperties", Json::Object(_)) => reduced_schema(value, names),
            (VALIDATIONS | "description", _) => return None,
            _ => value.clone(),
        };
        Some((keyword.clone(), reduced))
    };
    keywords.iter().filter_map(reduce).collect()
}
