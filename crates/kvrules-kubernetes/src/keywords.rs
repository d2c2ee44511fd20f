//! The keywords of JSON Schema, of OpenAPI and of structural schemas, each with its properties.
//!
//! ```
//! use kvrules_kubernetes::keywords::{KeywordContent, KeywordRole, find_keyword};
//!
//! let keyword = find_keyword("patternProperties").unwrap();
//! assert_eq!((keyword.role, keyword.content), (KeywordRole::Member, KeywordContent::SchemaMap));
//! assert!(find_keyword("maxLenght").is_none());
//! ```

mod dialect;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value as Json;

pub use dialect::{NamedDialect, is_like_schema};

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
    /// The dialects that define it, one bit each.
    dialects: u8,
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

/// A dialect of schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaDialect {
    /// JSON Schema draft 4.
    Draft4 = 1,
    /// JSON Schema draft 6.
    Draft6 = 2,
    /// JSON Schema draft 7.
    Draft7 = 4,
    /// JSON Schema 2019-09.
    Draft201909 = 8,
    /// JSON Schema 2020-12.
    Draft202012 = 16,
    /// Swagger 2.0.
    Swagger20 = 32,
    /// OpenAPI 3.0.
    OpenApi30 = 64,
    /// OpenAPI 3.1 and later.
    OpenApi31 = 128,
}

const EVERY: u8 = 0xFF;
const NO_SCHEMA: u8 = 0;
const ONLY_DRAFT4: u8 = SchemaDialect::Draft4 as u8;
const ONLY_2019: u8 = SchemaDialect::Draft201909 as u8;
const ONLY_OPENAPI30: u8 = SchemaDialect::OpenApi30 as u8;
const EVERY_BUT_SWAGGER: u8 = EVERY ^ SchemaDialect::Swagger20 as u8;
const OPENAPI: u8 =
    SchemaDialect::Swagger20 as u8 | SchemaDialect::OpenApi30 as u8 | SchemaDialect::OpenApi31 as u8;
const SINCE_2020: u8 = SchemaDialect::Draft202012 as u8 | SchemaDialect::OpenApi31 as u8;
const SINCE_2019: u8 = SINCE_2020 | ONLY_2019;
const SINCE_2019_AND_OPENAPI30: u8 = SINCE_2019 | ONLY_OPENAPI30;
const SINCE_DRAFT7: u8 = SINCE_2019 | SchemaDialect::Draft7 as u8;
const SINCE_DRAFT7_AND_OPENAPI30: u8 = SINCE_DRAFT7 | ONLY_OPENAPI30;
const SINCE_DRAFT7_AND_OPENAPI: u8 = SINCE_DRAFT7 | OPENAPI;
const SINCE_DRAFT6: u8 = SINCE_DRAFT7 | SchemaDialect::Draft6 as u8;
const DRAFTS: u8 = SINCE_DRAFT6 | ONLY_DRAFT4;
const UNTIL_DRAFT7: u8 = DRAFTS ^ SINCE_2019;
const UNTIL_2019: u8 = DRAFTS ^ SINCE_2020;

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
/// Beginning of the keywords of Kubernetes.
pub const KUBERNETES_PREFIX: &str = "x-kubernetes-";
/// Kinds of objects that a schema or an operation of Kubernetes' OpenAPI document is about.
pub const GROUP_VERSION_KIND: &str = "x-kubernetes-group-version-kind";

