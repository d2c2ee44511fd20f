//! Fields that objects can be selected by.

use serde_json::Value as Json;

use super::internal::text_member;
use crate::field_error::{ErrorType, FieldError};
use crate::field_path;
use crate::node;

/// The most selectable fields of a version.
// apiextensions validation.go, MaxSelectableFields
pub(super) const MOST: usize = 8;

/// Validates the selectable fields of a schema. Without a readable schema the server's program fails at the first step of a
/// path, and reports nothing about it.
// apiextensions validation.go, ValidateCustomResourceSelectableFields
pub(super) fn validate_selectable_fields(
    fields: &[&Json],
    schema: Option<&Json>,
    field: &str,
    may_be_many: bool,
    errors: &mut Vec<FieldError>,
) {
    let mut seen: Vec<String> = Vec::new();
    for (index, selectable) in fields.iter().enumerate() {
        let mut refuse = |kind, detail: String| {
            errors.push(FieldError::new(kind, format!("{field}[{index}].jsonPath"), detail));
        };
        let path = text_member(selectable, "jsonPath");
        if path.is_empty() {
            refuse(ErrorType::Required, String::new());
            continue;
        }
        // apiextensions schema/cel/validation.go, ValidFieldPath with WithFieldPathAllowArrayNotation(false)
        let found = match field_path::find_schema_field(path, schema.unwrap_or(&Json::Null), false) {
            Ok(found) => found,
            Err(why) if schema.is_none() && why == field_path::NOWHERE => continue,
            Err(why) => {
                refuse(ErrorType::Invalid, format!("is an invalid path: {why}"));
                continue;
            }
        };
        if found.first == "metadata" {
            refuse(ErrorType::Invalid, "must not point to fields in metadata".to_owned());
        }
        // apiextensions validation.go, allowedSelectableFieldSchema
        let ty = found.schema.map(|schema| node::text_keyword(schema, "type")).unwrap_or_default();
        if !matches!(ty, "string" | "boolean" | "integer") {
            let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings with \
                          formats are allowed.";
            refuse(ErrorType::Invalid, detail.to_owned());
        }
        // Duplicates are found by normalized path, and do not count towards the limit.
        if seen.contains(&found.path) {
            refuse(ErrorType::Duplicate, String::new());
        } else {
            seen.push(found.path);
        }
    }
    if seen.len() > MOST && !may_be_many {
        let detail = format!("must have at most {MOST} items");
        errors.push(FieldError::new(ErrorType::TooMany, field, detail));
    }
}
