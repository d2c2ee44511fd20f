//! Schemas as paths see them: the value behind a step, its type, and if it is always there.

use kvrules_cel::types::escape_property;
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value as Json;

use crate::document_types::VALUES;
use crate::path::{PathStep, RulePath};

/// The type of a value, as words ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    Integer,
    Number,
    String,
    Boolean,
    List,
    Map,
    Object,
    IntOrString,
    Unknown,
}

impl ValueType {
    pub(crate) fn of_schema(schema: &Json) -> Self {
        let flag = |name: &str| schema.get(name) == Some(&Json::Bool(true));
        if flag(INT_OR_STRING) {
            return Self::IntOrString;
        }
        match schema.get("type").and_then(Json::as_str) {
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("string") => Self::String,
            Some("boolean") => Self::Boolean,
            Some("array") => Self::List,
            Some("object") if is_map(schema) => Self::Map,
            Some("object") => Self::Object,
            _ => Self::Unknown,
        }
    }

    /// The type with its article.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Boolean => "a boolean",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Object => "an object",
            Self::IntOrString => "an integer or a string",
            Self::Unknown => "a value of any type",
        }
    }

    pub(crate) fn is_scalar(self) -> bool {
        matches!(self, Self::Integer | Self::Number | Self::String | Self::Boolean)
    }

    /// True if a scalar is of the type.
    pub(crate) fn has_value(self, value: &Json) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64(),
            Self::Number => value.is_number(),
            _ => value.is_boolean(),
        }
    }
}

/// True for objects with any keys.
pub(crate) fn is_map(schema: &Json) -> bool {
    schema.get("additionalProperties").is_some_and(Json::is_object)
}

/// The schema behind a step.
pub(crate) fn child_schema<'s>(schema: &'s Json, step: &PathStep) -> Option<&'s Json> {
    match step {
        PathStep::Field(_) if is_map(schema) => schema.get("additionalProperties"),
        PathStep::Field(name) => schema.get("properties")?.get(name),
        PathStep::Each => {
            schema.get("items").or_else(|| schema.get("additionalProperties")).filter(|it| it.is_object())
        }
    }
}

/// The schema at the end of a path.
pub(crate) fn schema_at<'s>(schema: &'s Json, path: &RulePath) -> Option<&'s Json> {
    path.0.iter().try_fold(schema, child_schema)
}

/// True if a field of an object may be absent, or `null`, in an object that the server has validated.
pub(crate) fn may_be_absent(schema: &Json, name: &str) -> bool {
    if is_map(schema) {
        return true;
    }
    let required = schema.get("required").and_then(Json::as_array);
    let is_required = required.is_some_and(|names| names.iter().any(|it| it == name));
    let child = schema.get("properties").and_then(|properties| properties.get(name));
    let has_default = child.is_some_and(|child| child.get("default").is_some_and(|value| !value.is_null()));
    !(is_required || has_default) || child.is_some_and(is_nullable)
}

pub(crate) fn is_nullable(schema: &Json) -> bool {
    schema.get("nullable") == Some(&Json::Bool(true))
}

/// True if an expression in CEL can name the field.
pub(crate) fn is_reachable(schema: &Json, name: &str) -> bool {
    is_map(schema) || escape_property(name).is_some()
}

/// The values of an enumeration in a schema.
pub(crate) fn enum_values(schema: &Json) -> Option<&Vec<Json>> {
    schema.get("enum").or_else(|| schema.get(VALUES)).and_then(Json::as_array)
}

/// Leaves the fields that objects of all kinds have.
pub(crate) fn keep_common_fields(schema: &mut Json) {
    if let Some(fields) = schema.get_mut("properties").and_then(Json::as_object_mut) {
        fields.retain(|name, _| ["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    }
}

/// Follows a path from a value with a schema.
///
/// # Errors
///
/// The index of the first step that leads nowhere.
pub(crate) fn locate_path(schema: &Json, path: &RulePath) -> Result<(), usize> {
    let mut found = schema;
    for (index, step) in path.0.iter().enumerate() {
        found = child_schema(found, step).filter(|_| is_step(found, step)).ok_or(index)?;
    }
    Ok(())
}

/// True if a value of the type has such steps.
fn is_step(schema: &Json, step: &PathStep) -> bool {
    match step {
        PathStep::Field(name) => is_reachable(schema, name),
        PathStep::Each => true,
    }
}
