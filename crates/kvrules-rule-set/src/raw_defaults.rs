//! Defaults as they are written, on which a server evaluates rules when it reads a definition.

use kvrules_apiserver::definition::added_error;
use kvrules_apiserver::field_error::FieldError;
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_generate::{PlaceStep, schema_at_place, schema_at_place_mut};
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::Value as Json;

use crate::meaning::EvaluatedValue;
use crate::violations::evaluate_on;

/// Chooses the form of an expression at a place: the first that holds for the defaults of the schema there and above. They are
/// evaluated without the defaults inside of them, so that a field with a default may be absent.
// apiextensions schema/defaulting/validation.go, validate
pub(crate) fn fit_to_defaults(
    schema: &Json,
    place: &[PlaceStep],
    plain: String,
    lower: impl Fn(&Json) -> Option<String>,
) -> String {
    let Some(at_place) = schema_at_place(schema, place) else { return plain };
    let values = defaults_at(schema, place);
    let holds = |text: &str| {
        let Ok(expression) = kvrules_cel::parse(text) else { return false };
        values.iter().all(|value| {
            let given = EvaluatedValue { value, stored: Some(value), schema: Some(at_place) };
            evaluate_on(&expression, given, at_place) == Some(true)
        })
    };
    if values.is_empty() || holds(&plain) {
        return plain;
    }
    let mut unset = schema.clone();
    remove_unset_defaults(&mut unset, &[]);
    let guarded = schema_at_place(&unset, place).and_then(lower);
    guarded.filter(|text| holds(text)).unwrap_or(plain)
}

/// Returns the error of servers about a default that violates a rule, if it is added to a version of a definition; `None` if they accept it,
/// or reject it for another reason.
pub fn default_violation(
    definition: &Json,
    version: &str,
    (place, entry): (&[PlaceStep], &Json),
    servers: KubernetesVersions,
) -> Option<FieldError> {
    let mut merged = definition.clone();
    let versions = merged.pointer_mut("/spec/versions").and_then(Json::as_array_mut);
    let is_it = |found: &&mut Json| found.get("name").and_then(Json::as_str) == Some(version);
    let schema = versions?.iter_mut().find(is_it)?.pointer_mut("/schema/openAPIV3Schema")?;
    // Only the defaults at the place and above have a value there.
    if defaults_at(schema, place).is_empty() {
        return None;
    }
    let entries = schema_at_place_mut(schema, place)?.as_object_mut()?;
    let entries = entries.entry(VALIDATIONS).or_insert_with(|| Json::Array(Vec::new()));
    entries.as_array_mut()?.push(entry.clone());
    added_error(&merged, definition, servers).filter(|error| error.field.ends_with(".default"))
}

/// The values that defaults at a place and above have there.
fn defaults_at(schema: &Json, place: &[PlaceStep]) -> Vec<Json> {
    let mut values = own_default(schema);
    let mut node = schema;
    for step in place {
        values = values.iter().flat_map(|value| values_behind(value, step)).collect();
        let child = match step {
            PlaceStep::Field(name) => node.get("properties").and_then(|fields| fields.get(name)),
            PlaceStep::Any => node.get("items").or_else(|| node.get("additionalProperties")),
        };
        let Some(child) = child else { return Vec::new() };
        values.extend(own_default(child));
        node = child;
    }
    values
}

fn own_default(schema: &Json) -> Vec<Json> {
    schema.get("default").filter(|value| !value.is_null()).cloned().into_iter().collect()
}

fn values_behind(value: &Json, step: &PlaceStep) -> Vec<Json> {
    match (step, value) {
        (PlaceStep::Field(name), _) => value.get(name).cloned().into_iter().collect(),
        (PlaceStep::Any, Json::Array(items)) => items.clone(),
        (PlaceStep::Any, Json::Object(fields)) => fields.values().cloned().collect(),
        (PlaceStep::Any, _) => Vec::new(),
    }
}

/// Removes the defaults of fields that a default around them leaves unset. `around` are the values of those defaults here.
fn remove_unset_defaults(schema: &mut Json, around: &[Json]) {
    let mut values = own_default(schema);
    values.extend_from_slice(around);
    let fields = schema.get_mut("properties").and_then(Json::as_object_mut);
    for (name, child) in fields.into_iter().flatten() {
        let inside: Vec<Json> = values.iter().filter_map(|value| value.get(name).cloned()).collect();
        remove_unset_defaults(child, &inside);
        let is_unset = values.iter().any(|value| value.is_object() && value.get(name).is_none());
        if let Some(keywords) = child.as_object_mut().filter(|_| is_unset) {
            keywords.shift_remove("default");
        }
    }
    for keyword in ["items", "additionalProperties"] {
        let inside: Vec<Json> =
            values.iter().flat_map(|value| values_behind(value, &PlaceStep::Any)).collect();
        if let Some(child) = schema.get_mut(keyword).filter(|child| child.is_object()) {
            remove_unset_defaults(child, &inside);
        }
    }
}
