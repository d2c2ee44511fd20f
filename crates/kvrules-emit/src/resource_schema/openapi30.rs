//! The same schema in OpenAPI 3.0: `nullable` instead of a type `null`, bounds that are exclusive by a flag.

use kvrules_kubernetes::keywords::{INT_OR_STRING, transform_child_schemas};
use serde_json::{Map, Value, json};

use crate::schema::Dialect;

/// Rewrites a schema in the keywords of OpenAPI 3.0.
pub(super) fn to_openapi30(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut made = Map::new();
    for (keyword, value) in schema {
        let value = transform_child_schemas(keyword, value, |child| match child {
            Value::Object(child) => to_openapi30(child).into(),
            other => other.clone(),
        });
        match (keyword.as_str(), value) {
            ("exclusiveMinimum", bound) => add_exclusive(&mut made, "minimum", "exclusiveMinimum", bound),
            ("exclusiveMaximum", bound) => add_exclusive(&mut made, "maximum", "exclusiveMaximum", bound),
            ("const", value) => drop(made.insert("enum".to_owned(), json!([value]))),
            ("examples", Value::Array(examples)) => {
                if let Some(first) = examples.into_iter().next() {
                    made.insert("example".to_owned(), first);
                }
            }
            ("type", Value::Array(types)) => add_types(&mut made, &types),
            ("type", Value::String(kind)) if kind == "null" => made.extend(Dialect::OpenApi30.null()),
            ("allOf", Value::Array(parts)) => {
                for part in parts {
                    super::objects::add_conjunct(&mut made, part);
                }
            }
            (_, value) => drop(made.insert(keyword.clone(), value)),
        }
    }
    made
}

fn add_exclusive(made: &mut Map<String, Value>, bound: &str, flag: &str, value: Value) {
    made.insert(bound.to_owned(), value);
    made.insert(flag.to_owned(), true.into());
}

fn add_types(made: &mut Map<String, Value>, types: &[Value]) {
    let others: Vec<&Value> = types.iter().filter(|kind| *kind != "null").collect();
    let has_null = others.len() < types.len();
    match others.as_slice() {
        [only] => {
            made.insert("type".to_owned(), (*only).clone());
            if has_null {
                made.insert("nullable".to_owned(), true.into());
            }
        }
        several => {
            let mut alternatives: Vec<Value> = several.iter().map(|kind| json!({ "type": kind })).collect();
            if has_null {
                alternatives.push(Dialect::OpenApi30.null().into());
            }
            made.insert(INT_OR_STRING.to_owned(), true.into());
            super::objects::add_conjunct(made, json!({ "anyOf": alternatives }));
        }
    }
}
