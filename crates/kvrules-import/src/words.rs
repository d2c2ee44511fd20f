//! Keywords: which there are, and which say anything of values.

use kvrules_cel::object::Format;
use kvrules_syntax::Node;

/// Keywords that decide which values are accepted, as they are named in places.
pub(crate) const MEANINGFUL: &[&str] = &[
    "type",
    "enum",
    "const",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "nullable",
    "default",
];

/// Keywords that tell readers something, or that other keywords point to.
const WITHOUT_MEANING: &[&str] = &[
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$vocabulary",
    "$comment",
    "$defs",
    "$ref",
    "definitions",
    "title",
    "description",
    "example",
    "examples",
    "readOnly",
    "writeOnly",
    "deprecated",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "discriminator",
    "xml",
    "externalDocs",
    // Those of OpenAPI documents.
    "components",
    "info",
    "openapi",
    "paths",
    "servers",
    "swagger",
    "tags",
];

/// Whether a keyword decides which values are accepted.
pub(crate) fn has_meaning(keyword: &str) -> bool {
    MEANINGFUL.contains(&keyword)
}

/// Whether a keyword is one of those that are known.
pub(crate) fn is_known(keyword: &str) -> bool {
    has_meaning(keyword) || WITHOUT_MEANING.contains(&keyword) || keyword.starts_with("x-")
}

/// Whether a map looks like a schema.
pub(crate) fn is_schema(node: Node<'_>) -> bool {
    let says = |keyword: &str| has_meaning(keyword) || keyword == "$ref";
    node.entries().any(|entry| says(entry.key.text()))
}

/// Whether the server enforces a format of strings.
pub(crate) fn is_enforced(format: &str) -> bool {
    Format::named(format).is_some_and(|format| format.ty() == "string")
}

/// Keywords of Kubernetes that a structural schema can have, and that are passed on.
pub(crate) const EXTENSIONS: &[&str] = &[
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
];
