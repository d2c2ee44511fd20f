//! Documents that are schemas, recognized by their content.

use kvrules_syntax::Node;

/// Language of a document that is a schema or has schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaLanguage {
    /// A JSON Schema.
    JsonSchema,
    /// An OpenAPI or Swagger document.
    OpenApi,
}

/// The language of a document that is a schema beyond doubt; none for any other. A file that only refers to a schema by
/// `$schema`, as configurations do, is none.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_json_schema::{SchemaLanguage, schema_language};
/// use kvrules_syntax::parse_stream;
///
/// let stream = parse_stream(FileId(0), "openapi: 3.0.0\npaths: {}\n");
/// assert_eq!(schema_language(stream.documents[0].root().unwrap()), Some(SchemaLanguage::OpenApi));
/// ```
pub fn schema_language(root: Node<'_>) -> Option<SchemaLanguage> {
    let is_object = root.get("kind").is_some() && root.get("apiVersion").is_some();
    let version = |key: &str| root.get(key).is_some_and(|version| !version.is_map() && !version.is_list());
    let parts = ["paths", "components", "definitions", "webhooks", "info"];
    if (version("openapi") || version("swagger")) && parts.iter().any(|part| root.get(part).is_some()) {
        return Some(SchemaLanguage::OpenApi);
    }
    let names_draft = root.get("$schema").is_some_and(|draft| draft.text().contains("json-schema.org"));
    let describes = root.get("type").is_some_and(|kind| kind.text() == "object")
        && root.get("properties").is_some_and(|all| all.entries().any(|entry| entry.value.is_map()));
    (!is_object && (names_draft || describes)).then_some(SchemaLanguage::JsonSchema)
}
