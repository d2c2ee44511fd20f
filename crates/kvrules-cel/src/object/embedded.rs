//! Resources inside of an object: they say what they are, and their metadata is that of every resource.

use serde_json::{Map, Value as Json};

use super::{child_path, failure, field_schema};
use crate::crd::Failure;
use crate::field_error::ErrorType;
use crate::go_text;
use crate::names::label_1035;
use crate::object_meta::{self, Lenience, NameRule, Scope, text};
use crate::types::is_embedded;

/// Reads the metadata of each resource in an object, and adds the paths of its unknown fields. What has the wrong type is an
/// error, or dropped from what is stored.
// apiextensions schema/objectmeta/algorithm.go, CoerceWithOptions
pub(super) fn decode(
    object: &mut Json,
    schema: &Json,
    lenience: Lenience,
    unknown: &mut Vec<String>,
) -> Result<(), Failure> {
    decode_value(object, schema, is_embedded(schema), "", &mut Decoding { lenience, unknown })
}

struct Decoding<'a> {
    lenience: Lenience,
    unknown: &'a mut Vec<String>,
}

/// Reads the metadata of a value if it `is_resource`, and of the resources in it.
fn decode_value(
    value: &mut Json,
    schema: &Json,
    is_resource: bool,
    path: &str,
    decoding: &mut Decoding<'_>,
) -> Result<(), Failure> {
    match value {
        Json::Object(fields) => {
            if is_resource {
                decode_resource(fields, path, decoding)?;
            }
            for (name, value) in fields.iter_mut() {
                if let Some(child) = field_schema(schema, name) {
                    let path = child_path(path, name, schema);
                    decode_value(value, child, is_embedded(child), &path, decoding)?;
                }
            }
        }
        Json::Array(items) => {
            let Some(child) = schema.get("items") else { return Ok(()) };
            for (index, item) in items.iter_mut().enumerate() {
                decode_value(item, child, is_embedded(child), &format!("{path}[{index}]"), decoding)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn decode_resource(
    fields: &mut Map<String, Json>,
    path: &str,
    decoding: &mut Decoding<'_>,
) -> Result<(), Failure> {
    for name in ["apiVersion", "kind"] {
        let Some(value) = fields.get(name).filter(|value| !value.is_string()) else { continue };
        if decoding.lenience == Lenience::Refuse {
            return Err(invalid(&format!("{path}.{name}"), value, "must be a string"));
        }
        fields.shift_remove(name);
    }
    let Some(metadata) = fields.get_mut("metadata") else { return Ok(()) };
    let field = format!("{path}.metadata");
    let decoded = object_meta::decode(metadata, decoding.lenience)
        .map_err(|error| invalid(&field, metadata, &error))?;
    decoding.unknown.extend(decoded.unknown.into_iter().map(|path| format!("{field}.{path}")));
    *metadata = decoded.metadata;
    Ok(())
}

/// Returns the errors of the resources inside of an object.
// apiextensions schema/objectmeta/validation.go, Validate
pub(super) fn violations(object: &Json, schema: &Json) -> Vec<Failure> {
    let mut errors = Vec::new();
    check(object, schema, is_embedded(schema), "", &mut errors);
    errors
}

/// Returns the errors of a value as a resource if it is one, and of the resources inside of it. Fields are reported below
/// `path`. A value that cannot be decoded hides the rest.
// apiextensions schema/objectmeta/algorithm.go, Coerce; validation.go, Validate
pub(crate) fn mistakes(value: &Json, schema: &Json, is_resource: bool, path: &str) -> Vec<Failure> {
    let is_resource = is_resource || is_embedded(schema);
    let mut decoding = Decoding { lenience: Lenience::Refuse, unknown: &mut Vec::new() };
    if let Err(failure) = decode_value(&mut value.clone(), schema, is_resource, path, &mut decoding) {
        return vec![failure];
    }
    let mut errors = Vec::new();
    check(value, schema, is_resource, path, &mut errors);
    errors
}

/// Checks a value as a resource if it `is_resource`, and the resources in it.
fn check(value: &Json, schema: &Json, is_resource: bool, path: &str, errors: &mut Vec<Failure>) {
    match value {
        Json::Object(fields) => {
            if is_resource {
                resource(fields, path, errors);
            }
            for (name, value) in fields {
                if let Some(child) = field_schema(schema, name) {
                    check(value, child, is_embedded(child), &child_path(path, name, schema), errors);
                }
            }
        }
        Json::Array(items) => {
            let Some(child) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                check(item, child, is_embedded(child), &format!("{path}[{index}]"), errors);
            }
        }
        _ => {}
    }
}

// validation.go, validateEmbeddedResource
fn resource(fields: &Map<String, Json>, path: &str, errors: &mut Vec<Failure>) {
    for name in ["apiVersion", "kind"] {
        let field = format!("{path}.{name}");
        let detail = match fields.get(name) {
            None => {
                errors.push(failure(&field, ErrorType::Required, ""));
                continue;
            }
            Some(Json::String(text)) if text.is_empty() => "must not be empty".to_owned(),
            Some(Json::String(text)) if name == "kind" => match label_1035(&text.to_lowercase()).as_slice() {
                [] => continue,
                problems => {
                    format!("may have mixed case, but should otherwise match: {}", problems.join(","))
                }
            },
            Some(Json::String(text)) if text.matches('/').count() > 1 => {
                format!("unexpected GroupVersion string: {text}")
            }
            Some(Json::String(_)) => continue,
            Some(_) => "must be a string".to_owned(),
        };
        errors.push(invalid(&field, fields.get(name).unwrap_or(&Json::Null), &detail));
    }
    if let Some(metadata) = fields.get("metadata") {
        errors.extend(metadata_violations(metadata, &format!("{path}.metadata")));
    }
}

fn metadata_violations(metadata: &Json, field: &str) -> Vec<Failure> {
    // Defaults may have put in what cannot be read.
    let decoded = match object_meta::decode(metadata, Lenience::Refuse) {
        Ok(decoded) => decoded,
        Err(error) => return vec![invalid(field, metadata, &error)],
    };
    let mut metadata = decoded.metadata;
    let scope = if text(&metadata, "namespace").is_empty() { Scope::Cluster } else { Scope::Namespaced };
    // A resource within another need not have a name.
    if let Some(fields) = metadata.as_object_mut() {
        fields.entry("name").or_insert_with(|| "fakename".into());
    }
    object_meta::violations(&metadata, scope, NameRule::PathSegment, field)
}

fn invalid(field: &str, value: &Json, detail: &str) -> Failure {
    Failure { value: go_text::value(value), ..failure(field, ErrorType::Invalid, detail) }
}
