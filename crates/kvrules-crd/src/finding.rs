//! A finding about a definition or a policy.

use kvrules_diagnostics::{Fix, Level, Span};

/// A finding about one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Kind of the finding.
    pub kind: FindingKind,
    /// Location of the finding.
    pub span: Span,
    /// Problem, in one sentence.
    pub message: String,
    /// The message of the server, if it contains more than ours.
    pub server: Option<String>,
    /// The field in the server's spelling; `None` if the server does not name a field.
    pub field: Option<String>,
    /// Other places that matter, with a few words each.
    pub related: Vec<(Span, String)>,
    /// Advice on what to do.
    pub help: Option<String>,
    /// Repair, if there is one.
    pub fix: Option<Fix>,
}

/// The kinds of findings. Each has a code and a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// The server cannot read the document, or not this version of it.
    Shape,
    /// The schema is not structural.
    NotStructural,
    /// A keyword that no schema of a definition may have, or not with this value.
    ForbiddenKeyword,
    /// The server drops it with a warning.
    Dropped,
    /// A pattern that RE2 does not know.
    Pattern,
    /// A default that its own schema does not allow.
    Default,
    /// A list type, a map type or the keys of a list.
    ListType,
    /// A field of a rule other than its expressions.
    RuleField,
    /// An expression that cannot be parsed.
    Syntax,
    /// An expression whose types do not fit.
    Type,
    /// Rules that cost more than the server allows.
    Cost,
    /// A constraint that never has an effect.
    Idle,
    /// A schema that no value satisfies.
    Unsatisfiable,
    /// A policy that the server rejects.
    Policy,
    /// A binding that the server rejects.
    Binding,
    /// A rule that may be cut off when it runs.
    RuntimeCost,
    /// A message that is never shown.
    LostMessage,
    /// A `type` next to `x-kubernetes-int-or-string`.
    TypeOfEither,
    /// A plain scalar that Kubernetes takes for something else than YAML 1.2 does.
    Misread,
    /// A variable of a policy that is an optional.
    OptionalVariable,
    /// Metadata that no object may have.
    Metadata,
    /// An update that the server rejects, though it would take the document as a new one.
    Update,
    /// A document that is not a definition but a patch of one.
    Patch,
}

impl FindingKind {
    /// Returns the severity of the kind.
    pub fn level(self) -> Level {
        match self {
            Self::Dropped
            | Self::Idle
            | Self::Unsatisfiable
            | Self::LostMessage
            | Self::TypeOfEither
            | Self::Misread
            | Self::OptionalVariable => Level::Warning,
            Self::RuntimeCost | Self::Patch => Level::Info,
            _ => Level::Error,
        }
    }
}

impl Finding {
    pub(crate) fn new(kind: FindingKind, span: Span, message: impl Into<String>) -> Self {
        let (message, related) = (message.into(), Vec::new());
        Self { kind, span, message, server: None, field: None, related, help: None, fix: None }
    }

    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(crate) fn help_if(self, help: Option<String>) -> Self {
        Self { help: help.or(self.help), ..self }
    }

    pub(crate) fn with_server_message(self, words: impl Into<String>) -> Self {
        // The server's message is empty if the type of the error suffices.
        Self { server: Some(words.into()).filter(|words: &String| !words.is_empty()), ..self }
    }

    pub(crate) fn with_field(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    pub(crate) fn with_related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push((span, text.into()));
        self
    }
}
