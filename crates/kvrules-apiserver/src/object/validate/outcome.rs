//! Result of checking a node.

use crate::crd::Failure;
use crate::field_error::ErrorType;

use super::super::NOWHERE;
use super::value_path::ValuePath;

/// Something that is wrong with a value.
#[derive(Clone, Debug)]
pub(super) struct ObjectError {
    /// The path of the value; empty if the server names none.
    name: String,
    error_type: ErrorType,
    detail: String,
    /// The value that the server shows, as JSON.
    value: String,
}

/// Errors, and how many checks were passed.
// kube-openapi validate/result.go, Result; `checks` is its MatchCount.
#[derive(Debug, Default)]
pub(super) struct ValidationOutcome {
    pub(super) errors: Vec<ObjectError>,
    pub(super) checks: u64,
}

impl ObjectError {
    pub(super) fn new(path: &ValuePath<'_>, error_type: ErrorType, detail: String) -> Self {
        Self { name: path.to_string(), error_type, detail, value: String::new() }
    }

    /// An error whose words begin with the path of the value.
    pub(super) fn with_path_message(path: &ValuePath<'_>, error_type: ErrorType, words: &str) -> Self {
        Self::new(path, error_type, format!("{path} in body {words}"))
    }

    /// An error for which the server reports no path, or only in its words.
    pub(super) fn without_path(detail: String) -> Self {
        Self::new(&ValuePath::ROOT, ErrorType::Invalid, detail).with_value(&"\"\"")
    }

    /// With the value that the server shows.
    pub(super) fn with_value(self, value: &impl ToString) -> Self {
        Self { value: value.to_string(), ..self }
    }

    pub(super) fn into_failure(self) -> Failure {
        // Paths of fields of the root begin with a dot if they come from `required` or `additionalProperties`.
        let field = self.name.strip_prefix('.').unwrap_or(&self.name);
        let field = if field.is_empty() { NOWHERE } else { field };
        Failure {
            field: field.to_owned(),
            reason: self.error_type.cause_name().to_owned(),
            detail: self.detail,
            value: self.value,
        }
    }
}

impl From<ObjectError> for ValidationOutcome {
    fn from(error: ObjectError) -> Self {
        Self { errors: vec![error], checks: 0 }
    }
}

impl ValidationOutcome {
    /// A check that was passed.
    pub(super) fn passed() -> Self {
        Self { errors: Vec::new(), checks: 1 }
    }

    pub(super) fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    pub(super) fn add(&mut self, error: ObjectError) {
        self.errors.push(error);
    }

    pub(super) fn merge(&mut self, mut other: Self) {
        // Most have no errors.
        if !other.errors.is_empty() {
            self.errors.append(&mut other.errors);
        }
        self.checks += other.checks;
    }

    /// Adds the outcome of one of a node's validators.
    pub(super) fn add_validator_outcome(&mut self, other: Self) {
        self.merge(other);
        self.checks += 1;
    }
}
