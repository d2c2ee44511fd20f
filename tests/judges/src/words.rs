//! Random RuleSets and what their words mean, by the judges' own reading of the guide.

mod authored;
mod conditions;
mod moved;
mod objects;
mod said;
mod values;

use serde_json::{Value as Json, json};

pub use authored::{AuthoredRule, random_growth_rule, random_rule, random_update_rule};
pub use moved::{Moves, insert_at};
pub use objects::random_object;
pub use said::{Change, Order, Path, Said, Situation};
pub use values::{Step, Test, magnitude, read_path, values_at};

/// Returns the definition of the objects that the rules are about.
pub fn definition() -> Json {
    definition_of(&json!({"spec": authored::spec_schema()}))
}

/// Returns the definition with a status that has the same fields as `spec`, and with subresources.
pub fn definition_with_subresources(subresources: &Json) -> Json {
    let mut definition =
        definition_of(&json!({"spec": authored::spec_schema(), "status": authored::spec_schema()}));
    definition["spec"]["versions"][0]["subresources"] = subresources.clone();
    definition
}

fn definition_of(properties: &Json) -> Json {
    let schema = json!({"type": "object", "properties": properties});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "ponds.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Pond", "plural": "ponds", "singular": "pond", "listKind": "PondList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

/// Returns the text of the definition and of a RuleSet with these rules.
pub fn rule_set_text(rules: &[AuthoredRule]) -> String {
    format!("{}\n---\n{}\n", definition(), rule_set(("example.com/v1", "Pond"), rules))
}

/// Returns a RuleSet about a kind in a version.
pub fn rule_set((api_version, kind): (&str, &str), rules: &[AuthoredRule]) -> Json {
    let rules: Vec<&Json> = rules.iter().map(|rule| &rule.rule).collect();
    json!({
        "apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {"name": "pond"},
        "spec": {"subject": {"apiVersion": api_version, "kind": kind}, "rules": rules},
    })
}

/// Returns an object with the defaults of the definition, as a server stores it.
pub fn with_defaults(object: &Json) -> Json {
    let mut object = object.clone();
    for part in ["spec", "status"] {
        if let Some(part) = object.get_mut(part) {
            add_defaults(part, &authored::spec_schema());
        }
    }
    object
}

fn add_defaults(value: &mut Json, schema: &Json) {
    match value {
        Json::Object(fields) => {
            for (name, known) in schema["properties"].as_object().into_iter().flatten() {
                if let Some(default) = known.get("default")
                    && !fields.contains_key(name)
                {
                    fields.insert(name.clone(), default.clone());
                }
                if let Some(field) = fields.get_mut(name) {
                    add_defaults(field, known);
                }
            }
        }
        Json::Array(items) => {
            for item in items {
                add_defaults(item, &schema["items"]);
            }
        }
        _ => {}
    }
}

/// True if the values of an object have the types of the definition, and no list or map is too long. Samples are fragments, so required
/// fields may be missing.
pub fn has_types(object: &Json) -> bool {
    object.get("spec").is_none_or(|spec| is_of_type(spec, &authored::spec_schema()))
}

fn is_of_type(value: &Json, schema: &Json) -> bool {
    let most = |keyword: &str| schema[keyword].as_u64().unwrap_or(u64::MAX);
    match schema["type"].as_str() {
        _ if value.is_null() => schema["nullable"] == true,
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("string") => value.as_str().is_some_and(|text| text.chars().count() as u64 <= most("maxLength")),
        Some("array") => value.as_array().is_some_and(|items| {
            items.len() as u64 <= most("maxItems")
                && items.iter().all(|item| is_of_type(item, &schema["items"]))
        }),
        _ => value.as_object().is_some_and(|fields| {
            fields.len() as u64 <= most("maxProperties")
                && fields.iter().all(|(name, value)| {
                    let known = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
                    known.is_some_and(|known| is_of_type(value, known))
                })
        }),
    }
}