/// The keywords that hold lists of branches.
pub const BRANCH_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The values of `type`.
pub const TYPE_NAMES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Every keyword; those of one role are together, in the order in which comparisons report them.
pub const KEYWORDS: &[SchemaKeyword] = &[
    keyword("type", Value, Other, Current, EVERY),
    keyword(INT_OR_STRING, Value, Other, Kubernetes, EVERY),
    keyword("enum", Value, Data, Current, EVERY),
    keyword("const", Value, Data, Current, SINCE_DRAFT6),
    keyword("minimum", Value, Other, Current, EVERY),
    keyword("exclusiveMinimum", Value, Other, Current, EVERY),
    keyword("maximum", Value, Other, Current, EVERY),
    keyword("exclusiveMaximum", Value, Other, Current, EVERY),
    keyword("multipleOf", Value, Other, Current, EVERY),
    keyword("minLength", Value, Other, Current, EVERY),
    keyword("maxLength", Value, Other, Current, EVERY),
    keyword("pattern", Value, Other, Current, EVERY),
    keyword("format", Value, Other, Current, EVERY),
    keyword("nullable", Value, Other, OpenApi, ONLY_OPENAPI30),
    keyword("minItems", Size, Other, Current, EVERY),
    keyword("maxItems", Size, Other, Current, EVERY),
    keyword("minProperties", Size, Other, Current, EVERY),
    keyword("maxProperties", Size, Other, Current, EVERY),
    keyword("properties", Member, SchemaMap, Current, EVERY),
    keyword("patternProperties", Member, SchemaMap, Current, DRAFTS),
    keyword("additionalProperties", Member, Schema, Current, EVERY),
    keyword("unevaluatedProperties", Member, Schema, Current, SINCE_2019),
    keyword("propertyNames", Member, Schema, Current, SINCE_DRAFT6),
    keyword("required", Member, Other, Current, EVERY),
    keyword("dependentRequired", Member, Other, Current, SINCE_2019),
    keyword("dependencies", Member, SchemaMap, Older, UNTIL_DRAFT7),
    keyword("items", Member, Schema, Current, EVERY),
    keyword("prefixItems", Member, SchemaList, Current, SINCE_2020),
    keyword("additionalItems", Member, Schema, Older, UNTIL_2019),
    keyword("unevaluatedItems", Member, Schema, Current, SINCE_2019),
    keyword("contains", Member, Schema, Current, SINCE_DRAFT6),
    keyword("minContains", Member, Other, Current, SINCE_2019),
    keyword("maxContains", Member, Other, Current, SINCE_2019),
    keyword("uniqueItems", Member, Other, Current, EVERY),
    keyword("allOf", Branch, SchemaList, Current, EVERY),
    keyword("anyOf", Branch, SchemaList, Current, EVERY_BUT_SWAGGER),
    keyword("oneOf", Branch, SchemaList, Current, EVERY_BUT_SWAGGER),
    keyword("not", Branch, Schema, Current, EVERY_BUT_SWAGGER),
    keyword("if", Branch, Schema, Current, SINCE_DRAFT7),
    keyword("then", Branch, Schema, Current, SINCE_DRAFT7),
    keyword("else", Branch, Schema, Current, SINCE_DRAFT7),
    keyword("dependentSchemas", Branch, SchemaMap, Current, SINCE_2019),
    keyword("$ref", Reference, Other, Current, EVERY),
    keyword("$schema", Reference, Other, Current, DRAFTS),
    keyword("$id", Reference, Other, Current, SINCE_DRAFT6),
    keyword("$anchor", Reference, Other, Current, SINCE_2019),
    keyword("$dynamicAnchor", Reference, Other, Current, SINCE_2020),
    keyword("$dynamicRef", Reference, Other, Current, SINCE_2020),
    keyword("$vocabulary", Reference, Other, Current, SINCE_2019),
    keyword("$comment", Reference, Other, Current, SINCE_DRAFT7),
    keyword("id", Reference, Other, Older, ONLY_DRAFT4),
    keyword("$recursiveAnchor", Reference, Other, Older, ONLY_2019),
    keyword("$recursiveRef", Reference, Other, Older, ONLY_2019),
    keyword("$defs", Reference, SchemaMap, Current, SINCE_2019),
    keyword("definitions", Reference, SchemaMap, Older, DRAFTS),
    keyword("title", Annotation, Other, Current, EVERY),
    keyword("description", Annotation, Other, Current, EVERY),
    keyword("default", Annotation, Data, Current, EVERY),
    keyword("examples", Annotation, Data, Current, SINCE_DRAFT6),
    keyword("example", Annotation, Data, OpenApi, OPENAPI),
    keyword("readOnly", Annotation, Other, Current, SINCE_DRAFT7_AND_OPENAPI),
    keyword("writeOnly", Annotation, Other, Current, SINCE_DRAFT7_AND_OPENAPI30),
    keyword("deprecated", Annotation, Other, Current, SINCE_2019_AND_OPENAPI30),
    keyword("contentEncoding", Annotation, Other, Current, SINCE_DRAFT7),
    keyword("contentMediaType", Annotation, Other, Current, SINCE_DRAFT7),
    keyword("contentSchema", Annotation, Schema, Current, SINCE_2019),
    keyword("discriminator", Annotation, Other, OpenApi, OPENAPI),
    keyword("xml", Annotation, Other, OpenApi, OPENAPI),
    keyword("externalDocs", Annotation, Other, OpenApi, OPENAPI),
    keyword("components", Annotation, Other, OpenApi, NO_SCHEMA),
    keyword("info", Annotation, Other, OpenApi, NO_SCHEMA),
    keyword("openapi", Annotation, Other, OpenApi, NO_SCHEMA),
    keyword("paths", Annotation, Other, OpenApi, NO_SCHEMA),
    keyword("servers", Annotation, Other, OpenApi, NO_SCHEMA),
    keyword("swagger", Annotation, Other, OpenApi, NO_SCHEMA),
    keyword("tags", Annotation, Other, OpenApi, NO_SCHEMA),
    keyword(PRESERVE_UNKNOWN_FIELDS, Extension, Other, Kubernetes, EVERY),
    keyword(EMBEDDED_RESOURCE, Extension, Other, Kubernetes, EVERY),
    keyword(LIST_TYPE, Extension, Other, Kubernetes, EVERY),
    keyword(LIST_MAP_KEYS, Extension, Other, Kubernetes, EVERY),
    keyword(MAP_TYPE, Extension, Other, Kubernetes, EVERY),
    keyword(VALIDATIONS, Extension, Other, Kubernetes, EVERY),
];

