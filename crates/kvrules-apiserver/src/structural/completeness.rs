//! Checks that the spine declares what branches of the root mention.

use serde_json::Value;

use crate::field_error::{ErrorType, FieldError};

use crate::node::{SchemaPath, SchemaStep, branch_nodes, object_entries, schema_keyword};

/// The errors of the root's branches; those of other nodes the server does not look at.
// apiextensions schema/complete.go, validateStructuralCompleteness
pub(super) fn check_completeness(root: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let path = SchemaPath::root(path);
    for (step, branch) in branch_nodes(root) {
        compare_with_spine(branch, Some(root), &path, &path.join(step), errors);
    }
}

/// Compares a branch with the spine at the same place.
// apiextensions schema/complete.go, validateNestedValueValidationCompleteness
fn compare_with_spine(
    branch: &Value,
    spine: Option<&Value>,
    place: &SchemaPath<'_>,
    path: &SchemaPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let Some(spine) = spine else {
        let detail = format!("because it is defined in {path}");
        errors.push(FieldError::new(ErrorType::Required, place.to_string(), detail));
        return;
    };
    for (step, inner) in branch_nodes(branch) {
        compare_with_spine(inner, Some(spine), place, &path.join(step), errors);
    }
    if let Some(items) = schema_keyword(branch, "items") {
        let step = SchemaStep::Keyword("items");
        let (place, path) = (place.join(step), path.join(step));
        compare_with_spine(items, schema_keyword(spine, "items"), &place, &path, errors);
    }
    for (name, property) in object_entries(branch, "properties") {
        // A field that only `additionalProperties` of the spine describes is missing too: the server's option that would
        // look there (AllowValidationPropertiesWithAdditionalProperties) is off for definitions.
        let known =
            object_entries(spine, "properties").find(|(known, _)| *known == name).map(|(_, known)| known);
        let step = SchemaStep::Property(name);
        compare_with_spine(property, known, &place.join(step), &path.join(step), errors);
    }
}
