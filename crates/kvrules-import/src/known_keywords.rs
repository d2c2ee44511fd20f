//! Keywords: which there are, and which say anything of values.

use crate::note::ImportEffect;
use kvrules_apiserver::object::Format;
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

/// Keywords that inform readers, or that other keywords point to.
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

/// True if a keyword decides which values are accepted.
pub(crate) fn has_meaning(keyword: &str) -> bool {
    MEANINGFUL.contains(&keyword)
}

/// True if a keyword is one of those that are known.
pub(crate) fn is_known(keyword: &str) -> bool {
    has_meaning(keyword) || WITHOUT_MEANING.contains(&keyword) || keyword.starts_with("x-")
}

/// True if a map looks like a schema.
pub(crate) fn is_schema(node: Node<'_>) -> bool {
    let says = |keyword: &str| has_meaning(keyword) || keyword == "$ref";
    node.entries().any(|entry| says(entry.key.text()))
}

/// True if the server enforces a format of strings.
pub(crate) fn is_enforced(format: &str) -> bool {
    Format::from_name(format).is_some_and(|format| format.value_type() == "string")
}

/// Returns the difference between the server's check of a format and the specification of JSON Schema; `None` if there
/// is none, or if the specification does not define the format.
pub(crate) fn format_loss(format: &str) -> Option<(ImportEffect, &'static str)> {
    FORMAT_LOSSES.iter().find(|(name, ..)| *name == format).map(|(_, effect, message)| (*effect, *message))
}

const FORMAT_LOSSES: &[(&str, ImportEffect, &str)] = &[
    (
        "uri",
        ImportEffect::Both,
        "the server's `uri` also accepts paths such as `/a`, and rejects some hosts (addresses of future versions, escaped letters)",
    ),
    (
        "email",
        ImportEffect::Both,
        "the server's `email` also accepts a name (`Ann <a@b.example>`), and rejects addresses such as `a@[IPv6:::1]`",
    ),
    (
        "hostname",
        ImportEffect::Both,
        "the server's `hostname` also accepts letters of other alphabets, and rejects names such as `a.b1`",
    ),
    ("ipv4", ImportEffect::Wider, "the server's `ipv4` also accepts leading zeros and `::ffff:192.0.2.1`"),
    ("uuid", ImportEffect::Wider, "the server's `uuid` also accepts missing dashes"),
    (
        "date-time",
        ImportEffect::Both,
        "the server's `date-time` also accepts offsets such as `+99:99`, and rejects leap seconds",
    ),
    (
        "duration",
        ImportEffect::Both,
        "the server's `duration` accepts durations such as `1h30m` and `3 days`, and rejects most of ISO 8601, such as `P1Y`",
    ),
];

/// Keywords of Kubernetes that a structural schema can have, and that are passed on.
pub(crate) const EXTENSIONS: &[&str] = &[
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
];
