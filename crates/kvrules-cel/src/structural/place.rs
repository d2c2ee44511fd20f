//! Where in a value a mistake is.

use crate::field_error::{ErrorType, FieldError};

/// A place in the value: its field, and its name from the value's root on, which messages begin with.
#[derive(Clone, Debug)]
pub(super) struct Place {
    field: String,
    pub(super) name: String,
}

impl Place {
    /// The root of a value that stands at a field.
    pub(super) fn root(field: &str) -> Self {
        Self { field: field.to_owned(), name: String::new() }
    }

    pub(super) fn member(&self, name: &str) -> Self {
        let below = if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) };
        Self { field: format!("{}.{name}", self.field), name: below }
    }

    pub(super) fn element(&self, index: usize) -> Self {
        Self { field: format!("{}[{index}]", self.field), name: format!("{}[{index}]", self.name) }
    }

    pub(super) fn error(&self, error_type: ErrorType, detail: impl Into<String>) -> FieldError {
        FieldError::new(error_type, self.field.clone(), detail)
    }

    /// A mistake whose words begin with the name of the value.
    pub(super) fn says(&self, error_type: ErrorType, words: &str) -> FieldError {
        self.error(error_type, format!("{} in body {words}", self.name))
    }
}
