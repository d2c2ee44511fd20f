//! Dialects of schemas: the one of a document, and the differences that no table of keywords shows.

use kvrules_schema_keywords::SchemaDialect::{
    self, Draft4, Draft6, Draft7, Draft201909, Draft202012, OpenApi30, OpenApi31, Swagger20,
};
use kvrules_syntax::{Node, SyntaxKind};

use crate::language::SchemaLanguage;

/// Dialect of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DocumentDialect<'d> {
    /// One that is checked.
    Known(SchemaDialect),
    /// Another one, by the node that names it.
    Unknown(Node<'d>),
}

impl<'d> DocumentDialect<'d> {
    /// The dialect of a document, by `$schema`, `openapi` or `swagger`; the newest draft if none is given.
    pub(crate) fn detect_dialect(root: Node<'d>, language: SchemaLanguage) -> Self {
        if language == SchemaLanguage::JsonSchema {
            let named = root.get("$schema").filter(|name| name.as_str().is_some());
            return named.map_or(Self::Known(Draft202012), Self::from_name);
        }
        let Some(version) = root.get("openapi").or_else(|| root.get("swagger")) else {
            return Self::Known(OpenApi31);
        };
        let text = version.text();
        match text.split('.').take(2).collect::<Vec<_>>().as_slice() {
            ["2", ..] if root.get("openapi").is_none() => Self::Known(Swagger20),
            ["3", "0"] | ["3"] => Self::Known(OpenApi30),
            ["3", "1" | "2"] => {
                let of_schemas = root.get("jsonSchemaDialect").filter(|name| name.as_str().is_some());
                match of_schemas
                    .filter(|name| !name.text().contains("spec.openapis.org"))
                    .map(Self::from_name)
                {
                    None | Some(Self::Known(Draft202012)) => Self::Known(OpenApi31),
                    Some(other) => other,
                }
            }
            _ => Self::Unknown(version),
        }
    }

    fn from_name(name: Node<'d>) -> Self {
        draft_from_uri(name.text()).map_or(Self::Unknown(name), Self::Known)
    }
}

/// Returns the draft that a value of `$schema` names.
pub(crate) fn draft_from_uri(uri: &str) -> Option<SchemaDialect> {
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

/// Returns the name of a dialect for messages.
pub(crate) fn dialect_name(dialect: SchemaDialect) -> &'static str {
    match dialect {
        Draft4 => "draft 4",
        Draft6 => "draft 6",
        Draft7 => "draft 7",
        Draft201909 => "draft 2019-09",
        Draft202012 => "draft 2020-12",
        Swagger20 => "Swagger 2.0",
        OpenApi30 => "OpenAPI 3.0",
        OpenApi31 => "OpenAPI 3.1",
    }
}

/// True for Swagger 2.0 and OpenAPI 3.0, whose schemas are a subset of draft 4 with additions.
pub(crate) fn is_older_openapi(dialect: SchemaDialect) -> bool {
    matches!(dialect, Swagger20 | OpenApi30)
}

/// True if `exclusiveMinimum` is a boolean, schemas are objects only, and patterns and URIs are those of draft 4.
pub(crate) fn is_like_draft4(dialect: SchemaDialect) -> bool {
    dialect == Draft4 || is_older_openapi(dialect)
}

/// True if keywords next to `$ref` have no effect, as before draft 2019-09.
pub(crate) fn ignores_siblings(dialect: SchemaDialect) -> bool {
    matches!(dialect, Draft4 | Draft6 | Draft7 | Swagger20 | OpenApi30)
}

/// True if `items` may be a list of schemas.
pub(crate) fn has_item_lists(dialect: SchemaDialect) -> bool {
    matches!(dialect, Draft4 | Draft6 | Draft7 | Draft201909)
}

/// True if a node can be a schema: an object, or a boolean in drafts that have boolean schemas.
pub(crate) fn can_be_schema(node: Node<'_>, dialect: SchemaDialect) -> bool {
    node.is_map() || (matches!(node.kind(), SyntaxKind::True | SyntaxKind::False) && !is_like_draft4(dialect))
}

/// Returns the keyword with the URI of a schema.
pub(crate) fn identifier_keyword(dialect: SchemaDialect) -> Option<&'static str> {
    match dialect {
        Draft4 => Some("id"),
        Draft6 | Draft7 | Draft201909 | Draft202012 | OpenApi31 => Some("$id"),
        Swagger20 | OpenApi30 => None,
    }
}
