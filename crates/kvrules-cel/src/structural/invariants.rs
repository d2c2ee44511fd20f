//! Invariants of a structural schema: the spine declares everything, branches only narrow it.

use serde_json::{Value, json};

use crate::field_error::{ErrorType, FieldError};

use crate::node::{
    SchemaPath, Step, branches, elements, flag, is_set, is_zero, members, schema, spine, text, value_of,
};

const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// Level of a node of the spine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// The errors of the whole schema.
pub(super) fn check_root(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    node(schema, &SchemaPath::root(path), Level::Root, errors);
}

fn node(schema: &Value, path: &SchemaPath<'_>, level: Level, errors: &mut Vec<FieldError>) {
    for (step, child) in spine(schema) {
        let level = if step == Step::Keyword("items") { Level::Item } else { Level::Field };
        node(child, &path.join(step), level, errors);
    }
    let mut refuse = |error_type, step: &str, detail: &str| {
        errors.push(FieldError::new(error_type, format!("{path}.{step}"), detail));
    };
    shape(schema, level, &mut refuse);
    extensions(schema, &mut refuse);
    let checks_meta = level == Level::Root || flag(schema, EMBEDDED);
    if checks_meta {
        meta(schema, level, path, errors);
    }
    let skip_any = is_int_or_string(schema);
    let skip_first_all = elements(schema, "allOf").next().is_some_and(|(_, first)| is_int_or_string(first));
    for (step, branch) in branches(schema) {
        if skip_any && is_any_of(step) {
            continue;
        }
        let skip_any = skip_first_all && step == Step::Element("allOf", 0);
        nested(branch, &path.join(step), skip_any, errors);
    }
}

type Refuse<'a> = dyn FnMut(ErrorType, &str, &str) + 'a;

fn shape(schema: &Value, level: Level, refuse: &mut Refuse<'_>) {
    let ty = text(schema, "type");
    if ty == "array" && !value_of(schema, "items").is_some_and(Value::is_object) {
        refuse(ErrorType::Required, "items", "must be specified");
    }
    if level == Level::Root {
        if is_set(schema, "additionalProperties") {
            refuse(ErrorType::Forbidden, "additionalProperties", "must not be used at the root");
        }
        if !ty.is_empty() && ty != "object" {
            refuse(ErrorType::Invalid, "type", "must be object at the root");
        }
    }
    if flag(schema, EMBEDDED) && ty != "object" {
        let error_type = if ty.is_empty() { ErrorType::Required } else { ErrorType::Invalid };
        refuse(error_type, "type", "must be object if x-kubernetes-embedded-resource is true");
    } else if ty.is_empty() && !flag(schema, PRESERVE) && !flag(schema, INT_OR_STRING) {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
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

fn extensions(schema: &Value, refuse: &mut Refuse<'_>) {
    if flag(schema, INT_OR_STRING) {
        for keyword in [PRESERVE, EMBEDDED] {
            if flag(schema, keyword) {
                refuse(ErrorType::Invalid, keyword, "must be false if x-kubernetes-int-or-string is true");
            }
        }
    }
    if !flag(schema, EMBEDDED) {
        return;
    }
    if is_set(schema, "additionalProperties") {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        refuse(ErrorType::Forbidden, "additionalProperties", detail);
    }
    if !flag(schema, PRESERVE) && members(schema, "properties").next().is_none() {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        refuse(ErrorType::Required, "properties", detail);
    }
}

/// The fields that every resource has.
fn meta(schema: &Value, level: Level, path: &SchemaPath<'_>, errors: &mut Vec<FieldError>) {
    for (name, property) in members(schema, "properties") {
        let path = path.join(Step::Property(name));
        let ty = text(property, "type");
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
                if level == Level::Root && !is_plain_meta(property) {
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
fn is_plain_meta(metadata: &Value) -> bool {
    let Some(keywords) = metadata.as_object() else { return false };
    keywords.iter().all(|(keyword, value)| match keyword.as_str() {
        "type" | "default" | "example" | "externalDocs" => true,
        "properties" => {
            members(metadata, "properties").all(|(name, _)| matches!(name.as_str(), "name" | "generateName"))
        }
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
    KEPT.contains(&keyword) || keyword == "additionalProperties" || keyword.starts_with("x-kubernetes-")
}

/// True if `anyOf` is the one exact form that may name types.
fn is_int_or_string(node: &Value) -> bool {
    value_of(node, "anyOf").is_some_and(|any| *any == json!([{"type": "integer"}, {"type": "string"}]))
}

fn is_any_of(step: Step<'_>) -> bool {
    matches!(step, Step::Element("anyOf", _))
}

/// Keywords that only the spine may have, with the server's word for what they must be.
const SPINE_ONLY: &[(&str, &str)] = &[
    ("type", "empty"),
    ("title", "empty"),
    ("description", "empty"),
    ("nullable", "false"),
    (PRESERVE, "false"),
    (EMBEDDED, "false"),
    (INT_OR_STRING, "false"),
    ("x-kubernetes-list-map-keys", "empty"),
    ("x-kubernetes-list-type", "undefined"),
    ("x-kubernetes-map-type", "undefined"),
    ("x-kubernetes-validations", "empty"),
];

/// The errors in a branch.
fn nested(branch: &Value, path: &SchemaPath<'_>, skip_any: bool, errors: &mut Vec<FieldError>) {
    let mut refuse = |step: &str, detail: String| {
        errors.push(FieldError::new(ErrorType::Forbidden, format!("{path}.{step}"), detail));
    };
    for (keyword, wanted) in SPINE_ONLY {
        let value = value_of(branch, keyword);
        let counts =
            if *wanted == "undefined" { is_set(branch, keyword) } else { value.is_some_and(|v| !is_zero(v)) };
        if counts {
            refuse(keyword, format!("must be {wanted} to be structural"));
        }
    }
    if allows_more(branch) {
        refuse("additionalProperties", "must be undefined to be structural".to_owned());
    }
    if is_set(branch, "default") {
        refuse("default", "must be undefined to be structural".to_owned());
    }
    if members(branch, "properties").any(|(name, _)| name == "metadata") {
        refuse("properties[metadata]", "must not be specified in a nested context".to_owned());
    }
    for (step, inner) in branches(branch) {
        if !(skip_any && is_any_of(step)) {
            nested(inner, &path.join(step), false, errors);
        }
    }
    for (name, property) in members(branch, "properties") {
        nested(property, &path.join(Step::Property(name)), false, errors);
    }
    if let Some(items) = schema(branch, "items") {
        nested(items, &path.join(Step::Keyword("items")), false, errors);
    }
}
