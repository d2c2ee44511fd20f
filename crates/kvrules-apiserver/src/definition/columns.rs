//! Printer columns.

use serde_json::Value as Json;

use super::internal::text_member;
use crate::field_error::{ErrorType, FieldError};

// apiextensions validation.go, printerColumnDatatypes and customResourceColumnDefinitionFormats: sets, so messages
// list them sorted.
const TYPES: &str = "boolean,date,integer,number,string";
const FORMATS: &str = "byte,date,date-time,double,float,int32,int64,password";

/// Validates a column.
// apiextensions validation.go, ValidateCustomResourceColumnDefinition
pub(super) fn validate_column(column: &Json, field: &str, errors: &mut Vec<FieldError>) {
    let mut refuse = |kind, name: &str, detail: &str| {
        errors.push(FieldError::new(kind, format!("{field}.{name}"), detail));
    };
    let is_one_of = |values: &str, value: &str| values.split(',').any(|known| known == value);
    if text_member(column, "name").is_empty() {
        refuse(ErrorType::Required, "name", "");
    }
    let types = format!("must be one of {TYPES}");
    match text_member(column, "type") {
        "" => refuse(ErrorType::Required, "type", &types),
        ty if !is_one_of(TYPES, ty) => refuse(ErrorType::Invalid, "type", &types),
        _ => {}
    }
    let format = text_member(column, "format");
    if !format.is_empty() && !is_one_of(FORMATS, format) {
        refuse(ErrorType::Invalid, "format", &format!("must be one of {FORMATS}"));
    }
    match text_member(column, "jsonPath") {
        "" => refuse(ErrorType::Required, "JSONPath", ""),
        path if !path.starts_with('.') => refuse(ErrorType::Invalid, "JSONPath", NOT_SIMPLE),
        _ => {}
    }
}

/// Server's message for a path that does not start at the object.
// apiextensions validation.go, validateSimpleJSONPath
pub(super) const NOT_SIMPLE: &str = "must be a simple json path starting with .";
