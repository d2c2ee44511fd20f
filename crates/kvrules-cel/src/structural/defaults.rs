//! Whether defaults are values that their own schemas allow.

use serde_json::Value;

use crate::crd::CompiledSchema;
use crate::field_error::{ErrorType, FieldError};

use super::values;
use crate::go_text;
use crate::names::label_1035;
use crate::node::{flag, is_set, members, schema};

const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// The fields that say what a resource is.
const TYPE_FIELDS: &[&str] = &["apiVersion", "kind"];

/// Fields of every resource, whether its schema names them or not.
const META_FIELDS: &[&str] = &["apiVersion", "kind", "metadata"];

/// Adds the mistakes of all defaults of a schema that is structural.
pub(super) fn check_root(root: &Value, path: &str, pruned: bool, errors: &mut Vec<FieldError>) {
    check(root, path, &Place { is_resource: true, pruned, of_type: None }, errors);
}

/// What is known of a node that may have a default.
struct Place<'a> {
    /// True for the root and for embedded resources.
    is_resource: bool,
    /// True if defaults must not have unknown fields.
    pruned: bool,
    /// The name of the field if it is `apiVersion` or `kind` of a resource.
    of_type: Option<&'a str>,
}

fn check(node: &Value, path: &str, place: &Place<'_>, errors: &mut Vec<FieldError>) {
    if let Some(default) = node.get("default").filter(|default| !default.is_null()) {
        errors.extend(mistakes(node, default, &format!("{path}.default"), place));
    }
    for (name, child) in members(node, "properties") {
        let of_type = Some(name.as_str()).filter(|name| place.is_resource && TYPE_FIELDS.contains(name));
        let place = Place { is_resource: flag(child, EMBEDDED), of_type, ..*place };
        check(child, &format!("{path}.properties[{name}]"), &place, errors);
    }
    // The server does not go into `additionalProperties`, so a default there may be anything.
    if let Some(items) = schema(node, "items") {
        let place = Place { is_resource: flag(items, EMBEDDED), of_type: None, ..*place };
        check(items, &format!("{path}.items"), &place, errors);
    }
}

/// What the server says of a default with fields that its schema does not declare.
pub(super) const UNPRUNED: &str = "must not have unknown fields";

/// The mistakes of one default. Each kind hides those after it, but for the first.
// schema/defaulting/validation.go, validate
fn mistakes(node: &Value, default: &Value, path: &str, place: &Place<'_>) -> Vec<FieldError> {
    let mut unpruned = Vec::new();
    let mut errors = Vec::new();
    let is_resource = place.is_resource;
    if let Some(name) = place.of_type {
        errors.extend(type_field_mistake(name, default, path));
    } else if place.pruned && !has_only_known(node, default, is_resource) {
        unpruned.push(FieldError::new(ErrorType::Invalid, path, UNPRUNED));
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
    unpruned.extend(errors);
    unpruned
}

/// What is wrong with a default for `apiVersion` or `kind` of a resource: with it, the resource must be one.
// schema/objectmeta/coerce.go, Coerce, and validation.go, validateEmbeddedResource
fn type_field_mistake(name: &str, default: &Value, path: &str) -> Option<FieldError> {
    let why = match default {
        Value::String(text) if text.is_empty() => "must not be empty".to_owned(),
        Value::String(text) if name == "kind" => match label_1035(&text.to_lowercase()).as_slice() {
            [] => return None,
            problems => format!("may have mixed case, but should otherwise match: {}", problems.join(",")),
        },
        Value::String(text) if text.matches('/').count() > 1 => {
            format!("unexpected GroupVersion string: {text}")
        }
        Value::String(_) => return None,
        _ => "must be a string".to_owned(),
    };
    let detail =
        format!("must result in valid metadata: {name}: Invalid value: {}: {why}", go_text::value(default));
    Some(FieldError::new(ErrorType::Invalid, path, detail))
}

/// A default is held against rules as an object that is created, and one that stays as it is.
fn rule_failures(node: &Value, default: &Value, path: &str) -> Vec<FieldError> {
    let report = CompiledSchema::new(node).validate(default, Some(default));
    let failures = report.errors.into_iter().chain(report.excused);
    failures.map(|failure| values::of_rule(path, failure)).collect()
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
