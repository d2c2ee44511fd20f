//! The type of a schema for expressions of policies.

use std::collections::BTreeMap;

use kvrules_cel::types::{Type, escape_property};
use serde_json::Value as Json;

use super::super::expressions::ObjectTypes;

/// Returns the type of a schema; the types of the objects in it are added to `types`, under the path that leads to them.
///
/// It is the type of the values that a policy sees, which are those of the request's JSON: a timestamp is a string, a number may
/// be an integer, and an object without declared fields has any. The types of a server differ in that.
// apiserver pkg/cel/common schemas.go, SchemaDeclType
pub(super) fn declare_type(schema: &Json, path: &str, types: &mut ObjectTypes) -> Type {
    let is_set = |keyword: &str| schema.get(keyword).and_then(Json::as_bool).unwrap_or(false);
    let is_open = ["int-or-string", "preserve-unknown-fields", "embedded-resource"];
    if is_open.into_iter().any(|keyword| is_set(&format!("x-kubernetes-{keyword}"))) {
        return Type::Dyn;
    }
    match schema.get("type").and_then(Json::as_str).unwrap_or_default() {
        "string" => Type::String,
        "integer" => Type::Int,
        "boolean" => Type::Bool,
        "array" => {
            let items = schema.get("items").unwrap_or(&Json::Null);
            Type::list_of(declare_type(items, &format!("{path}[*]"), types))
        }
        "object" => declare_object(schema, path, types),
        _ => Type::Dyn,
    }
}

fn declare_object(schema: &Json, path: &str, types: &mut ObjectTypes) -> Type {
    let properties = schema.get("properties").and_then(Json::as_object);
    match (schema.get("additionalProperties"), properties) {
        (Some(values @ Json::Object(_)), None) => {
            Type::map_of(Type::String, declare_type(values, &format!("{path}[*]"), types))
        }
        (None | Some(Json::Bool(false)), Some(properties)) => {
            let mut fields = BTreeMap::new();
            for (name, schema) in properties {
                if let Some(escaped) = escape_property(name) {
                    fields.insert(escaped, declare_type(schema, &format!("{path}.{name}"), types));
                }
            }
            types.insert(path.to_owned(), fields);
            Type::Object(path.into())
        }
        _ => Type::Dyn,
    }
}
