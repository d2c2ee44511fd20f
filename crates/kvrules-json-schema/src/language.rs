//! Documents that are schemas, recognized by their content.

use kvrules_kubernetes::keywords::{BRANCH_LISTS, TYPE_NAMES};
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
    let is_schema = || names_draft || describes_object(root) || has_definitions(root);
    (!is_object && is_schema()).then_some(SchemaLanguage::JsonSchema)
}

/// True if a document without `$schema` describes the fields of objects.
fn describes_object(root: Node<'_>) -> bool {
    let Some(properties) = root.get("properties") else { return false };
    let says_object =
        root.get("type").is_some_and(|kind| kind.text() == "object" || has_type(kind, "object"));
    // `properties` alone is a key of many configurations.
    let is_typed = |schema: Node<'_>| schema.get("type").or_else(|| schema.get("$ref")).is_some();
    let has_schemas = || properties.entries().any(|entry| is_typed(entry.value));
    let has_keyword = || WITH_PROPERTIES.iter().any(|keyword| root.get(keyword).is_some());
    let has_maps = || properties.entries().any(|entry| entry.value.is_map());
    let is_empty = || properties.is_map() && properties.entries().next().is_none();
    (says_object && (has_maps() || is_empty())) || (has_keyword() && has_schemas())
}

/// True for a list of types that has one.
fn has_type(types: Node<'_>, name: &str) -> bool {
    types.items().any(|kind| kind.text() == name)
}

/// True if a document without `$schema` has schemas to refer to. `definitions` alone is a key of many configurations.
fn has_definitions(root: Node<'_>) -> bool {
    let lists = ["$defs", "definitions"].into_iter().filter_map(|keyword| root.get(keyword));
    let are_schemas = |list: Node<'_>| {
        list.entries().all(|entry| entry.value.is_map())
            && list.entries().any(|entry| has_schema_keyword(entry.value))
    };
    lists.into_iter().any(are_schemas)
}

/// True if a map has one of the keywords that are in nearly every schema, with a value that it can have.
fn has_schema_keyword(schema: Node<'_>) -> bool {
    let is_type = |kind: Node<'_>| TYPE_NAMES.iter().any(|name| kind.text() == *name || has_type(kind, name));
    let lists = BRANCH_LISTS.into_iter().chain(["enum"]);
    schema.get("type").is_some_and(is_type)
        || schema.get("properties").is_some_and(Node::is_map)
        || schema.get("$ref").is_some_and(|reference| reference.as_str().is_some())
        || lists.into_iter().any(|keyword| schema.get(keyword).is_some_and(Node::is_list))
}

/// Keywords of which one is next to `properties` in most schemas that name no type.
const WITH_PROPERTIES: [&str; 7] =
    ["$defs", "definitions", "$id", "additionalProperties", "patternProperties", "required", "allOf"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_without_type_or_draft_is_known_by_its_keywords() {
        let language = |text: &str| {
            let stream = kvrules_syntax::parse_stream(kvrules_diagnostics::FileId(0), text);
            stream.documents.first().and_then(kvrules_syntax::Document::root).and_then(schema_language)
        };
        let schema = Some(SchemaLanguage::JsonSchema);
        assert_eq!(language("additionalProperties: false\nproperties: {a: {type: string}}\n"), schema);
        assert_eq!(language("definitions: {b: {}}\nproperties: {a: {$ref: '#/definitions/b'}}\n"), schema);
        assert_eq!(language("properties: {a: {type: string}}\n"), None, "any configuration");
        assert_eq!(language("required: true\nproperties: {a: 5}\n"), None);
        assert_eq!(language("type: [object, 'null']\nproperties: {a: {}}\n"), schema);
        assert_eq!(language("type: object\nproperties: {}\n"), schema);
        assert_eq!(language("definitions: {port: {type: integer}, name: {enum: [a]}}\n"), schema);
        assert_eq!(language("$ref: '#/$defs/a'\n$defs: {a: {allOf: [{type: string}]}}\n"), schema);
        assert_eq!(language("definitions: {steps: {script: [make]}}\n"), None, "a configuration");
        assert_eq!(language("definitions: {service: {type: docker}}\n"), None, "another kind of type");
        assert_eq!(language("definitions: {port: {type: integer}, version: 5}\n"), None);
    }
}
