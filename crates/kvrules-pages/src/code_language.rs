//! The languages of blocks of code on pages.

/// The language of a block of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeLanguage {
    /// An expression.
    Cel,
    /// A value or a schema.
    Json,
    /// An object or a value as people write it.
    Yaml,
    /// Anything else.
    Text,
}

impl CodeLanguage {
    /// The language of the code of facts of a kind.
    pub(crate) fn of_fact(kind: &str) -> Self {
        match kind {
            "cel" | "message-expression" => Self::Cel,
            "passes" | "fails" | "minimal-object" | "full-object" => Self::Yaml,
            "default" | "example" | "oneOf" | "anyOf" | "allOf" | "not" => Self::Json,
            _ => Self::Text,
        }
    }

    /// Its name, if highlighters know it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Cel | Self::Text => "text",
        }
    }
}
