//! Differences between the dialects of JSON Schema: everything that one of them writes differently is here.

use kvrules_kubernetes::keywords::{INT_OR_STRING, transform_child_schemas};
use serde_json::{Map, Value, json};

/// A dialect of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// JSON Schema itself, draft 2020-12.
    JsonSchema202012,
    /// The Schema Object of OpenAPI 3.0: `nullable` instead of a type `null`, neither `contains` nor `prefixItems` nor
    /// `if`, no schemas that are mere booleans.
    OpenApi30,
    /// The Schema Object of OpenAPI 3.1, which is JSON Schema 2020-12 with some extensions.
    OpenApi31,
}

/// Items further on than this would take a list of as many schemas.
const MOST_ITEMS: i64 = 255;

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::JsonSchema202012, Self::OpenApi30, Self::OpenApi31];

    /// True if the keywords are those of JSON Schema 2020-12.
    pub(crate) fn is_modern(self) -> bool {
        match self {
            Self::JsonSchema202012 | Self::OpenApi31 => true,
            Self::OpenApi30 => false,
        }
    }

    /// True if a schema may have keywords of others, which begin with `x-`.
    pub(crate) fn has_extensions(self) -> bool {
        match self {
            Self::OpenApi30 | Self::OpenApi31 => true,
            // JSON Schema allows them, but validators in strict mode refuse unknown keywords.
            Self::JsonSchema202012 => false,
        }
    }

    /// The schema of `null` alone.
    pub(crate) fn null(self) -> Map<String, Value> {
        if self.is_modern() {
            return schema_of_keywords([("type", "null".into())]);
        }
        // `nullable` has an effect only next to `type`. A schema without a type can list `null` in `enum`.
        schema_of_keywords([("enum", json!([null]))])
    }

    /// Lets `null` into a schema that refuses it by its `type` or its `enum`.
    pub(crate) fn or_null(self, mut schema: Map<String, Value>) -> Map<String, Value> {
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.push(Value::Null);
        }
        match schema.get_mut("type") {
            Some(kind) if self.is_modern() => *kind = json!([kind, "null"]),
            Some(_) => drop(schema.insert("nullable".to_owned(), true.into())),
            None => {}
        }
        schema
    }

    /// Marks a schema whose values are integers or strings.
    pub(crate) fn mark_int_or_string(self, schema: &mut Map<String, Value>) {
        if self.has_extensions() {
            schema.insert(INT_OR_STRING.to_owned(), true.into());
        }
    }

    /// Returns the position of an item in a list, or the reason why a schema of this dialect cannot address it.
    pub(crate) fn item(self, index: i64) -> Result<usize, &'static str> {
        match usize::try_from(index) {
            Err(_) => Err("a schema cannot count the items of a list from its end"),
            _ if !self.is_modern() => Err("an OpenAPI 3.0 schema cannot constrain a single item of a list"),
            Ok(_) if index > MOST_ITEMS => Err("a schema would have to list all items before this one"),
            Ok(position) => Ok(position),
        }
    }

    /// A finished schema as its readers expect it: booleans for the schemas of everything and of nothing, and `const`.
    pub(crate) fn polished(self, schema: Map<String, Value>) -> Map<String, Value> {
        if self.is_modern() { polish_keywords(&schema) } else { schema }
    }
}

/// A schema from its keywords.
pub(crate) fn schema_of_keywords<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)).collect()
}

fn polish_keywords(keywords: &Map<String, Value>) -> Map<String, Value> {
    let polish = |(keyword, value): (&String, &Value)| {
        (keyword.clone(), transform_child_schemas(keyword, value, polish_schema))
    };
    keywords.iter().map(polish).collect()
}

fn polish_schema(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let keywords = polish_keywords(keywords);
    if keywords.is_empty() {
        return true.into();
    }
    if keywords.len() == 1 && keywords.get("not") == Some(&Value::Bool(true)) {
        return false.into();
    }
    if let Some(Value::Array(values)) = keywords.get("enum")
        && let [only] = values.as_slice()
    {
        let only = only.clone();
        return as_constant(keywords, &only).into();
    }
    keywords.into()
}

/// A list of one value as that value, which has its type by itself.
fn as_constant(keywords: Map<String, Value>, only: &Value) -> Map<String, Value> {
    let needless = |kind: &Value| kind == "string" && only.is_string();
    let kept = keywords.into_iter().filter(|(keyword, value)| keyword != "type" || !needless(value));
    let constant = kept.map(|(keyword, value)| match &*keyword {
        "enum" => ("const".to_owned(), only.clone()),
        _ => (keyword, value),
    });
    constant.collect()
}
