//! Invariants of a structural schema: the spine declares everything, branches only narrow it.

use kvrules_kubernetes::keywords::{
    EMBEDDED_RESOURCE, INT_OR_STRING, KUBERNETES_PREFIX, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE,
    PRESERVE_UNKNOWN_FIELDS, VALIDATIONS,
};
use serde_json::{Value, json};

use crate::field_error::{ErrorType, FieldError};
use crate::server::ServerFeatures;

use crate::node::{
    SchemaPath, SchemaStep, array_elements, bool_keyword, branch_nodes, has_keyword, is_set, is_zero,
    object_entries, schema_keyword, spine_nodes, text_keyword, value_of,
};

/// Level of a node of the spine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SchemaLevel {
    Root,
    Item,
    Field,
}

/// The errors of the whole schema.
pub(super) fn check_root(schema: &Value, path: &str, server: &ServerFeatures, errors: &mut Vec<FieldError>) {
    check_node(schema, &SchemaPath::root(path), SchemaLevel::Root, server, errors);
}

// apiextensions schema/validation.go, validateStructuralInvariants
fn check_node(
    schema: &Value,
    path: &SchemaPath<'_>,
    level: SchemaLevel,
    server: &ServerFeatures,
    errors: &mut Vec<FieldError>,
) {
    for (step, child) in spine_nodes(schema) {
        let level = if step == SchemaStep::Keyword("items") { SchemaLevel::Item } else { SchemaLevel::Field };
        check_node(child, &path.join(step), level, server, errors);
    }
    let mut refuse = |error_type, step: &str, detail: &str| {
        errors.push(FieldError::new(error_type, format!("{path}.{step}"), detail));
    };
    check_shape(schema, level, &mut refuse);
    if has_keyword(schema, |keyword| matches!(keyword, INT_OR_STRING | EMBEDDED_RESOURCE)) {
        check_extensions(schema, &mut refuse);
    }
    let checks_meta = level == SchemaLevel::Root || bool_keyword(schema, EMBEDDED_RESOURCE);
    if checks_meta {
        check_metadata_fields(schema, level, path, errors);
    }
    // Fast path: most nodes have no branches.
    if !has_keyword(schema, |keyword| matches!(keyword, "allOf" | "anyOf" | "oneOf" | "not")) {
        return;
    }
    // The one place where branches may name types: `anyOf` of integer and string, in the node or its first `allOf`.
    let skip_any = is_int_or_string(schema);
    let skip_first_all =
        array_elements(schema, "allOf").next().is_some_and(|(_, first)| is_int_or_string(first));
    for (step, branch) in branch_nodes(schema) {
        if skip_any && is_any_of(step) {
            continue;
        }
        let skip_any = skip_first_all && step == SchemaStep::Element("allOf", 0);
        let mut check = BranchCheck { allows_closed: server.definitions.allows_closed_branches, errors };
        check.check_branch(branch, &path.join(step), skip_any);
    }
}

type ReportStrError<'a> = dyn FnMut(ErrorType, &str, &str) + 'a;

fn check_shape(schema: &Value, level: SchemaLevel, refuse: &mut ReportStrError<'_>) {
    let ty = text_keyword(schema, "type");
    if ty == "array" && !value_of(schema, "items").is_some_and(Value::is_object) {
        refuse(ErrorType::Required, "items", "must be specified");
    }
    if level == SchemaLevel::Root {
        if is_set(schema, "additionalProperties") {
            refuse(ErrorType::Forbidden, "additionalProperties", "must not be used at the root");
        }
        if !ty.is_empty() && ty != "object" {
            refuse(ErrorType::Invalid, "type", "must be object at the root");
        }
    }
    if ty == "object" {
        return;
    }
    if bool_keyword(schema, EMBEDDED_RESOURCE) {
        let error_type = if ty.is_empty() { ErrorType::Required } else { ErrorType::Invalid };
        refuse(error_type, "type", "must be object if x-kubernetes-embedded-resource is true");
    } else if ty.is_empty()
        && !bool_keyword(schema, PRESERVE_UNKNOWN_FIELDS)
        && !bool_keyword(schema, INT_OR_STRING)
    {
        let detail = match level {
            SchemaLevel::Root => "must not be empty at the root",
            SchemaLevel::Item => "must not be empty for specified array items",
            SchemaLevel::Field => "must not be empty for specified object fields",
        };
        refuse(ErrorType::Required, "type", detail);
    }
}

/// True if `additionalProperties` of a branch allows more; a bare `false` does not.
fn allows_more(schema: &Value) -> bool {
    schema
        .get("additionalProperties")
        .is_some_and(|values| values.is_object() || values.as_bool() == Some(true))
}

// apiextensions schema/validation.go, validateExtensions
fn check_extensions(schema: &Value, refuse: &mut ReportStrError<'_>) {
    if bool_keyword(schema, INT_OR_STRING) {
        for keyword in [PRESERVE_UNKNOWN_FIELDS, EMBEDDED_RESOURCE] {
            if bool_keyword(schema, keyword) {
                refuse(ErrorType::Invalid, keyword, "must be false if x-kubernetes-int-or-string is true");
            }
        }
    }
    if !bool_keyword(schema, EMBEDDED_RESOURCE) {
        return;
    }
    if is_set(schema, "additionalProperties") {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        refuse(ErrorType::Forbidden, "additionalProperties", detail);
    }
    if !bool_keyword(schema, PRESERVE_UNKNOWN_FIELDS) && object_entries(schema, "properties").next().is_none()
    {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        refuse(ErrorType::Required, "properties", detail);
    }
}

