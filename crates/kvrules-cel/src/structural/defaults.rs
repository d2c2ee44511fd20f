//! Whether defaults are values that their own schemas allow.

use serde_json::Value;

use crate::crd::CompiledSchema;
use crate::field_error::{ErrorType, FieldError};

use super::values;
use crate::node::{flag, is_set, members, schema};

const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// Fields of every resource, whether its schema names them or not.
const META_FIELDS: &[&str] = &["apiVersion", "kind", "metadata"];

/// Adds the mistakes of all defaults of a schema that is structural.
pub(super) fn check_root(root: &Value, path: &str, errors: &mut Vec<FieldError>) {
    check(root, path, true, errors);
}

fn check(node: &Value, path: &str, is_root: bool, errors: &mut Vec<FieldError>) {
    let is_resource = is_root || flag(node, EMBEDDED);
    if let Some(default) = node.get("default").filter(|default| !default.is_null()) {
        errors.extend(mistakes(node, default, &format!("{path}.default"), is_resource));
    }
    for (name, child) in members(node, "properties") {
        check(child, &format!("{path}.properties[{name}]"), false, errors);
    }
    // The server does not go into `additionalProperties`, so a default there may be anything.
    if let Some(items) = schema(node, "items") {
        check(items, &format!("{path}.items"), false, errors);
    }
}

/// The mistakes of one default. Each kind hides those after it.
fn mistakes(node: &Value, default: &Value, path: &str, is_resource: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if !has_only_known(node, default, is_resource) {
        errors.push(FieldError::new(ErrorType::Invalid, path, "must not have unknown fields"));
        return errors;
    }
    if is_resource && default.is_object() {
        let missing = ["apiVersion", "kind"].into_iter().filter(|field| !is_set(default, field));
        errors
            .extend(missing.map(|field| FieldError::new(ErrorType::Required, format!("{path}.{field}"), "")));
    }
    if errors.is_empty() {
        errors = values::check(node, default, path);
    }
    if errors.is_empty() {
        errors = rule_failures(node, default, path);
    }
    errors
}

/// A default is held against rules as an object that is created, and one that stays as it is.
fn rule_failures(node: &Value, default: &Value, path: &str) -> Vec<FieldError> {
    let report = CompiledSchema::new(node).validate(default, Some(default));
    let failures = report.errors.into_iter().chain(report.excused);
    failures.map(|failure| values::at(path, failure)).collect()
}

/// Whether pruning would leave the value as it is.
fn has_only_known(node: &Value, value: &Value, is_resource: bool) -> bool {
    match value {
        Value::Object(fields) => fields.iter().all(|(name, value)| {
            if is_resource && META_FIELDS.contains(&name.as_str()) {
                return true;
            }
            match known(node, name) {
                Known::As(schema) => has_only_known(schema, value, flag(schema, EMBEDDED)),
                Known::Anything => true,
                Known::Not => false,
            }
        }),
        Value::Array(items) => {
            let Some(schema) = schema(node, "items") else { return true };
            items.iter().all(|item| has_only_known(schema, item, flag(schema, EMBEDDED)))
        }
        _ => true,
    }
}

enum Known<'a> {
    As(&'a Value),
    Anything,
    Not,
}

fn known<'a>(node: &'a Value, name: &str) -> Known<'a> {
    const NO_FIELDS: &Value = &Value::Null;
    if let Some((_, property)) = members(node, "properties").find(|(known, _)| *known == name) {
        return Known::As(property);
    }
    if flag(node, PRESERVE) {
        return Known::Anything;
    }
    match node.get("additionalProperties") {
        Some(values @ Value::Object(_)) => Known::As(values),
        // Keys are kept, but what is in them is not described.
        Some(Value::Bool(true)) => Known::As(NO_FIELDS),
        _ => Known::Not,
    }
}
