//! Requirements of `x-kubernetes-list-type` and `x-kubernetes-map-type` on a node and its items.

use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE};
use serde_json::Value;

use crate::field_error::ErrorType;

use super::error_reporting::{ReportError, supported_values};
use super::options::{Leniency, SchemaOptions};
use crate::node::{
    array_elements, bool_keyword, is_set, object_entries, schema_keyword, text_keyword, value_of,
};

/// True for the keywords without which [`check_list_type`] finds nothing.
pub(super) fn is_list_keyword(keyword: &str) -> bool {
    matches!(keyword, LIST_TYPE | MAP_TYPE | LIST_MAP_KEYS)
}

// apiextensions validation.go, ValidateCustomResourceDefinitionOpenAPISchema, from XMapType on
pub(super) fn check_list_type(node: &Value, options: &SchemaOptions, refuse: &mut ReportError<'_>) {
    map_type(node, refuse);
    list_type(node, refuse);
    if let Some(items) = schema_keyword(node, "items") {
        match text_keyword(node, LIST_TYPE) {
            "set"
                if text_keyword(node, "type") == "array"
                    && !options.has_leniency(Leniency::NonAtomicSets) =>
            {
                set_items(items, refuse);
            }
            "map" => map_items(node, items, refuse),
            _ => {}
        }
    }
    if !options.has_leniency(Leniency::ListKeys) {
        list_keys(node, refuse);
    }
}

/// True if a node is a set whose items are not compared as a whole.
// apiextensions validation.go, hasNonAtomicSetType
pub(crate) fn has_loose_set(node: &Value) -> bool {
    let mut is_loose = false;
    if text_keyword(node, LIST_TYPE) == "set"
        && let Some(items) = schema_keyword(node, "items")
    {
        set_items(items, &mut |_, _, _| is_loose = true);
    }
    is_loose
}

/// True if items of a node may be null, or their keys may be missing.
// apiextensions validation.go, hasInvalidMapListKeysMapSet
pub(crate) fn has_loose_keys(node: &Value) -> bool {
    let mut is_loose = false;
    list_keys(node, &mut |_, _, _| is_loose = true);
    is_loose
}

/// Items of sets and of lists with keys are never null, and neither are keys.
// apiextensions validation.go, validateMapListKeysMapSet
fn list_keys(node: &Value, refuse: &mut ReportError<'_>) {
    let (list_type, Some(items)) = (text_keyword(node, LIST_TYPE), schema_keyword(node, "items")) else {
        return;
    };
    if !matches!(list_type, "set" | "map") {
        return;
    }
    not_nullable(items, list_type, refuse);
    if list_type == "set" {
        return;
    }
    for (_, key) in array_elements(node, LIST_MAP_KEYS) {
        let key = key.as_str().unwrap_or_default();
        // `map_items` reports a key that is not a property.
        let property = object_entries(items, "properties").find(|(name, _)| *name == key);
        if let Some((_, property)) = property {
            key_is_set(items, key, property, refuse);
        }
    }
}

fn needs_type(node: &Value, ty: &str, keyword: &str, refuse: &mut ReportError<'_>) {
    let found = text_keyword(node, "type");
    if found != ty {
        let error_type = if found.is_empty() { ErrorType::Required } else { ErrorType::Invalid };
        refuse(error_type, "type", format!("must be {ty} if {keyword} is specified"));
    }
}

fn map_type(node: &Value, refuse: &mut ReportError<'_>) {
    if !is_set(node, MAP_TYPE) {
        return;
    }
    needs_type(node, "object", MAP_TYPE, refuse);
    let types = ["atomic", "granular"];
    if !types.contains(&text_keyword(node, MAP_TYPE)) {
        refuse(ErrorType::NotSupported, MAP_TYPE, supported_values(&types));
    }
}