/// The fields that every resource has.
fn check_metadata_fields(
    schema: &Value,
    level: SchemaLevel,
    path: &SchemaPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    for (name, property) in object_entries(schema, "properties") {
        let path = path.join(SchemaStep::Property(name));
        let ty = text_keyword(property, "type");
        match name.as_str() {
            "kind" | "apiVersion" if ty != "string" => {
                errors.push(FieldError::new(ErrorType::Invalid, format!("{path}.type"), "must be string"));
            }
            "metadata" => {
                if ty != "object" {
                    errors.push(FieldError::new(
                        ErrorType::Invalid,
                        format!("{path}.type"),
                        "must be object",
                    ));
                }
                if level == SchemaLevel::Root && !is_plain_meta(property) {
                    let detail = "must not specify anything other than name and generateName, but metadata is \
                                  implicitly specified";
                    errors.push(FieldError::new(ErrorType::Forbidden, path.to_string(), detail));
                }
            }
            _ => {}
        }
    }
}

/// True if metadata declares only its type, and perhaps `name` and `generateName`.
// apiextensions schema/validation.go, validateStructuralMetadataInvariants
fn is_plain_meta(metadata: &Value) -> bool {
    let Some(keywords) = metadata.as_object() else { return false };
    keywords.iter().all(|(keyword, value)| match keyword.as_str() {
        "type" | "default" | "example" | "externalDocs" => true,
        "properties" => object_entries(metadata, "properties")
            .all(|(name, _)| matches!(name.as_str(), "name" | "generateName")),
        // An empty list of rules is more than none.
        VALIDATIONS => value.is_null(),
        _ => is_zero(value) || !is_kept(keyword),
    })
}

/// True if the server keeps a keyword when it makes a structural schema.
fn is_kept(keyword: &str) -> bool {
    const KEPT: &[&str] = &[
        "title",
        "description",
        "nullable",
        "items",
        "format",
        "maximum",
        "exclusiveMaximum",
        "minimum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "minItems",
        "uniqueItems",
        "multipleOf",
        "enum",
        "maxProperties",
        "minProperties",
        "required",
        "allOf",
        "oneOf",
        "anyOf",
        "not",
    ];
    KEPT.contains(&keyword) || keyword == "additionalProperties" || keyword.starts_with(KUBERNETES_PREFIX)
}

/// True if `anyOf` is the one exact form that may name types.
// apiextensions schema/validation.go, isIntOrStringAnyOfPattern and isIntOrStringAllOfPattern
fn is_int_or_string(node: &Value) -> bool {
    value_of(node, "anyOf").is_some_and(|any| *any == json!([{"type": "integer"}, {"type": "string"}]))
}

fn is_any_of(step: SchemaStep<'_>) -> bool {
    matches!(step, SchemaStep::Element("anyOf", _))
}

/// Keywords that only the spine may have, with the server's word for what they must be.
const SPINE_ONLY: &[(&str, &str)] = &[
    ("type", "empty"),
    ("title", "empty"),
    ("description", "empty"),
    ("nullable", "false"),
    (PRESERVE_UNKNOWN_FIELDS, "false"),
    (EMBEDDED_RESOURCE, "false"),
    (INT_OR_STRING, "false"),
    (LIST_MAP_KEYS, "empty"),
    (LIST_TYPE, "undefined"),
    (MAP_TYPE, "undefined"),
    (VALIDATIONS, "empty"),
];

struct BranchCheck<'e> {
    /// True if `additionalProperties` may be `false`.
    allows_closed: bool,
    errors: &'e mut Vec<FieldError>,
}

impl BranchCheck<'_> {
    /// Adds the errors in a branch.
    // apiextensions schema/validation.go, validateNestedValueValidation
    fn check_branch(&mut self, branch: &Value, path: &SchemaPath<'_>, skip_any: bool) {
        let mut refuse = |step: &str, detail: String| {
            self.errors.push(FieldError::new(ErrorType::Forbidden, format!("{path}.{step}"), detail));
        };
        for (keyword, wanted) in SPINE_ONLY {
            let value = value_of(branch, keyword);
            let counts = if *wanted == "undefined" {
                is_set(branch, keyword)
            } else {
                value.is_some_and(|v| !is_zero(v))
            };
            if counts {
                refuse(keyword, format!("must be {wanted} to be structural"));
            }
        }
        let is_closed = branch.get("additionalProperties") == Some(&Value::Bool(false));
        if allows_more(branch) || is_closed && !self.allows_closed {
            refuse("additionalProperties", "must be undefined to be structural".to_owned());
        }
        if is_set(branch, "default") {
            refuse("default", "must be undefined to be structural".to_owned());
        }
        // Only the root may restrict metadata, and only `name` and `generateName`.
        if object_entries(branch, "properties").any(|(name, _)| name == "metadata") {
            refuse("properties[metadata]", "must not be specified in a nested context".to_owned());
        }
        for (step, inner) in branch_nodes(branch) {
            if !(skip_any && is_any_of(step)) {
                self.check_branch(inner, &path.join(step), false);
            }
        }
        for (name, property) in object_entries(branch, "properties") {
            self.check_branch(property, &path.join(SchemaStep::Property(name)), false);
        }
        if let Some(items) = schema_keyword(branch, "items") {
            self.check_branch(items, &path.join(SchemaStep::Keyword("items")), false);
        }
    }
}
