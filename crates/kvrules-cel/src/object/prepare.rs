//! What happens to an object before it is judged: fields without a schema go, nulls that are not allowed go, and
//! defaults are filled in.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use super::{META_FIELDS, field_schema, flag, properties};

const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// Takes the fields away that a schema does not know, and gives their paths.
pub(super) fn unknown_fields(object: &mut Json, schema: &Json) -> Vec<String> {
    let mut pruning = Pruning { path: String::new(), unknown: Vec::new() };
    pruning.value(object, Some(schema), true);
    pruning.unknown
}

struct Pruning {
    path: String,
    unknown: Vec<String>,
}

impl Pruning {
    /// Without a schema every field goes, but the values of lists stay.
    fn value(&mut self, value: &mut Json, schema: Option<&Json>, is_root: bool) {
        let is_resource = is_root || schema.is_some_and(|schema| flag(schema, EMBEDDED));
        let keeps = schema.is_some_and(|schema| flag(schema, PRESERVE));
        match value {
            Json::Object(fields) => fields.retain(|name, value| {
                if is_resource && META_FIELDS.contains(&name.as_str()) {
                    return true;
                }
                let before = self.path.len();
                if before > 0 {
                    self.path.push('.');
                }
                self.path.push_str(name);
                let kept = self.field(name, value, schema, keeps);
                self.path.truncate(before);
                kept
            }),
            Json::Array(items) => {
                let schema = schema.and_then(|schema| schema.get("items"));
                // Behind a node that keeps everything, a list without a schema is left alone.
                if keeps && schema.is_none() {
                    return;
                }
                for (index, item) in items.iter_mut().enumerate() {
                    let before = self.path.len();
                    let _ = write!(self.path, "[{index}]");
                    self.value(item, schema, false);
                    self.path.truncate(before);
                }
            }
            _ => {}
        }
    }

    fn field(&mut self, name: &str, value: &mut Json, schema: Option<&Json>, keeps: bool) -> bool {
        if let Some(known) = schema.and_then(|schema| field_schema(schema, name)) {
            self.value(value, Some(known), false);
            return true;
        }
        // `additionalProperties: true`, and `false` too, let keys stay and what is in them go.
        let keeps_keys =
            schema.is_some_and(|schema| schema.get("additionalProperties").is_some_and(Json::is_boolean));
        if keeps_keys && !keeps {
            self.value(value, None, false);
        } else if !keeps {
            self.unknown.push(self.path.clone());
        }
        keeps || keeps_keys
    }
}

/// Fills in defaults, and takes nulls away that are neither allowed nor replaced.
pub(super) fn fill(value: &mut Json, schema: &Json) {
    match value {
        Json::Object(fields) => {
            for (name, property) in properties(schema).into_iter().flatten() {
                let Some(default) = default(property) else { continue };
                if fields.get(name).is_none_or(|value| is_stray_null(value, property)) {
                    fields.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in fields.iter_mut() {
                let Some(schema) = field_schema(schema, name) else { continue };
                fill_one(value, schema);
            }
            fields.retain(|name, value| {
                !field_schema(schema, name).is_some_and(|schema| is_stray_null(value, schema))
            });
            if flag(schema, EMBEDDED) {
                fields.get_mut("metadata").and_then(Json::as_object_mut).into_iter().for_each(metadata);
            }
        }
        Json::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for item in items {
                fill_one(item, schema);
            }
        }
        _ => {}
    }
}

/// Takes away what the metadata of a resource inside of another holds in a wrong type.
fn metadata(fields: &mut Map<String, Json>) {
    fields.retain(|name, value| match name.as_str() {
        "name" | "generateName" | "namespace" | "uid" | "resourceVersion" | "selfLink" => value.is_string(),
        "labels" | "annotations" => {
            value.as_object().is_some_and(|texts| texts.values().all(Json::is_string))
        }
        _ => true,
    });
}

fn fill_one(value: &mut Json, schema: &Json) {
    if let Some(default) = default(schema).filter(|_| is_stray_null(value, schema)) {
        *value = default.clone();
    }
    fill(value, schema);
}

fn default(schema: &Json) -> Option<&Json> {
    schema.get("default").filter(|default| !default.is_null())
}

/// A null in a place that is not nullable.
fn is_stray_null(value: &Json, schema: &Json) -> bool {
    value.is_null() && !flag(schema, "nullable")
}