const fn keyword(
    name: &'static str,
    role: KeywordRole,
    content: KeywordContent,
    dialect: KeywordDialect,
    dialects: u8,
) -> SchemaKeyword {
    SchemaKeyword { name, role, content, dialect, dialects }
}

impl SchemaKeyword {
    /// True if it decides by itself or with its schemas which values are valid. Extensions are not evaluated.
    pub fn is_constraint(&self) -> bool {
        matches!(self.role, Value | Size | Member | Branch)
    }

    /// True if a dialect defines it.
    ///
    /// ```
    /// use kvrules_kubernetes::keywords::{SchemaDialect, find_keyword};
    ///
    /// let keyword = find_keyword("const").unwrap();
    /// assert!(keyword.is_defined_in(SchemaDialect::Draft6) && !keyword.is_defined_in(SchemaDialect::OpenApi30));
    /// ```
    pub fn is_defined_in(&self, dialect: SchemaDialect) -> bool {
        self.dialects & dialect as u8 != 0
    }

    /// The types of the values that it limits; none if it limits values of every type, or none.
    ///
    /// ```
    /// use kvrules_kubernetes::keywords::find_keyword;
    ///
    /// assert_eq!(find_keyword("maximum").unwrap().limited_types(), ["number", "integer"]);
    /// assert!(find_keyword("enum").unwrap().limited_types().is_empty());
    /// ```
    pub fn limited_types(&self) -> &'static [&'static str] {
        match self.name {
            "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" | "multipleOf" => {
                &["number", "integer"]
            }
            "minLength" | "maxLength" | "pattern" => &["string"],
            "minItems" | "maxItems" | "uniqueItems" | "items" | "prefixItems" | "additionalItems"
            | "unevaluatedItems" | "contains" | "minContains" | "maxContains" => &["array"],
            "minProperties"
            | "maxProperties"
            | "properties"
            | "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "required"
            | "dependentRequired"
            | "dependentSchemas"
            | "dependencies" => &["object"],
            _ => &[],
        }
    }
}

/// Returns the keyword of this name.
pub fn find_keyword(name: &str) -> Option<&'static SchemaKeyword> {
    static BY_NAME: LazyLock<HashMap<&str, &SchemaKeyword>> =
        LazyLock::new(|| KEYWORDS.iter().map(|keyword| (keyword.name, keyword)).collect());
    BY_NAME.get(name).copied()
}

/// Returns a document without the keywords next to `$ref` that have no effect in it.
///
/// ```
/// use kvrules_kubernetes::keywords::without_ignored_siblings;
/// use serde_json::json;
///
/// let older = json!({
///     "$schema": "http://json-schema.org/draft-07/schema#",
///     "properties": {"port": {"$ref": "#/definitions/port", "minimum": 100}},
/// });
/// assert_eq!(without_ignored_siblings(&older)["properties"]["port"], json!({"$ref": "#/definitions/port"}));
/// let newer = json!({"properties": {"port": {"$ref": "#/$defs/port", "minimum": 100}}});
/// assert_eq!(without_ignored_siblings(&newer), newer);
/// ```
pub fn without_ignored_siblings(document: &Json) -> Json {
    if !SchemaDialect::of_document(document).ignores_siblings() {
        return document.clone();
    }
    let mut read = drop_siblings(document, 0);
    let schemas = read.pointer_mut("/components/schemas").and_then(Json::as_object_mut);
    for (_, schema) in schemas.into_iter().flatten() {
        *schema = drop_siblings(schema, 0);
    }
    read
}

/// Schemas are not read deeper.
const DEEPEST: usize = 500;

/// Keywords next to `$ref` that constrain nothing: schemas to refer to, and the dialect.
const NO_CONSTRAINTS: [&str; 7] =
    ["$ref", "$schema", "$defs", "definitions", "components", "openapi", "swagger"];

fn drop_siblings(schema: &Json, depth: usize) -> Json {
    let Some(keywords) = schema.as_object().filter(|_| depth < DEEPEST) else { return schema.clone() };
    let is_reference = keywords.get("$ref").is_some_and(Json::is_string);
    let kept = keywords.iter().filter(|(name, _)| !is_reference || NO_CONSTRAINTS.contains(&name.as_str()));
    let below = |schema: &Json| drop_siblings(schema, depth + 1);
    kept.map(|(name, value)| (name.clone(), transform_child_schemas(name, value, below))).collect()
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
