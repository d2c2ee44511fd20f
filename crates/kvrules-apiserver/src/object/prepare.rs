//! Prepares an object for validation: drops fields without a schema and nulls that are not allowed, and
//! fills in defaults.

use std::fmt::{Display, Formatter};

use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, PRESERVE_UNKNOWN_FIELDS};
use serde_json::Value as Json;

use crate::node::value_of;
use crate::object_meta::TypeErrorHandling;
use crate::server::ObjectFeatures;

use super::{META_FIELDS, bool_keyword, field_schema, properties};

/// Takes the fields away that a schema does not know, and gives their paths.
// apiextensions schema/pruning/algorithm.go, PruneWithOptions
pub(super) fn unknown_fields(object: &mut Json, schema: &Json) -> Vec<String> {
    let mut unknown = Vec::new();
    prune_value(object, Some(schema), &PrunedPath::Root, &mut unknown);
    unknown
}

/// The path of a value. It is rendered for unknown fields alone.
#[derive(Clone, Copy)]
enum PrunedPath<'p> {
    Root,
    Field(&'p PrunedPath<'p>, &'p str),
    Item(&'p PrunedPath<'p>, usize),
}

impl PrunedPath<'_> {
    /// True if nothing is rendered.
    fn is_empty(&self) -> bool {
        match self {
            Self::Root => true,
            Self::Field(parent, name) => name.is_empty() && parent.is_empty(),
            Self::Item(..) => false,
        }
    }
}

impl Display for PrunedPath<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(parent, name) if parent.is_empty() => formatter.write_str(name),
            Self::Field(parent, name) => write!(formatter, "{parent}.{name}"),
            Self::Item(parent, index) => write!(formatter, "{parent}[{index}]"),
        }
    }
}

/// Without a schema every field goes, but the values of lists stay.
// schema/pruning/algorithm.go, prune and skipPrune
fn prune_value(value: &mut Json, schema: Option<&Json>, path: &PrunedPath<'_>, unknown: &mut Vec<String>) {
    match value {
        Json::Object(fields) => {
            let is_resource = matches!(path, PrunedPath::Root)
                || schema.is_some_and(|schema| bool_keyword(schema, EMBEDDED_RESOURCE));
            let keeps = schema.is_some_and(|schema| bool_keyword(schema, PRESERVE_UNKNOWN_FIELDS));
            fields.retain(|name, value| {
                // Metadata of resources is decoded, not pruned (`embedded`).
                is_resource && META_FIELDS.contains(&name.as_str())
                    || prune_field(value, (schema, keeps), &PrunedPath::Field(path, name), unknown)
            });
        }
        Json::Array(items) => {
            let items_schema = schema.and_then(|schema| value_of(schema, "items"));
            // Below a node that preserves unknown fields, a list without a schema is not pruned.
            let keeps = || schema.is_some_and(|schema| bool_keyword(schema, PRESERVE_UNKNOWN_FIELDS));
            if items_schema.is_none() && keeps() {
                return;
            }
            for (index, item) in items.iter_mut().enumerate() {
                prune_value(item, items_schema, &PrunedPath::Item(path, index), unknown);
            }
        }
        _ => {}
    }
}

/// Returns true if a field of an object of a schema stays.
fn prune_field(
    value: &mut Json,
    (schema, keeps): (Option<&Json>, bool),
    path: &PrunedPath<'_>,
    unknown: &mut Vec<String>,
) -> bool {
    let PrunedPath::Field(_, name) = path else { return true };
    if let Some(known) = schema.and_then(|schema| field_schema(schema, name)) {
        prune_value(value, Some(known), path, unknown);
        return true;
    }
    // With a boolean `additionalProperties`, even `false`, keys stay but their values are pruned: the server
    // then has a schema without any structure for the values.
    let keeps_keys =
        schema.is_some_and(|schema| value_of(schema, "additionalProperties").is_some_and(Json::is_boolean));
    if keeps_keys && !keeps {
        prune_value(value, None, path, unknown);
    } else if !keeps {
        unknown.push(path.to_string());
    }
    keeps || keeps_keys
}

/// True if a value is null, or has a null in it.
pub fn has_null(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Array(items) => items.iter().any(has_null),
        Json::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}

