//! Where the dialects of JSON Schema differ: everything that one of them writes differently stands here.

use serde_json::{Map, Value, json};

/// A dialect of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The Schema Object of OpenAPI 3.0: `nullable` instead of a type `null`, neither `contains` nor `prefixItems`,
    /// no schemas that are mere booleans.
    OpenApi30,
}

impl Dialect {
    /// The schema of every value.
    pub(crate) fn anything(self) -> Map<String, Value> {
        match self {
            Self::OpenApi30 => Map::new(),
        }
    }

    /// The schema of no value.
    pub(crate) fn nothing(self) -> Map<String, Value> {
        match self {
            Self::OpenApi30 => keywords([("not", json!({}))]),
        }
    }

    /// The schema of `null` alone.
    pub(crate) fn null(self) -> Map<String, Value> {
        match self {
            // `nullable` counts only beside `type`; without both, a value list may hold `null`.
            Self::OpenApi30 => keywords([("enum", json!([null]))]),
        }
    }

    /// Lets `null` into a schema that refuses it by its `type` or its `enum`.
    pub(crate) fn or_null(self, mut schema: Map<String, Value>) -> Map<String, Value> {
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.push(Value::Null);
        }
        match self {
            Self::OpenApi30 => {
                if schema.contains_key("type") {
                    schema.insert("nullable".to_owned(), true.into());
                }
            }
        }
        schema
    }

    /// Marks a schema whose values are integers or strings.
    pub(crate) fn mark_int_or_string(self, schema: &mut Map<String, Value>) {
        match self {
            Self::OpenApi30 => schema.insert("x-kubernetes-int-or-string".to_owned(), true.into()),
        };
    }

    /// Why a schema of this dialect cannot speak of one item of a list.
    pub(crate) fn item_is_out_of_reach(self, index: i64) -> &'static str {
        match self {
            _ if index < 0 => "a schema cannot count the items of a list from its end",
            Self::OpenApi30 => "an OpenAPI 3.0 schema cannot single out one item of a list",
        }
    }
}

/// A schema from its keywords.
pub(crate) fn keywords<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)).collect()
}
