//! Errors that the server reports about a field of a document.

/// The kind of an error, as the API names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorType {
    /// The document cannot be read at all.
    BadRequest,
    /// A value that is not allowed.
    Invalid,
    /// A value of the wrong type.
    TypeInvalid,
    /// Something that must not be there.
    Forbidden,
    /// Something that is missing.
    Required,
    /// A value outside of a closed list.
    NotSupported,
    /// A text that is too long.
    TooLong,
    /// A list with too many elements.
    TooMany,
    /// A value that is there twice.
    Duplicate,
    /// The server could not make sense of it.
    Internal,
}

impl ErrorType {
    /// Every kind.
    const ALL: [Self; 10] = [
        Self::BadRequest,
        Self::Invalid,
        Self::TypeInvalid,
        Self::Forbidden,
        Self::Required,
        Self::NotSupported,
        Self::TooLong,
        Self::TooMany,
        Self::Duplicate,
        Self::Internal,
    ];

    /// The kind with a cause's name.
    pub fn of_cause(cause: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.cause_name() == cause)
    }

    /// The name of the cause in the API's answers.
    // apimachinery field/errors.go, the constants of ErrorType
    pub fn cause_name(self) -> &'static str {
        match self {
            Self::BadRequest => "BadRequest",
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::Forbidden => "FieldValueForbidden",
            Self::Required => "FieldValueRequired",
            Self::NotSupported => "FieldValueNotSupported",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Internal => "InternalError",
        }
    }

    /// Returns the server's name for it in the message of an answer.
    // apimachinery field/errors.go, ErrorType.String
    pub fn message_name(self) -> &'static str {
        match self {
            Self::BadRequest => "Bad request",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::Forbidden => "Forbidden",
            Self::Required => "Required value",
            Self::NotSupported => "Unsupported value",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Duplicate => "Duplicate value",
            Self::Internal => "Internal error",
        }
    }
}

/// The limit of cost that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostExcess {
    /// One expression costs more than it may.
    Expression,
    /// The expressions of a schema cost more together than they may.
    Schema,
    /// The expression is among those that make the schema too expensive.
    Contribution,
}

/// An error at a field of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Kind of the error.
    pub error_type: ErrorType,
    /// The field, as the server writes it; empty for the document as a whole.
    pub field: String,
    /// The server's words.
    pub detail: String,
    /// The limit of cost that is exceeded; `None` for every other error.
    pub cost_excess: Option<CostExcess>,
}

impl FieldError {
    /// An error at a field.
    pub fn new(error_type: ErrorType, field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { error_type, field: field.into(), detail: detail.into(), cost_excess: None }
    }

    /// The error that a limit of cost is exceeded.
    pub(crate) fn exceeding(excess: CostExcess, field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { cost_excess: Some(excess), ..Self::new(ErrorType::Forbidden, field, detail) }
    }
}
