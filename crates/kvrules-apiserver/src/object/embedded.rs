//! Resources inside of an object: they say what they are, and their metadata is that of every resource.

use kvrules_cel::go_text;
use kvrules_cel::names::label_1035;
use kvrules_cel::types::is_embedded;
use serde_json::{Map, Value as Json};

use super::{child_path, field_schema};
use crate::crd::Failure;
use crate::field_error::ErrorType;
use crate::node::value_of;
use crate::object_meta::{self, NameRule, ResourceScope, TypeErrorHandling, text_field};
use crate::server::ObjectFeatures;

/// Reads the metadata of each resource in an object, and adds the paths of its unknown fields. What has the wrong type is an
/// error, or dropped from what is stored.
// apiextensions schema/objectmeta/algorithm.go, CoerceWithOptions
pub(super) fn decode_embedded(
    object: &mut Json,
    schema: &Json,
    lenience: TypeErrorHandling,
    unknown: &mut Vec<String>,
) -> Result<(), Failure> {
    decode_value(object, schema, is_embedded(schema), "", &mut EmbeddedDecoding { lenience, unknown })
}

struct EmbeddedDecoding<'a> {
    lenience: TypeErrorHandling,
    unknown: &'a mut Vec<String>,
}

/// Reads the metadata of a value if it `is_resource`, and of the resources in it.
fn decode_value(
    value: &mut Json,
    schema: &Json,
    is_resource: bool,
    path: &str,
    decoding: &mut EmbeddedDecoding<'_>,
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
            let Some(child) = value_of(schema, "items") else { return Ok(()) };
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
    decoding: &mut EmbeddedDecoding<'_>,
) -> Result<(), Failure> {
    for name in ["apiVersion", "kind"] {
        let Some(value) = fields.get(name).filter(|value| !value.is_string()) else { continue };
        if decoding.lenience == TypeErrorHandling::Refuse {
            return Err(invalid_value(&format!("{path}.{name}"), value, "must be a string"));
        }
        fields.shift_remove(name);
    }
    let Some(metadata) = fields.get_mut("metadata") else { return Ok(()) };
    let field = format!("{path}.metadata");
    let decoded = object_meta::decode_metadata(metadata, decoding.lenience)
        .map_err(|error| invalid_value(&field, metadata, &error))?;
    decoding.unknown.extend(decoded.unknown.into_iter().map(|path| format!("{field}.{path}")));
    *metadata = decoded.metadata;
    Ok(())
}

/// Returns the errors of the resources inside of an object.
// apiextensions schema/objectmeta/validation.go, Validate
pub(super) fn embedded_violations(object: &Json, schema: &Json, features: ObjectFeatures) -> Vec<Failure> {
    let mut errors = ResourceErrors { found: Vec::new(), features };
    check_value(object, schema, is_embedded(schema), "", &mut errors);
    errors.found
}

/// Returns the errors of a value as a resource if it is one, and of the resources inside of it. Fields are reported below
/// `path`. A value that cannot be decoded hides the rest.
// apiextensions schema/objectmeta/algorithm.go, Coerce; validation.go, Validate
pub(crate) fn resource_violations(
    value: &Json,
    schema: &Json,
    is_resource: bool,
    path: &str,
    features: ObjectFeatures,
) -> Vec<Failure> {
    let is_resource = is_resource || is_embedded(schema);
    let mut decoding = EmbeddedDecoding { lenience: TypeErrorHandling::Refuse, unknown: &mut Vec::new() };
    if let Err(failure) = decode_value(&mut value.clone(), schema, is_resource, path, &mut decoding) {
        return vec![failure];
    }
    let mut errors = ResourceErrors { found: Vec::new(), features };
    check_value(value, schema, is_resource, path, &mut errors);
    errors.found
}

/// Errors of resources, in the words of a server.
struct ResourceErrors {
    found: Vec<Failure>,
    features: ObjectFeatures,
}

/// Checks a value as a resource if it `is_resource`, and the resources in it.
fn check_value(value: &Json, schema: &Json, is_resource: bool, path: &str, errors: &mut ResourceErrors) {
    match value {
        Json::Object(fields) => {
            if is_resource {
                check_resource(fields, path, errors);
            }
            for (name, value) in fields {
                if let Some(child) = field_schema(schema, name) {
                    check_value(value, child, is_embedded(child), &child_path(path, name, schema), errors);
                }
            }
        }
        Json::Array(items) => {
            let Some(child) = value_of(schema, "items") else { return };
            for (index, item) in items.iter().enumerate() {
                check_value(item, child, is_embedded(child), &format!("{path}[{index}]"), errors);
            }
        }
        _ => {}
    }
}

// validation.go, validateEmbeddedResource
fn check_resource(fields: &Map<String, Json>, path: &str, errors: &mut ResourceErrors) {
    let ResourceErrors { found: errors, features } = errors;
    let missing = if features.explains_required { "must not be empty" } else { "" };
    for name in ["apiVersion", "kind"] {
        let field = format!("{path}.{name}");
        let detail = match fields.get(name) {
            None => {
                errors.push(Failure::new(&field, ErrorType::Required, missing));
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
        errors.push(invalid_value(&field, fields.get(name).unwrap_or(&Json::Null), &detail));
    }
    if let Some(metadata) = fields.get("metadata") {
        errors.extend(metadata_violations(metadata, &format!("{path}.metadata")));
    }
}

fn metadata_violations(metadata: &Json, field: &str) -> Vec<Failure> {
    // A default may have added metadata that cannot be decoded.
    let decoded = match object_meta::decode_metadata(metadata, TypeErrorHandling::Refuse) {
        Ok(decoded) => decoded,
        Err(error) => return vec![invalid_value(field, metadata, &error)],
    };
    let mut metadata = decoded.metadata;
    let scope = if text_field(&metadata, "namespace").is_empty() {
        ResourceScope::Cluster
    } else {
        ResourceScope::Namespaced
    };
    // A resource within another need not have a name.
    if let Some(fields) = metadata.as_object_mut() {
        fields.entry("name").or_insert_with(|| "fakename".into());
    }
    object_meta::metadata_violations(&metadata, scope, NameRule::PathSegment, field)
}

fn invalid_value(field: &str, value: &Json, detail: &str) -> Failure {
    Failure { value: go_text::format_json_value(value), ..Failure::new(field, ErrorType::Invalid, detail) }
}
