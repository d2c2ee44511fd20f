//! Problems of a document with a location, to which the caller assigns codes.

use kvrules_diagnostics::{Level, Span};

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentProblem {
    /// Kind of the problem.
    pub kind: DocumentProblemKind,
    /// Severity. An error means that the definition, or the part of it, is left out.
    pub level: Level,
    /// Location of the problem.
    pub span: Span,
    /// Message, in a sentence.
    pub message: String,
    /// Instruction for the user.
    pub help: Option<String>,
    /// Another place that matters: the first of two.
    pub related: Option<Span>,
}

/// Kind of a problem of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DocumentProblemKind {
    /// The text is neither YAML nor JSON.
    Syntax,
    /// The document is not one of ours, or of a version that we do not know.
    NotDefinitions,
    /// An unknown key.
    UnknownKey,
    /// A key that must be there.
    MissingKey,
    /// A value of another type than the key has.
    WrongType,
    /// An unknown type of values.
    UnknownType,
    /// A key that has no meaning for values of this type.
    MisplacedKey,
    /// A pattern that Python refuses.
    BadPattern,
    /// A pattern with a construct that other engines have not.
    UnportablePattern,
    /// A parameter that the name does not use.
    UnusedParameter,
    /// Braces in a name for which there is no parameter.
    UndefinedParameter,
    /// A parameter that stands twice, in the list or in the name, or whose name Python's groups cannot have.
    BadParameter,
    /// Two definitions of the same name.
    DuplicateName,
    /// A least value above the greatest.
    EmptyRange,
    /// No values at all.
    BadEnum,
    /// A value without effect: it is listed twice, or the list is empty that a definition is repeated for.
    IdleValue,
    /// Next to a pattern an enum is not examined.
    IgnoredEnum,
    /// A deprecation that does not say what to use instead, or names an unknown definition.
    BadDeprecation,
    /// A description that is missing.
    MissingDescription,
}

impl DocumentProblem {
    pub(super) fn new(
        kind: DocumentProblemKind,
        level: Level,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        Self { kind, level, span, message: message.into(), help: None, related: None }
    }

    pub(super) fn error(kind: DocumentProblemKind, span: Span, message: impl Into<String>) -> Self {
        Self::new(kind, Level::Error, span, message)
    }

    pub(super) fn warning(kind: DocumentProblemKind, span: Span, message: impl Into<String>) -> Self {
        Self::new(kind, Level::Warning, span, message)
    }

    pub(super) fn saying(self, message: String) -> Self {
        Self { message, ..self }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(super) fn related(self, span: Span) -> Self {
        Self { related: Some(span), ..self }
    }
}
