//! Whether a value is one that a schema allows, in the words of the server.
//!
//! This is for defaults: there the server does not look at the type under `x-kubernetes-int-or-string`. Formats are
//! not looked at here.

use serde_json::Value;

use crate::field_error::{ErrorType, FieldError};

use super::bounds;
use super::node::{branches, elements, flag, is_set, members, schema, text};
use super::place::Place;

/// What is wrong with a value that stands at a field.
pub(super) fn check(schema: &Value, value: &Value, field: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check_at(schema, value, &Place::root(field), &mut errors);
    errors
}

fn check_at(node: &Value, value: &Value, place: &Place, errors: &mut Vec<FieldError>) {
    if value.is_null() && flag(node, "nullable") {
        return;
    }
    if let Some(error) = type_error(node, value, place) {
        errors.push(error);
        return;
    }
    errors.extend(enum_error(node, value, place));
    bounds::check(node, value, place, errors);
    for (name, property) in members(node, "properties") {
        if let Some(value) = value.get(name) {
            check_at(property, value, &place.member(name), errors);
        }
    }
    if let Some(values) = schema(node, "additionalProperties") {
        let others = value.as_object().into_iter().flatten();
        let is_other = |name: &String| !members(node, "properties").any(|(known, _)| known == name);
        for (name, value) in others.filter(|(name, _)| is_other(name)) {
            check_at(values, value, &place.member(name), errors);
        }
    }
    if let Some(items) = schema(node, "items") {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            check_at(items, item, &place.element(index), errors);
        }
    }
    for (_, name) in elements(node, "required").filter(|_| value.is_object()) {
        let name = name.as_str().unwrap_or_default();
        if !is_set(value, name) {
            errors.push(place.member(name).error(ErrorType::Required, ""));
        }
    }
    junctors(node, value, place, errors);
}

fn type_error(node: &Value, value: &Value, place: &Place) -> Option<FieldError> {
    let wanted = text(node, "type");
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if is_whole(number) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = wanted.is_empty() || wanted == found || (wanted == "number" && found == "integer");
    let words = format!("must be of type {wanted}: \"{found}\"");
    (!fits).then(|| place.says(ErrorType::TypeInvalid, &words))
}

fn is_whole(number: &serde_json::Number) -> bool {
    number.is_i64()
        || number.as_f64().is_some_and(|float| float.fract() == 0.0 && float.abs() < 2f64.powi(63))
}

fn enum_error(node: &Value, value: &Value, place: &Place) -> Option<FieldError> {
    let values: Vec<&Value> = elements(node, "enum").map(|(_, value)| value).collect();
    if values.is_empty() || values.contains(&value) {
        return None;
    }
    let shown = values.iter().map(|value| match value {
        Value::String(text) => format!("{text:?}"),
        other => format!("{:?}", other.to_string()),
    });
    let detail = format!("supported values: {}", shown.collect::<Vec<_>>().join(", "));
    Some(place.error(ErrorType::NotSupported, detail))
}

fn junctors(node: &Value, value: &Value, place: &Place, errors: &mut Vec<FieldError>) {
    let mut fitting: [usize; 2] = [0, 0];
    for (step, branch) in branches(node) {
        let mut found = Vec::new();
        check_at(branch, value, place, &mut found);
        let fits = found.is_empty();
        match step.split('[').next().unwrap_or_default() {
            "anyOf" => fitting[0] += usize::from(fits),
            "oneOf" => fitting[1] += usize::from(fits),
            "not" if fits => errors.push(words(place, "must not validate the schema (not)")),
            "allOf" if !fits => {
                errors.push(words(place, "must validate all the schemas (allOf)"));
                errors.extend(found);
            }
            _ => {}
        }
    }
    let has = |junctor: &str| elements(node, junctor).next().is_some();
    let [any, one] = fitting;
    if has("anyOf") && any == 0 {
        errors.push(words(place, "must validate at least one schema (anyOf)"));
    }
    if has("oneOf") && one != 1 {
        let count =
            if one == 0 { "Found none valid".to_owned() } else { format!("Found {one} valid alternatives") };
        errors.push(words(place, &format!("must validate one and only one schema (oneOf). {count}")));
    }
}

fn words(place: &Place, words: &str) -> FieldError {
    place.error(ErrorType::Invalid, format!("\"{}\" {words}", place.name))
}
