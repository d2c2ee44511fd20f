//! The keywords of JSON Schema, of OpenAPI and of structural schemas, each with its properties.
//!
//! ```
//! use kvrules_syntax::schema_keyword::{KeywordContent, KeywordRole, find_keyword};
//!
//! let keyword = find_keyword("patternProperties").unwrap();
//! assert_eq!((keyword.role, keyword.content), (KeywordRole::Member, KeywordContent::SchemaMap));
//! assert!(find_keyword("maxLenght").is_none());
//! ```

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value as Json;

use KeywordContent::{Data, Other, Schema, SchemaList, SchemaMap};
use KeywordDialect::{Current, Kubernetes, Older, OpenApi};
use KeywordRole::{Annotation, Branch, Extension, Member, Reference, Size, Value};

/// A keyword of schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaKeyword {
    /// Its name.
    pub name: &'static str,
    /// Its effect on values.
    pub role: KeywordRole,
    /// The kind of its value.
    pub content: KeywordContent,
    /// The specification that defines it.
    pub dialect: KeywordDialect,
}

/// Effect of a keyword on the values that a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeywordRole {
    /// It limits a value by itself.
    Value,
    /// It limits the number of items or properties.
    Size,
    /// It limits items or properties.
    Member,
    /// It combines schemas about the same value.
    Branch,
    /// It identifies schemas or refers to them.
    Reference,
    /// It informs readers and tools, or is part of the document around schemas.
    Annotation,
    /// An API server of Kubernetes processes it.
    Extension,
}

/// Kind of a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeywordContent {
    /// One schema.
    Schema,
    /// A list of schemas.
    SchemaList,
    /// Schemas by name.
    SchemaMap,
    /// Values of the kind that the schema describes.
    Data,
    /// Anything else.
    Other,
}

/// Specification that defines a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeywordDialect {
    /// JSON Schema 2020-12.
    Current,
    /// Only older drafts of JSON Schema.
    Older,
    /// OpenAPI 2.0 and 3.0.
    OpenApi,
    /// Structural schemas of CustomResourceDefinitions.
    Kubernetes,
}

/// Marks values that may be integers or strings.
pub const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
/// Keeps properties that the schema does not declare.
pub const PRESERVE_UNKNOWN_FIELDS: &str = "x-kubernetes-preserve-unknown-fields";
/// Marks objects that are whole resources.
pub const EMBEDDED_RESOURCE: &str = "x-kubernetes-embedded-resource";
/// Merge strategy of a list.
pub const LIST_TYPE: &str = "x-kubernetes-list-type";
/// Properties that identify the items of a list.
pub const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
/// Merge strategy of an object.
pub const MAP_TYPE: &str = "x-kubernetes-map-type";
/// Rules in CEL.
pub const VALIDATIONS: &str = "x-kubernetes-validations";

