//! The scale subresource.

use serde_json::Value as Json;

use super::columns::NOT_SIMPLE;
use super::internal::{object_member, text_member};
use crate::field_error::{ErrorType, FieldError};

/// Validates subresources.
// apiextensions validation.go, ValidateCustomResourceDefinitionSubresources
pub(super) fn validate_subresources(subresources: Option<&Json>, field: &str, errors: &mut Vec<FieldError>) {
    let Some(scale) = subresources.and_then(|subresources| object_member(subresources, "scale")) else {
        return;
    };
    let mut refuse = |kind, name: &str, detail: &str| {
        errors.push(FieldError::new(kind, format!("{field}.scale.{name}"), detail));
    };
    for (name, parent) in [("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")] {
        match text_member(scale, name) {
            "" => refuse(ErrorType::Required, name, ""),
            path => {
                let detail = format!("should be a json path under {parent}");
                if let Some(detail) = path_problem(path, &[parent], &detail) {
                    refuse(ErrorType::Invalid, name, detail);
                }
            }
        }
    }
    let path = text_member(scale, "labelSelectorPath");
    let detail = "should be a json path under either .spec or .status";
    if let Some(detail) = path_problem(path, &[".spec", ".status"], detail).filter(|_| !path.is_empty()) {
        refuse(ErrorType::Invalid, "labelSelectorPath", detail);
    }
}

// apiextensions validation.go, validateSimpleJSONPath; its other branches cannot be reached.
fn path_problem<'d>(path: &str, parents: &[&str], elsewhere: &'d str) -> Option<&'d str> {
    let is_below = |parent: &&str| path.strip_prefix(*parent).is_some_and(|rest| rest.starts_with('.'));
    if !path.starts_with('.') {
        return Some(NOT_SIMPLE);
    }
    (!parents.iter().any(is_below)).then_some(elsewhere)
}
