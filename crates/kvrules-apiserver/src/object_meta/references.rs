//! Owners, and the entries of `managedFields`.

use kvrules_cel::go_text;
use serde_json::Value as Json;

use super::{failure_with_value, invalid_failure, text_field};
use crate::crd::Failure;
use crate::field_error::ErrorType;

// objectmeta.go, ValidateOwnerReferences
pub(super) fn reference_violations(metadata: &Json, field: &str) -> Vec<Failure> {
    let Some(references) = metadata.get("ownerReferences").and_then(Json::as_array) else {
        return Vec::new();
    };
    let mut errors = Vec::new();
    let mut controller: Option<String> = None;
    for reference in references {
        errors.extend(owner_violations(reference, field));
        if reference.get("controller").and_then(Json::as_bool) != Some(true) {
            continue;
        }
        let name = format!("{}/{}", text_field(reference, "kind"), text_field(reference, "name"));
        match &controller {
            None => controller = Some(name),
            Some(first) => {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                );
                errors.push(failure_with_value(
                    field,
                    go_text::encode_json(&references.clone().into()),
                    &detail,
                ));
            }
        }
    }
    errors
}

// objectmeta.go, validateOwnerReference
fn owner_violations(reference: &Json, field: &str) -> Vec<Failure> {
    let mut errors = Vec::new();
    let (group, version) = group_version(text_field(reference, "apiVersion"));
    let required = [
        ("apiVersion", version, "version must not be empty"),
        ("kind", text_field(reference, "kind"), "must not be empty"),
        ("name", text_field(reference, "name"), "must not be empty"),
        ("uid", text_field(reference, "uid"), "must not be empty"),
    ];
    for (name, value, problem) in required {
        if value.is_empty() {
            errors.push(invalid_failure(&format!("{field}.{name}"), text_field(reference, name), problem));
        }
    }
    if (group, version, text_field(reference, "kind")) == ("", "v1", "Event") {
        let detail = "/v1, Kind=Event is disallowed from being an owner";
        errors.push(failure_with_value(field, go_text::encode_json(reference), detail));
    }
    errors
}

/// Group and version of an `apiVersion`; empty if it is none.
// apimachinery runtime/schema/group_version.go, FromAPIVersionAndKind
fn group_version(text: &str) -> (&str, &str) {
    match text.split('/').collect::<Vec<_>>().as_slice() {
        [version] => ("", version),
        [group, version] => (group, version),
        _ => ("", ""),
    }
}

/// The characters that the name of a field manager may have.
// apis/meta/v1/validation/validation.go, FieldManagerMaxLength
const MANAGER_LENGTH: usize = 128;
/// The bytes that the name of a subresource may have.
const SUBRESOURCE_LENGTH: usize = 256;

// apis/meta/v1/validation/validation.go, ValidateManagedFields
pub(super) fn managed_fields_violations(metadata: &Json, field: &str) -> Vec<Failure> {
    let entries = metadata.get("managedFields").and_then(Json::as_array);
    let mut errors = Vec::new();
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        let at = |name: &str| format!("{field}[{index}].{name}");
        let operation = text_field(entry, "operation");
        if !["Apply", "Update"].contains(&operation) {
            errors.push(invalid_failure(&at("operation"), operation, "must be `Apply` or `Update`"));
        }
        let fields_type = text_field(entry, "fieldsType");
        if !["", "FieldsV1"].contains(&fields_type) {
            errors.push(invalid_failure(&at("fieldsType"), fields_type, "must be `FieldsV1`"));
        }
        for (name, limit) in [("manager", MANAGER_LENGTH), ("subresource", SUBRESOURCE_LENGTH)] {
            if text_field(entry, name).len() > limit {
                let detail = format!("may not be more than {limit} bytes");
                errors.push(Failure::new(&at(name), ErrorType::TooLong, &detail));
            }
        }
    }
    errors
}
