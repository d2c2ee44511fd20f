//! The dialect of a document with schemas, and the differences between dialects that no table of keywords shows.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::keywords::SchemaDialect::{
    self, Draft4, Draft6, Draft7, Draft201909, Draft202012, OpenApi30, OpenApi31, Swagger20,
};
use crate::keywords::{SchemaKeyword, find_keyword};

/// Dialect that a document names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedDialect {
    /// A known one; the newest draft if the document names none.
    Known(SchemaDialect),
    /// Another one, with the keyword that names it.
    Unknown(&'static str),
}

impl NamedDialect {
    /// The dialect of a document, by the texts that it has for `openapi`, `swagger`, `jsonSchemaDialect` and `$schema`.
    ///
    /// ```
    /// use kvrules_kubernetes::keywords::{NamedDialect, SchemaDialect};
    ///
    /// let openapi = |key: &str| (key == "openapi").then(|| "3.0.3".into());
    /// assert_eq!(NamedDialect::from_texts(openapi), NamedDialect::Known(SchemaDialect::OpenApi30));
    /// let draft = |key: &str| (key == "$schema").then(|| "https://example.com/schema".into());
    /// assert_eq!(NamedDialect::from_texts(draft), NamedDialect::Unknown("$schema"));
    /// ```
    pub fn from_texts<'t>(text: impl Fn(&str) -> Option<Cow<'t, str>>) -> Self {
        let by_uri = |keyword| match text(keyword).map(|uri| SchemaDialect::from_uri(&uri)) {
            None => Self::Known(Draft202012),
            Some(known) => known.map_or(Self::Unknown(keyword), Self::Known),
        };
        let versions = ["openapi", "swagger"];
        let Some((keyword, version)) = versions.into_iter().find_map(|key| Some((key, text(key)?))) else {
            return by_uri("$schema");
        };
        match version.split('.').take(2).collect::<Vec<_>>().as_slice() {
            ["2", ..] if keyword == "swagger" => Self::Known(Swagger20),
            ["3", "0"] | ["3"] => Self::Known(OpenApi30),
            ["3", "1" | "2"] => match text("jsonSchemaDialect") {
                Some(uri) if !uri.contains("spec.openapis.org") => match by_uri("jsonSchemaDialect") {
                    Self::Known(Draft202012) => Self::Known(OpenApi31),
                    other => other,
                },
                _ => Self::Known(OpenApi31),
            },
            _ => Self::Unknown(keyword),
        }
    }

    /// The dialect by which the document is read: an unknown one is taken for the newest draft.
    pub fn known_or_newest(self) -> SchemaDialect {
        match self {
            Self::Known(dialect) => dialect,
            Self::Unknown(_) => Draft202012,
        }
    }
}

impl SchemaDialect {
    /// The dialect by which a document is read.
    ///
    /// ```
    /// use kvrules_kubernetes::keywords::SchemaDialect;
    ///
    /// let document = serde_json::json!({"swagger": 2.0});
    /// assert_eq!(SchemaDialect::of_document(&document), SchemaDialect::Swagger20);
    /// ```
    pub fn of_document(document: &Json) -> Self {
        let text = |key: &str| match document.get(key)? {
            Json::String(text) => Some(Cow::Borrowed(text.as_str())),
            Json::Number(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        };
        NamedDialect::from_texts(text).known_or_newest()
    }

    /// Returns the dialect that a value of `$schema` names.
    pub fn from_uri(uri: &str) -> Option<Self> {
        let name = uri.trim_end_matches('#').trim_end_matches('/');
        let name = name.strip_prefix("http://").or_else(|| name.strip_prefix("https://"))?;
        match name.strip_prefix("spec.openapis.org/oas/") {
            Some(openapi) if openapi.starts_with("3.0/schema") => return Some(OpenApi30),
            Some(openapi) if openapi.starts_with("3.1/dialect") => return Some(OpenApi31),
            _ => {}
        }
        match name.strip_prefix("json-schema.org/")? {
            // Draft 5 has no meta-schema of its own.
            "draft-04/schema" | "draft-05/schema" => Some(Draft4),
            "draft-06/schema" => Some(Draft6),
            "draft-07/schema" => Some(Draft7),
            "draft/2019-09/schema" => Some(Draft201909),
            "draft/2020-12/schema" | "schema" => Some(Draft202012),
            _ => None,
        }
    }

    /// True for Swagger 2.0 and OpenAPI 3.0, whose schemas are a subset of draft 4 with additions.
    pub fn is_older_openapi(self) -> bool {
        matches!(self, Swagger20 | OpenApi30)
    }

    /// True if keywords next to `$ref` have no effect, as before draft 2019-09.
    pub fn ignores_siblings(self) -> bool {
        matches!(self, Draft4 | Draft6 | Draft7 | Swagger20 | OpenApi30)
    }
}

/// True if a map with these keys is a schema where one is expected: it limits values, or refers to a schema that does.
/// A document that nobody called a schema has to pass the stricter `schema_language` of kvrules-json-schema.
pub fn is_like_schema<'k>(keys: impl IntoIterator<Item = &'k str>) -> bool {
    keys.into_iter().any(|key| key == "$ref" || find_keyword(key).is_some_and(SchemaKeyword::is_constraint))
}
