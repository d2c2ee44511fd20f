//! Dialects of schemas as the checks need them.

use kvrules_kubernetes::keywords::NamedDialect;
use kvrules_kubernetes::keywords::SchemaDialect::{
    self, Draft4, Draft6, Draft7, Draft201909, Draft202012, OpenApi30, OpenApi31, Swagger20,
};
use kvrules_syntax::{Node, SyntaxKind};

/// Returns the dialect of a document, or else the node that names an unknown one.
pub(crate) fn detect_dialect(root: Node<'_>) -> Result<SchemaDialect, Node<'_>> {
    let scalar = |key: &str| root.get(key).filter(|value| !value.is_container());
    match NamedDialect::from_texts(|key| Some(scalar(key)?.text().into())) {
        NamedDialect::Known(dialect) => Ok(dialect),
        NamedDialect::Unknown(keyword) => Err(scalar(keyword).unwrap_or(root)),
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

/// True if `exclusiveMinimum` is a boolean, schemas are objects only, and patterns and URIs are those of draft 4.
pub(crate) fn is_like_draft4(dialect: SchemaDialect) -> bool {
    dialect == Draft4 || dialect.is_older_openapi()
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
