//! A version with one of its rules, reduced to what the rule is about.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_emit::rule_entry_at;
use kvrules_generate::{PlaceStep, schema_at_place_mut};
use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, VALIDATIONS};
use kvrules_lift::DefinitionRule;
use serde_json::{Map, Value, json};

use kvrules_generate::without_rules;

/// The version with one rule alone. Apart from the way to its place only required fields are kept: an object of a large schema takes
/// long to make.
pub(super) fn with_single_rule(version: &ResourceVersion, rule: &DefinitionRule) -> ResourceVersion {
    let mut schema = reduce_schema(&version.schema, &rule.place, true);
    let entry = rule_entry_at(&version.schema, rule);
    if let Some(node) = schema_at_place_mut(&mut schema, &rule.place).and_then(Value::as_object_mut) {
        node.insert(VALIDATIONS.to_owned(), json!([entry]));
    }
    let mut single = ResourceVersion { schema: schema.into(), ..version.clone() };
    let parameters = single.authored.as_mut().and_then(|authored| authored.parameters.as_mut());
    if let Some(parameters) = parameters {
        // It is the only rule of its place now.
        let symbolic = parameters.entries.remove(&rule.name_by_place());
        let name = DefinitionRule { index: 0, ..rule.clone() }.name_by_place();
        parameters.entries = symbolic.map(|entry| (name, entry)).into_iter().collect();
    }
    single
}

fn reduce_schema(node: &Value, place: &[PlaceStep], is_root: bool) -> Value {
    let (Some((step, rest)), Value::Object(keywords)) = (place.split_first(), node) else {
        return without_rules(node);
    };
    let names = |keyword: &str| {
        let names = node.get(keyword).and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).collect::<Vec<_>>()
    };
    let required = names("required");
    let is_branched = ["allOf", "anyOf", "oneOf", "not"].iter().any(|keyword| node.get(keyword).is_some());
    let is_kept = |name: &str| {
        is_branched
            || required.contains(&name)
            || is_root && ["apiVersion", "kind", "metadata"].contains(&name)
    };
    let reduce = |(keyword, value): (&String, &Value)| {
        let reduced = match (keyword.as_str(), value, step) {
            (VALIDATIONS, Value::Array(_), _) => return None,
            ("properties", Value::Object(properties), PlaceStep::Field(own)) => {
                let reduced = properties.iter().filter_map(|(name, child)| {
                    let is_own = name == own;
                    let child = if is_own { reduce_schema(child, rest, false) } else { without_rules(child) };
                    (is_own || is_kept(name)).then(|| (name.clone(), child))
                });
                Value::Object(reduced.collect())
            }
            ("items" | "additionalProperties", Value::Object(_), PlaceStep::Any) => {
                let keys = names(LIST_MAP_KEYS);
                with_fields(reduce_schema(value, rest, false), value, &keys)
            }
            _ => without_rules(value),
        };
        Some((keyword.clone(), reduced))
    };
    Value::Object(keywords.iter().filter_map(reduce).collect::<Map<_, _>>())
}

/// The schema with these fields of another, by which the items of a list are found.
fn with_fields(mut reduced: Value, whole: &Value, names: &[&str]) -> Value {
    let Some(properties) = reduced.get_mut("properties").and_then(Value::as_object_mut) else {
        return reduced;
    };
    for name in names {
        if let Some(field) = whole.get("properties").and_then(|properties| properties.get(name)) {
            properties.entry((*name).to_owned()).or_insert_with(|| without_rules(field));
        }
    }
    reduced
}
