//! Other dialects of JSON Schema, said in draft 2020-12.

use kvrules_kubernetes::keywords::{INT_OR_STRING, KeywordContent, find_keyword, transform_child_schemas};
use serde_json::{Map, Value, json};

use super::ecma;

/// Origin of a schema, which decides how it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaOrigin {
    /// It is of draft 2020-12, as those of OpenAPI 3.1 are.
    JsonSchema,
    /// An OpenAPI 3.0 document.
    OpenApi30,
    /// A CustomResourceDefinition, whose patterns are RE2.
    Definition,
}

impl SchemaOrigin {
    /// By the document around the schema.
    pub(super) fn of(document: &Value) -> Self {
        let version = document.get("openapi").and_then(Value::as_str);
        if version.is_some_and(|version| version.starts_with("3.0")) {
            Self::OpenApi30
        } else {
            Self::JsonSchema
        }
    }
}

/// The schema in draft 2020-12.
pub(super) fn translate_schema(schema: &Value, origin: SchemaOrigin) -> Value {
    match schema {
        Value::Array(parts) => parts.iter().map(|part| translate_schema(part, origin)).collect(),
        Value::Object(keywords) => {
            let mut all: Map<String, Value> = keywords
                .iter()
                .filter(|(keyword, _)| !keyword.starts_with("x-"))
                .map(|(keyword, value)| (keyword.clone(), keyword_value(keyword, value, origin)))
                .collect();
            if origin == SchemaOrigin::JsonSchema {
                return all.into();
            }
            translate_exclusive(&mut all, "minimum", "exclusiveMinimum");
            translate_exclusive(&mut all, "maximum", "exclusiveMaximum");
            translate_types(&mut all, keywords, origin);
            all.into()
        }
        other => other.clone(),
    }
}

fn has_content(keyword: &str, content: KeywordContent) -> bool {
    find_keyword(keyword).is_some_and(|keyword| keyword.content == content)
}

fn keyword_value(keyword: &str, value: &Value, origin: SchemaOrigin) -> Value {
    match (keyword, value) {
        (keyword, value) if has_content(keyword, KeywordContent::Data) => value.clone(),
        (keyword, Value::Object(_)) if has_content(keyword, KeywordContent::SchemaMap) => {
            transform_child_schemas(keyword, value, |schema| translate_schema(schema, origin))
        }
        ("pattern", Value::String(pattern)) if origin == SchemaOrigin::Definition => {
            let ecma = kvrules_regex::parse(pattern).map(|regex| regex.to_ecma());
            ecma.map_or_else(|_| value.clone(), |ecma| ecma::with_ascii_words(&ecma).into())
        }
        ("pattern", Value::String(pattern)) => ecma::with_ascii_words(pattern).into(),
        (_, value) => translate_schema(value, origin),
    }
}

/// Before draft 6 an exclusive bound was a flag next to the bound.
fn translate_exclusive(keywords: &mut Map<String, Value>, bound: &str, flag: &str) {
    if let Some(Value::Bool(is_exclusive)) = keywords.get(flag).cloned() {
        keywords.remove(flag);
        if let Some(bound) = keywords.remove(bound) {
            keywords.insert(if is_exclusive { flag } else { bound_name(flag) }.to_owned(), bound);
        }
    }
}

fn bound_name(flag: &str) -> &'static str {
    if flag == "exclusiveMinimum" { "minimum" } else { "maximum" }
}

/// `nullable` without `type` next to it means nothing in OpenAPI 3.0; an integer-or-string needs no `type` in a
/// CustomResourceDefinition.
fn translate_types(translated: &mut Map<String, Value>, written: &Map<String, Value>, origin: SchemaOrigin) {
    let is_set = |keyword: &str| written.get(keyword).and_then(Value::as_bool).unwrap_or(false);
    let int_or_string = origin == SchemaOrigin::Definition && is_set(INT_OR_STRING);
    if int_or_string && !translated.contains_key("type") {
        translated.insert("type".to_owned(), json!(["integer", "string"]));
    }
    translated.remove("nullable");
    if is_set("nullable") {
        let kinds = match translated.get("type") {
            Some(Value::String(kind)) => Some(vec![json!(kind)]),
            Some(Value::Array(kinds)) => Some(kinds.clone()),
            _ => None,
        };
        if let Some(kinds) = kinds {
            translated.insert("type".to_owned(), kinds.into_iter().chain([json!("null")]).collect());
        }
    }
}
