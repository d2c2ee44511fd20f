//! Keywords that the root of a schema may have.

use kvrules_kubernetes::keywords::{
    EMBEDDED_RESOURCE, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE_UNKNOWN_FIELDS,
    VALIDATIONS,
};
use serde_json::Value;

use crate::field_error::{ErrorType, FieldError};

use crate::node::{bool_keyword, is_zero, text_keyword, value_of};

/// Keywords that the root may have when the status is a subresource.
// apiextensions validation.go, allowedFieldsAtRootSchema: without other keywords, the schema of the status can be taken out
// as `properties.status` and nothing of it is lost.
const WITH_STATUS: &[&str] = &[
    "description",
    "type",
    "format",
    "title",
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
    "required",
    "items",
    "properties",
    "externalDocs",
    "example",
    PRESERVE_UNKNOWN_FIELDS,
    VALIDATIONS,
];

/// The server's names for them.
const WITH_STATUS_NAMES: &str = "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum \
                                 MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required \
                                 Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";

/// Keywords whose fields are in front of that of `type`.
// apiextensions types_jsonschema.go, JSONSchemaProps
const BEFORE_TYPE: [&str; 3] = ["id", "$schema", "$ref"];

/// The keywords the server knows; others it drops before it looks.
const KNOWN: &[&str] = &[
    "id",
    "$schema",
    "$ref",
    "default",
    "enum",
    "maxProperties",
    "minProperties",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "additionalProperties",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
    "nullable",
    EMBEDDED_RESOURCE,
    INT_OR_STRING,
    LIST_MAP_KEYS,
    LIST_TYPE,
    MAP_TYPE,
];

/// The errors that are about the root alone.
pub(super) fn check_root_fields(schema: &Value, path: &str, has_status: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if has_status {
        errors.extend(status_error(schema, path));
    }
    if bool_keyword(schema, "nullable") {
        let detail = "nullable cannot be true at the root";
        errors.push(FieldError::new(ErrorType::Forbidden, format!("{path}.nullable"), detail));
    }
    errors
}

// apiextensions validation.go, validateCustomResourceDefinitionValidation: goes through the fields of the Go struct and
// stops at the first error, so there is never more than one.
fn status_error(schema: &Value, path: &str) -> Option<FieldError> {
    let forbidden = |keyword: &&str| {
        let value = value_of(schema, keyword);
        // Pointers and numbers count as soon as they are written.
        let counts = value.is_some_and(|value| !is_zero(value) || is_kept_when_empty(keyword, value));
        !WITH_STATUS.contains(keyword) && counts
    };
    let is_wrong_type = !matches!(text_keyword(schema, "type"), "" | "object");
    if is_wrong_type && !BEFORE_TYPE.iter().any(forbidden) {
        let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        return Some(FieldError::new(ErrorType::Invalid, format!("{path}.type"), detail));
    }
    KNOWN.iter().find(|keyword| forbidden(keyword))?;
    let detail = format!(
        "only [{WITH_STATUS_NAMES}] fields are allowed at the root of the schema if the status subresource is enabled"
    );
    Some(FieldError::new(ErrorType::Invalid, path, detail))
}

fn is_kept_when_empty(keyword: &str, value: &Value) -> bool {
    !value.is_null() && matches!(keyword, "default" | "additionalProperties" | "not" | "additionalItems")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_forbidden_keywords_the_one_whose_field_is_first_is_reported() {
        let field = |schema: Value| status_error(&schema, "s").map(|error| error.field);
        assert_eq!(field(json!({"type": "array", "oneOf": [{}]})).as_deref(), Some("s.type"));
        assert_eq!(field(json!({"type": "array", "id": "x"})).as_deref(), Some("s"));
        assert_eq!(field(json!({"type": "array", "$ref": ""})).as_deref(), Some("s.type"));
        assert_eq!(field(json!({"type": "object", "id": "x"})).as_deref(), Some("s"));
        assert_eq!(field(json!({"type": "object", "title": "x"})), None);
    }
}
