//! Schemas of every draft and of OpenAPI, written as draft 2020-12 has them, so that all else knows one dialect.

use kvrules_kubernetes::keywords::{INT_OR_STRING, SchemaDialect, transform_child_schemas};
use serde_json::{Map, Value, json};

/// A document whose schemas are written as draft 2020-12 has them: the root, and those under `definitions`, `$defs` and
/// `components.schemas`.
pub(super) fn adapt_document(given: &Value, dialect: SchemaDialect) -> Value {
    let mut adapted = adapt_schema(given, dialect, 0);
    if let Some(fields) = adapted.as_object_mut() {
        for key in ["$schema", "$id", "id"] {
            fields.shift_remove(key);
        }
    }
    let schemas = adapted.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for (_, below) in schemas.into_iter().flatten() {
        *below = adapt_schema(below, dialect, 1);
    }
    adapted
}

/// Schemas are not adapted deeper; nothing that is read nests so deep.
const DEEPEST: usize = 500;

fn adapt_schema(given: &Value, dialect: SchemaDialect, depth: usize) -> Value {
    let Some(fields) = given.as_object().filter(|_| depth < DEEPEST) else { return given.clone() };
    if let Some(reference) = fields.get("$ref").filter(|it| it.is_string() && dialect.ignores_siblings()) {
        let mut kept = Map::new();
        kept.insert("$ref".to_owned(), reference.clone());
        // Definitions next to `$ref` at the root are kept, because they are not constraints.
        for key in ["definitions", "$defs", "components"] {
            kept.extend(
                fields.get(key).map(|below| (key.to_owned(), adapt_keyword(key, below, dialect, depth))),
            );
        }
        return Value::Object(kept);
    }
    let has_tuple = fields.get("items").is_some_and(Value::is_array);
    let mut made = Map::new();
    for (key, value) in fields {
        match key.as_str() {
            "items" if has_tuple => {
                made.insert("prefixItems".to_owned(), adapt_keyword("prefixItems", value, dialect, depth));
            }
            "additionalItems" if has_tuple => {
                made.insert("items".to_owned(), adapt_keyword("items", value, dialect, depth));
            }
            "additionalItems" => {}
            "dependencies" => split_dependencies(value, dialect, depth, &mut made),
            _ => _ = made.insert(key.clone(), adapt_keyword(key, value, dialect, depth)),
        }
    }
    adapt_exclusive_bound(&mut made, "minimum", "exclusiveMinimum");
    adapt_exclusive_bound(&mut made, "maximum", "exclusiveMaximum");
    adapt_types(&mut made, dialect);
    Value::Object(made)
}

fn adapt_keyword(key: &str, value: &Value, dialect: SchemaDialect, depth: usize) -> Value {
    transform_child_schemas(key, value, |schema| adapt_schema(schema, dialect, depth + 1))
}

/// `dependencies`, which are of two kinds.
fn split_dependencies(value: &Value, dialect: SchemaDialect, depth: usize, made: &mut Map<String, Value>) {
    let (mut names, mut schemas) = (Map::new(), Map::new());
    for (name, given) in value.as_object().into_iter().flatten() {
        match given {
            Value::Array(_) => _ = names.insert(name.clone(), given.clone()),
            Value::String(_) => _ = names.insert(name.clone(), json!([given])),
            _ => _ = schemas.insert(name.clone(), adapt_schema(given, dialect, depth + 1)),
        }
    }
    for (key, all) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
        if !all.is_empty() {
            made.insert(key.to_owned(), Value::Object(all));
        }
    }
}

/// A flag next to a bound, as in draft 4, is a bound of its own.
fn adapt_exclusive_bound(made: &mut Map<String, Value>, bound: &str, strict: &str) {
    let Some(flag) = made.get(strict).and_then(Value::as_bool) else { return };
    made.shift_remove(strict);
    if flag && let Some(value) = made.shift_remove(bound) {
        made.insert(strict.to_owned(), value);
    }
}

/// `nullable`, and integers or strings as Kubernetes writes them.
fn adapt_types(made: &mut Map<String, Value>, dialect: SchemaDialect) {
    let is_true = |made: &Map<String, Value>, key: &str| made.get(key) == Some(&Value::Bool(true));
    let is_either =
        is_true(made, INT_OR_STRING) || made.get("format").and_then(Value::as_str) == Some("int-or-string");
    if is_either {
        made.insert("type".to_owned(), json!(["integer", "string"]));
    }
    let is_nullable =
        dialect.is_older_openapi() && (is_true(made, "nullable") || is_true(made, "x-nullable"));
    if !is_nullable {
        return;
    }
    match made.get_mut("type") {
        Some(Value::Array(types)) => types.push(json!("null")),
        Some(one) => *one = json!([one, "null"]),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_words_become_those_of_the_newest_draft() {
        let given = json!({
            "$schema": "http://json-schema.org/draft-04/schema#",
            "properties": {
                "n": {"minimum": 3, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false},
                "t": {"items": [{"type": "string"}], "additionalItems": false},
                "r": {"$ref": "#/definitions/d", "maximum": 3},
            },
            "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
            "definitions": {"d": {"nullable": true, "type": "string"}},
        });
        let adapted = adapt_document(&given, SchemaDialect::of_document(&given));
        let expected = json!({
            "properties": {
                "n": {"exclusiveMinimum": 3, "maximum": 9},
                "t": {"prefixItems": [{"type": "string"}], "items": false},
                "r": {"$ref": "#/definitions/d"},
            },
            "dependentRequired": {"a": ["b"]},
            "dependentSchemas": {"c": {"required": ["d"]}},
            "definitions": {"d": {"nullable": true, "type": "string"}},
        });
        assert_eq!(adapted, expected);
    }

    #[test]
    fn openapi_has_null_and_kubernetes_has_either() {
        let given = json!({"openapi": "3.0.3", "components": {"schemas": {
            "a": {"type": "string", "nullable": true},
            "b": {"type": "string", "format": "int-or-string"},
        }}});
        let adapted = adapt_document(&given, SchemaDialect::of_document(&given));
        let types = |name: &str| adapted.pointer(&format!("/components/schemas/{name}/type")).cloned();
        assert_eq!(
            (types("a"), types("b")),
            (Some(json!(["string", "null"])), Some(json!(["integer", "string"])))
        );
    }
}