fn list_type(node: &Value, refuse: &mut ReportError<'_>) {
    let types = ["atomic", "set", "map"];
    let found = text_keyword(node, LIST_TYPE);
    if is_set(node, LIST_TYPE) {
        needs_type(node, "array", LIST_TYPE, refuse);
        if !types.contains(&found) {
            refuse(ErrorType::NotSupported, LIST_TYPE, supported_values(&types));
        }
    }
    let has_keys = array_elements(node, LIST_MAP_KEYS).next().is_some();
    if has_keys && found != "map" {
        let error_type = if is_set(node, LIST_TYPE) { ErrorType::Invalid } else { ErrorType::Required };
        refuse(error_type, LIST_TYPE, format!("must be map if {LIST_MAP_KEYS} is non-empty"));
    }
    if found != "map" {
        return;
    }
    if !has_keys {
        refuse(ErrorType::Required, LIST_MAP_KEYS, format!("must not be empty if {LIST_TYPE} is map"));
    }
    match value_of(node, "items").filter(|items| !items.is_null()) {
        None => {
            refuse(ErrorType::Required, "items", format!("must have a schema if {LIST_TYPE} is map"));
        }
        Some(items) if !items.is_object() => {
            refuse(
                ErrorType::Invalid,
                "items",
                format!("must only have a single schema if {LIST_TYPE} is map"),
            );
        }
        Some(_) => {}
    }
}

/// Elements of a set are compared whole.
fn set_items(items: &Value, refuse: &mut ReportError<'_>) {
    let (keyword, is_atomic) = match text_keyword(items, "type") {
        // Unset means atomic for a list, and granular for a map.
        "array" => (LIST_TYPE, matches!(text_keyword(items, LIST_TYPE), "" | "atomic")),
        "object" => (MAP_TYPE, text_keyword(items, MAP_TYPE) == "atomic"),
        _ => return,
    };
    if !is_atomic {
        let detail = format!("must be atomic as item of a list with {LIST_TYPE}=set");
        refuse(ErrorType::Invalid, &format!("items.{keyword}"), detail);
    }
}

fn not_nullable(items: &Value, list_type: &str, refuse: &mut ReportError<'_>) {
    if bool_keyword(items, "nullable") {
        let detail = format!("cannot be nullable when {LIST_TYPE} is {list_type}");
        refuse(ErrorType::Forbidden, "items.nullable", detail);
    }
}

fn map_items(node: &Value, items: &Value, refuse: &mut ReportError<'_>) {
    let is_object = text_keyword(items, "type") == "object";
    if !is_object {
        let detail = format!("must be object if parent array's {LIST_TYPE} is map");
        refuse(ErrorType::Invalid, "items.type", detail);
    }
    let mut seen = Vec::new();
    for (_, key) in array_elements(node, LIST_MAP_KEYS) {
        let key = key.as_str().unwrap_or_default();
        let property =
            object_entries(items, "properties").find(|(name, _)| *name == key).map(|(_, property)| property);
        if is_object {
            if property.is_none() {
                refuse(
                    ErrorType::Invalid,
                    LIST_MAP_KEYS,
                    "entries must all be names of item properties".to_owned(),
                );
            }
            if seen.contains(&key) {
                refuse(ErrorType::Invalid, LIST_MAP_KEYS, "must not contain duplicate entries".to_owned());
            }
        }
        seen.push(key);
        let is_scalar = |property: &Value| !matches!(text_keyword(property, "type"), "array" | "object");
        if is_object && !property.is_none_or(is_scalar) {
            let detail = format!("must be a scalar type if parent array's {LIST_TYPE} is map");
            refuse(ErrorType::Invalid, &format!("items.properties[{key}].type"), detail);
        }
    }
}

/// The property that distinguishes elements must always have a value that can be compared.
fn key_is_set(items: &Value, key: &str, property: &Value, refuse: &mut ReportError<'_>) {
    let path = format!("items.properties[{key}]");
    let required = array_elements(items, "required").any(|(_, name)| name.as_str() == Some(key));
    if !required && !is_set(property, "default") {
        let detail = format!(
            "this property is in {LIST_MAP_KEYS}, so it must have a default or be a required property"
        );
        refuse(ErrorType::Required, &format!("{path}.default"), detail);
    }
    if bool_keyword(property, "nullable") {
        let detail = format!("this property is in {LIST_MAP_KEYS}, so it cannot be nullable");
        refuse(ErrorType::Forbidden, &format!("{path}.nullable"), detail);
    }
}
