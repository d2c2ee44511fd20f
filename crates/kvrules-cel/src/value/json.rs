//! From JSON to values, with and without a schema.
//!
//! Schemas are those of a CustomResourceDefinition: structural, as JSON. The schema of a value (number, bytes,
//! timestamp, list type) determines the type in CEL; fields without a schema are not visible.

use std::sync::Arc;

use kvrules_kubernetes::keywords::{
    EMBEDDED_RESOURCE, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, PRESERVE_UNKNOWN_FIELDS,
};
use serde_json::{Map, Value as Json};

use super::duration::parse_format_duration;
use super::go_key::key_names;
use super::time::{Timestamp, parse_date};
use super::{GoKey, Key, List, ListKind, Object, Value};
use crate::types::{bool_keyword, keyword_value, map_keyword, resource_property};

/// JSON without a schema: objects are maps.
pub fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Value::Int(value),
            None => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::string(text.as_str()),
        Json::Array(items) => Value::from_items(items.iter().map(from_json).collect()),
        Json::Object(fields) => {
            let entry =
                |(name, value): (&String, &Json)| (Key::String(name.as_str().into()), from_json(value));
            Value::from_entries(fields.iter().map(entry).collect())
        }
    }
}

/// JSON under a schema.
// apiserver pkg/cel/common values.go, UnstructuredToVal
pub fn from_schema(json: &Json, schema: &Json) -> Value {
    if json.is_null() {
        return if bool_keyword(schema, "nullable") {
            Value::Null
        } else {
            invalid_value("invalid data, got null for schema with nullable=false")
        };
    }
    if bool_keyword(schema, INT_OR_STRING) {
        return int_or_string(json);
    }
    match keyword_value(schema, "type").and_then(Json::as_str) {
        Some("object") => object(json, schema),
        Some("array") => array(json, schema),
        Some("string") => string(json, schema),
        Some("integer") => integer(json),
        Some("number") => number(json),
        Some("boolean") => match json {
            Json::Bool(value) => Value::Bool(*value),
            other => type_mismatch("bool", other),
        },
        _ if bool_keyword(schema, PRESERVE_UNKNOWN_FIELDS) => Value::Opaque(Arc::new(json.clone())),
        _ => invalid_value("unknown schema type"),
    }
}

/// The schema of a map's values.
fn additional(schema: &Json) -> Option<&Json> {
    keyword_value(schema, "additionalProperties").filter(|it| it.is_object())
}

fn invalid_value(message: impl Into<Arc<str>>) -> Value {
    Value::Invalid(message.into())
}

/// Data of another type than declared, which the schema's own validation reports as well.
fn type_mismatch(expected: &str, json: &Json) -> Value {
    invalid_value(format!("invalid data, expected {expected}, got {}", go_type(json)))
}

/// Returns Go's name for the type of a decoded value.
pub fn go_type(json: &Json) -> &'static str {
    match json {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_i64() => "int64",
        Json::Number(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}

fn int_or_string(json: &Json) -> Value {
    match json {
        Json::String(text) => Value::string(text.as_str()),
        Json::Number(number) if number.is_i64() => Value::Int(number.as_i64().unwrap_or_default()),
        _ => invalid_value("invalid data, expected XIntOrString value to be either a string or integer"),
    }
}

fn integer(json: &Json) -> Value {
    json.as_i64().map_or_else(|| type_mismatch("int", json), Value::Int)
}

fn number(json: &Json) -> Value {
    json.as_f64().map_or_else(|| type_mismatch("float", json), Value::Double)
}

// apiserver pkg/cel/common values.go, UnstructuredToVal: the formats byte, date, date-time and duration
fn string(json: &Json, schema: &Json) -> Value {
    let Json::String(text) = json else { return type_mismatch("string", json) };
    let format = keyword_value(schema, "format").and_then(Json::as_str).unwrap_or_default();
    if format.is_empty() {
        return Value::string(text.as_str());
    }
    let parsed = match format.replace('-', "").as_str() {
        "byte" => crate::base64::decode_base64(text).ok().map(|bytes| Value::Bytes(bytes.into())),
        "date" => parse_date(text)
            .map(|days| Value::Timestamp(Timestamp { seconds: days * 86_400, nanos: 0, offset: 0 })),
        "datetime" => Timestamp::parse(text).map(Value::Timestamp),
        "duration" => parse_format_duration(text).map(Value::Duration),
        _ => return Value::string(text.as_str()),
    };
    parsed.unwrap_or_else(|| {
        let what = if format == "byte" { "bytes".to_owned() } else { format!("{format} string") };
        invalid_value(format!("Invalid {what} {text:?}"))
    })
}

fn array(json: &Json, schema: &Json) -> Value {
    let Json::Array(items) = json else { return type_mismatch("array", json) };
    let item_schema = keyword_value(schema, "items").unwrap_or(&Json::Null);
    let kind = list_kind(items, schema);
    let items = items.iter().map(|item| from_schema(item, item_schema)).collect();
    Value::List(Arc::new(List { items, kind }))
}

// apiserver pkg/cel/common values.go, unstructuredMapList and unstructuredSetList
fn list_kind(items: &[Json], schema: &Json) -> ListKind {
    match keyword_value(schema, LIST_TYPE).and_then(Json::as_str) {
        Some("set") => ListKind::Set(items.iter().map(GoKey::of_json).collect()),
        Some("map") => {
            let keys = keyword_value(schema, LIST_MAP_KEYS).and_then(Json::as_array);
            ListKind::Map(key_names(keys.into_iter().flatten().filter_map(Json::as_str)))
        }
        _ => ListKind::Atomic,
    }
}

fn object(json: &Json, schema: &Json) -> Value {
    let Json::Object(fields) = json else { return type_mismatch("map", json) };
    match additional(schema) {
        Some(values) => {
            let entry = |(name, value): (&String, &Json)| {
                (Key::String(name.as_str().into()), from_schema(value, values))
            };
            Value::from_declared_entries(fields.iter().map(entry).collect())
        }
        None => Value::Object(Arc::new(declared(fields, schema))),
    }
}

fn declared(fields: &Map<String, Json>, schema: &Json) -> Object {
    let embedded = bool_keyword(schema, EMBEDDED_RESOURCE);
    let properties = keyword_value(schema, "properties").and_then(Json::as_object);
    let mut object = Object::default();
    for (name, value) in fields {
        // apiserver pkg/cel/common schemas.go, WithTypeAndObjectMeta
        let always = embedded.then(|| resource_property(schema, name)).flatten();
        let Some(known) = always.as_ref().or_else(|| map_keyword(properties?, name)) else {
            object.unknown.insert(name.clone(), value.clone());
            continue;
        };
        // A null in a field counts as no field.
        if value.is_null() {
            object.nulls.insert(name.clone());
        } else {
            object.fields.insert(name.clone(), from_schema(value, known));
        }
    }
    object
}
