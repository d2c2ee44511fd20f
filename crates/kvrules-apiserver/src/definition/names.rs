//! The names of a resource.

use kvrules_cel::names::label_1035;

use super::internal::ResourceNames;
use crate::field_error::{ErrorType, FieldError};

/// Validates names that are set.
// apiextensions validation.go, ValidateCustomResourceDefinitionNames
pub(super) fn validate_names(names: &ResourceNames, field: &str, errors: &mut Vec<FieldError>) {
    let mut refuse = |name: String, detail: String| {
        errors.push(FieldError::new(ErrorType::Invalid, format!("{field}.{name}"), detail));
    };
    for (name, value) in [("plural", &names.plural), ("singular", &names.singular)] {
        let problems = label_1035(value);
        if !value.is_empty() && !problems.is_empty() {
            refuse(name.to_owned(), problems.join(","));
        }
    }
    for (name, value) in [("kind", &names.kind), ("listKind", &names.list_kind)] {
        let problems = label_1035(&value.to_lowercase());
        if !value.is_empty() && !problems.is_empty() {
            let problems = problems.join(",");
            refuse(name.to_owned(), format!("may have mixed case, but should otherwise match: {problems}"));
        }
    }
    for (name, values) in [("shortNames", &names.short_names), ("categories", &names.categories)] {
        for (index, value) in values.iter().enumerate() {
            let problems = label_1035(value);
            if !problems.is_empty() {
                refuse(format!("{name}[{index}]"), problems.join(","));
            }
        }
    }
    // With equal kinds, the decoder could not distinguish an object from a list of objects.
    if !names.kind.is_empty() && names.kind == names.list_kind {
        refuse("listKind".to_owned(), "kind and listKind may not be the same".to_owned());
    }
}

/// The names that a definition must give.
// apiextensions validation.go, validateCustomResourceDefinitionSpec
pub(super) fn require_names(names: &ResourceNames, errors: &mut Vec<FieldError>) {
    let required = [
        ("plural", &names.plural),
        ("singular", &names.singular),
        ("kind", &names.kind),
        ("listKind", &names.list_kind),
    ];
    let missing = required.into_iter().filter(|(_, value)| value.is_empty());
    errors.extend(
        missing.map(|(name, _)| FieldError::new(ErrorType::Required, format!("spec.names.{name}"), "")),
    );
}