/// Takes nulls away that are neither allowed nor replaced by a default. In lists they stay.
// apiextensions schema/defaulting/prunenulls.go, PruneNonNullableNullsWithoutDefaults
pub(super) fn drop_nulls(value: &mut Json, schema: &Json) {
    match value {
        Json::Object(fields) => {
            fields.retain(|name, value| {
                !field_schema(schema, name)
                    .is_some_and(|schema| is_stray_null(value, schema) && schema_default(schema).is_none())
            });
            for (name, value) in fields.iter_mut() {
                if let Some(schema) = field_schema(schema, name) {
                    drop_nulls(value, schema);
                }
            }
        }
        Json::Array(items) => {
            if let Some(schema) = value_of(schema, "items") {
                for item in items {
                    drop_nulls(item, schema);
                }
            }
        }
        _ => {}
    }
}

/// Fills in defaults. Nulls within a default stay, whether they are allowed or not.
// apiextensions schema/defaulting/algorithm.go, Default
pub(super) fn fill_defaults(value: &mut Json, schema: &Json, features: ObjectFeatures) {
    match value {
        Json::Object(fields) => {
            for (name, property) in properties(schema).into_iter().flatten() {
                let Some(default) = schema_default(property) else { continue };
                if fields.get(name).is_none_or(|value| is_stray_null(value, property)) {
                    fields.insert(name.clone(), readable_default(default, property, features));
                }
            }
            for (name, value) in fields.iter_mut() {
                if let Some(schema) = field_schema(schema, name) {
                    fill_one(value, schema, features);
                }
            }
        }
        Json::Array(items) => {
            if let Some(schema) = value_of(schema, "items") {
                for item in items {
                    fill_one(item, schema, features);
                }
            }
        }
        _ => {}
    }
}

fn fill_one(value: &mut Json, schema: &Json, features: ObjectFeatures) {
    if is_stray_null(value, schema)
        && let Some(default) = schema_default(schema)
    {
        *value = readable_default(default, schema, features);
    }
    fill_defaults(value, schema, features);
}

/// A default as the server keeps it: without fields that its schema does not declare, and without what cannot be read of the
/// metadata of a resource in it.
// apiextensions schema/defaulting/prune.go, PruneDefaults
fn readable_default(default: &Json, schema: &Json, features: ObjectFeatures) -> Json {
    let mut value = default.clone();
    restore_integers(&mut value);
    // The value of a field, which has the metadata of no resource.
    prune_value(&mut value, Some(schema), &PrunedPath::Item(&PrunedPath::Root, 0), &mut Vec::new());
    if !features.drops_unreadable_defaults {
        return value;
    }
    // With `Drop`, decoding never returns an error.
    let _ = super::embedded::decode_embedded(&mut value, schema, TypeErrorHandling::Drop, &mut Vec::new());
    value
}

/// Makes integers of whole floats: a definition is stored as JSON, and Go writes these without a fraction.
// encoding/json, floatEncoder.encode
fn restore_integers(value: &mut Json) {
    match value {
        Json::Number(number) => {
            #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^63")]
            let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 9.2e18).then_some(float as i64);
            if let Some(whole) = number.as_f64().filter(|_| number.is_f64()).and_then(whole) {
                *value = whole.into();
            }
        }
        Json::Array(items) => items.iter_mut().for_each(restore_integers),
        Json::Object(fields) => fields.values_mut().for_each(restore_integers),
        _ => {}
    }
}

pub(super) fn schema_default(schema: &Json) -> Option<&Json> {
    value_of(schema, "default").filter(|default| !default.is_null())
}

/// A null in a place that is not nullable.
fn is_stray_null(value: &Json, schema: &Json) -> bool {
    value.is_null() && !bool_keyword(schema, "nullable")
}

/// Reads integers beyond 64 bits as floats, which is what they are to the server.
// apimachinery util/json, Unmarshal
pub(super) fn read_numbers(value: &mut Json) {
    match value {
        Json::Number(number) if !number.is_i64() && !number.is_f64() => {
            let float = number.as_f64().and_then(serde_json::Number::from_f64);
            if let Some(float) = float {
                *value = Json::Number(float);
            }
        }
        Json::Array(items) => items.iter_mut().for_each(read_numbers),
        Json::Object(fields) => fields.values_mut().for_each(read_numbers),
        _ => {}
    }
}