/// The keywords that hold lists of branches.
pub const BRANCH_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The values of `type`.
pub const TYPE_NAMES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Every keyword; those of one role are together, in the order in which comparisons report them.
pub const KEYWORDS: &[SchemaKeyword] = &[
    keyword("type", Value, Other, Current),
    keyword(INT_OR_STRING, Value, Other, Kubernetes),
    keyword("enum", Value, Data, Current),
    keyword("const", Value, Data, Current),
    keyword("minimum", Value, Other, Current),
    keyword("exclusiveMinimum", Value, Other, Current),
    keyword("maximum", Value, Other, Current),
    keyword("exclusiveMaximum", Value, Other, Current),
    keyword("multipleOf", Value, Other, Current),
    keyword("minLength", Value, Other, Current),
    keyword("maxLength", Value, Other, Current),
    keyword("pattern", Value, Other, Current),
    keyword("format", Value, Other, Current),
    keyword("nullable", Value, Other, OpenApi),
    keyword("minItems", Size, Other, Current),
    keyword("maxItems", Size, Other, Current),
    keyword("minProperties", Size, Other, Current),
    keyword("maxProperties", Size, Other, Current),
    keyword("properties", Member, SchemaMap, Current),
    keyword("patternProperties", Member, SchemaMap, Current),
    keyword("additionalProperties", Member, Schema, Current),
    keyword("unevaluatedProperties", Member, Schema, Current),
    keyword("propertyNames", Member, Schema, Current),
    keyword("required", Member, Other, Current),
    keyword("dependentRequired", Member, Other, Current),
    keyword("dependencies", Member, SchemaMap, Older),
    keyword("items", Member, Schema, Current),
    keyword("prefixItems", Member, SchemaList, Current),
    keyword("additionalItems", Member, Schema, Older),
    keyword("unevaluatedItems", Member, Schema, Current),
    keyword("contains", Member, Schema, Current),
    keyword("minContains", Member, Other, Current),
    keyword("maxContains", Member, Other, Current),
    keyword("uniqueItems", Member, Other, Current),
    keyword("allOf", Branch, SchemaList, Current),
    keyword("anyOf", Branch, SchemaList, Current),
    keyword("oneOf", Branch, SchemaList, Current),
    keyword("not", Branch, Schema, Current),
    keyword("if", Branch, Schema, Current),
    keyword("then", Branch, Schema, Current),
    keyword("else", Branch, Schema, Current),
    keyword("dependentSchemas", Branch, SchemaMap, Current),
    keyword("$ref", Reference, Other, Current),
    keyword("$schema", Reference, Other, Current),
    keyword("$id", Reference, Other, Current),
    keyword("$anchor", Reference, Other, Current),
    keyword("$dynamicAnchor", Reference, Other, Current),
    keyword("$vocabulary", Reference, Other, Current),
    keyword("$comment", Reference, Other, Current),
    keyword("id", Reference, Other, Older),
    keyword("$recursiveAnchor", Reference, Other, Older),
    keyword("$defs", Reference, SchemaMap, Current),
    keyword("definitions", Reference, SchemaMap, Older),
    keyword("title", Annotation, Other, Current),
    keyword("description", Annotation, Other, Current),
    keyword("default", Annotation, Data, Current),
    keyword("examples", Annotation, Data, Current),
    keyword("example", Annotation, Data, OpenApi),
    keyword("readOnly", Annotation, Other, Current),
    keyword("writeOnly", Annotation, Other, Current),
    keyword("deprecated", Annotation, Other, Current),
    keyword("contentEncoding", Annotation, Other, Current),
    keyword("contentMediaType", Annotation, Other, Current),
    keyword("contentSchema", Annotation, Schema, Current),
    keyword("discriminator", Annotation, Other, OpenApi),
    keyword("xml", Annotation, Other, OpenApi),
    keyword("externalDocs", Annotation, Other, OpenApi),
    keyword("components", Annotation, Other, OpenApi),
    keyword("info", Annotation, Other, OpenApi),
    keyword("openapi", Annotation, Other, OpenApi),
    keyword("paths", Annotation, Other, OpenApi),
    keyword("servers", Annotation, Other, OpenApi),
    keyword("swagger", Annotation, Other, OpenApi),
    keyword("tags", Annotation, Other, OpenApi),
    keyword(PRESERVE_UNKNOWN_FIELDS, Extension, Other, Kubernetes),
    keyword(EMBEDDED_RESOURCE, Extension, Other, Kubernetes),
    keyword(LIST_TYPE, Extension, Other, Kubernetes),
    keyword(LIST_MAP_KEYS, Extension, Other, Kubernetes),
    keyword(MAP_TYPE, Extension, Other, Kubernetes),
    keyword(VALIDATIONS, Extension, Other, Kubernetes),
];

const fn keyword(
    name: &'static str,
    role: KeywordRole,
    content: KeywordContent,
    dialect: KeywordDialect,
) -> SchemaKeyword {
    SchemaKeyword { name, role, content, dialect }
}

impl SchemaKeyword {
    /// True if it decides by itself or with its schemas which values are valid. Extensions are not judged.
    pub fn is_constraint(&self) -> bool {
        matches!(self.role, Value | Size | Member | Branch)
    }
}

/// Returns the keyword of this name.
pub fn find_keyword(name: &str) -> Option<&'static SchemaKeyword> {
    static BY_NAME: LazyLock<HashMap<&str, &SchemaKeyword>> =
        LazyLock::new(|| KEYWORDS.iter().map(|keyword| (keyword.name, keyword)).collect());
    BY_NAME.get(name).copied()
}

/// Returns the value of a keyword with each schema directly in it transformed. Other values stay as they are.
pub fn transform_child_schemas(
    keyword: &str,
    value: &Json,
    mut transform: impl FnMut(&Json) -> Json,
) -> Json {
    match (find_keyword(keyword).map(|keyword| keyword.content), value) {
        (Some(SchemaMap), Json::Object(schemas)) => {
            schemas.iter().map(|(name, schema)| (name.clone(), transform(schema))).collect()
        }
        // Before draft 2020-12 `items` was also a list.
        (Some(Schema | SchemaList), Json::Array(schemas)) => schemas.iter().map(transform).collect(),
        (Some(Schema), schema) => transform(schema),
        (_, value) => value.clone(),
    }
}
