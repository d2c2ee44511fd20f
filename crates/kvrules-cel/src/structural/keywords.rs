//! Keywords that are refused wherever they stand, and values that keywords must have.

use serde_json::Value;

use crate::field_error::{ErrorType, FieldError};

use super::lists;
use super::options::{Leniency, SchemaOptions};
use super::refusal::{Refuse, supported};
use crate::node::{branches, elements, flag, is_set, is_zero, members, schema, text};

/// The types a schema may name.
const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

/// Fields of every resource, which the server fills in itself.
const META_FIELDS: &[&str] = &["metadata", "kind", "apiVersion"];

/// What is known of the way to a node.
#[derive(Clone, Debug, Default)]
struct Place {
    is_root: bool,
    /// Inside of the metadata of a resource, or in its kind or version.
    in_meta: bool,
    /// Why no default may stand here.
    no_default: Option<String>,
}

/// The mistakes of the whole schema.
pub(super) fn check_root(schema: &Value, path: &str, options: &SchemaOptions, errors: &mut Vec<FieldError>) {
    check(schema, path, &Place { is_root: true, ..Place::default() }, options, errors);
}

fn check(node: &Value, path: &str, place: &Place, options: &SchemaOptions, errors: &mut Vec<FieldError>) {
    let mut refuse = |error_type, step: &str, detail: String| {
        errors.push(FieldError::new(error_type, format!("{path}.{step}"), detail));
    };
    refused_keywords(node, place, &mut refuse);
    if is_set(node, "x-kubernetes-preserve-unknown-fields")
        && !flag(node, "x-kubernetes-preserve-unknown-fields")
    {
        let detail = "must be true or undefined".to_owned();
        refuse(ErrorType::Invalid, "x-kubernetes-preserve-unknown-fields", detail);
    }
    types(node, options, &mut refuse);
    lists::check(node, options, &mut refuse);
    for (step, child, place) in children(node, place) {
        check(child, &format!("{path}.{step}"), &place, options, errors);
    }
}

fn refused_keywords(node: &Value, place: &Place, refuse: &mut Refuse<'_>) {
    if let Some(reason) = place.no_default.as_ref().filter(|_| is_set(node, "default")) {
        refuse(ErrorType::Forbidden, "default", format!("must not be set {reason}"));
    }
    for keyword in ["id", "patternProperties", "definitions"] {
        if node.get(keyword).is_some_and(|value| !is_zero(value)) {
            refuse(ErrorType::Forbidden, keyword, format!("{keyword} is not supported"));
        }
    }
    for keyword in ["additionalItems", "dependencies", "$ref"] {
        if is_set(node, keyword) {
            refuse(ErrorType::Forbidden, keyword, format!("{keyword} is not supported"));
        }
    }
    if node.get("items").is_some_and(Value::is_array) {
        refuse(ErrorType::Forbidden, "items", "items must be a schema object and not an array".to_owned());
    }
    if flag(node, "uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        refuse(ErrorType::Forbidden, "uniqueItems", detail.to_owned());
    }
    let values = node.get("additionalProperties").filter(|values| !values.is_null());
    let has_properties = members(node, "properties").next().is_some();
    if has_properties && values.is_some_and(|values| values.as_bool() != Some(true)) {
        let detail = "additionalProperties and properties are mutual exclusive";
        refuse(ErrorType::Forbidden, "additionalProperties", detail.to_owned());
    }
    if place.in_meta && flag(node, "x-kubernetes-embedded-resource") {
        let detail = "must not be used inside of resource meta";
        refuse(ErrorType::Forbidden, "x-kubernetes-embedded-resource", detail.to_owned());
    }
}

fn types(node: &Value, options: &SchemaOptions, refuse: &mut Refuse<'_>) {
    let ty = text(node, "type");
    if !options.allows(Leniency::UnknownTypes) && is_unknown_type(node) {
        refuse(ErrorType::NotSupported, "type", supported(TYPES));
    }
    if ty == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        refuse(ErrorType::Forbidden, "type", detail.to_owned());
    }
    let pattern = text(node, "pattern");
    if let Err(error) = kvrules_regex::parse(pattern) {
        let detail = format!("{BAD_PATTERN}, but isn't: {}", error.go_text());
        refuse(ErrorType::Invalid, "pattern", detail);
    }
}

/// How the server's words about a pattern begin.
pub(super) const BAD_PATTERN: &str = "must be a valid regular expression";

/// True if a node names a type that there is not.
pub(super) fn is_unknown_type(node: &Value) -> bool {
    let ty = text(node, "type");
    !ty.is_empty() && !TYPES.contains(&ty)
}

fn children<'a>(node: &'a Value, place: &Place) -> Vec<(String, &'a Value, Place)> {
    let inner = Place { is_root: false, ..place.clone() };
    let mut children = Vec::new();
    let is_resource = place.is_root || flag(node, "x-kubernetes-embedded-resource");
    for (name, child) in members(node, "properties") {
        let mut inner = inner.clone();
        if is_resource && META_FIELDS.contains(&name.as_str()) {
            inner.in_meta = true;
            if place.is_root {
                inner.no_default = Some(format!("in top-level {name}"));
            }
        }
        children.push((format!("properties[{name}]"), child, inner));
    }
    if let Some(values) = schema(node, "additionalProperties") {
        let mut inner = inner.clone();
        if place.in_meta {
            inner.no_default = Some("inside additionalProperties applying to object metadata".to_owned());
        }
        children.push(("additionalProperties".to_owned(), values, inner));
    }
    if let Some(items) = schema(node, "items") {
        children.push(("items".to_owned(), items, inner.clone()));
    }
    let items = elements(node, "items").map(|(index, child)| (format!("items[{index}]"), child));
    children.extend(items.chain(branches(node)).map(|(step, child)| (step, child, inner.clone())));
    children
}
