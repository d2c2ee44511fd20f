//! One finding, before any format.

use crate::{Fix, Lint, Span};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing; nothing is wrong.
    Info,
    /// Probably not what the author means; the rule still works.
    Warning,
    /// The rule, or the file, does not do what its author thinks.
    Error,
}

impl Level {
    /// The word that users see and write: `error`, `warning`, `info`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A place and the remark for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// A few words; empty if the message suffices.
    pub text: String,
}

/// One finding: a code, a sentence, the place, and what to do about it.
///
/// The message is one sentence in the rule author's words: lower case, no final stop, the author's text in
/// backticks. The remedy stands apart in `help`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, such as `KV102`.
    pub code: &'static str,
    /// The lint's name, such as `missing_key`.
    pub name: &'static str,
    /// Severity of the finding.
    pub level: Level,
    /// Description of the problem.
    pub message: String,
    /// Main location.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Instruction for the user.
    pub help: Option<String>,
    /// Edits that would repair it.
    pub fix: Option<Fix>,
    /// The field that a Kubernetes API server names, as it writes it.
    pub field: Option<String>,
    /// The proof of the message, if it was asked for.
    pub proof: Option<Proof>,
}

/// A proof for readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Lines of text.
    pub lines: Vec<String>,
    /// The same for programs.
    pub value: serde_json::Value,
}

impl Diagnostic {
    /// An error of no lint: an input that a command cannot process. The word stands for the code and the name.
    pub fn refused_input(word: &'static str, span: Span, message: impl Into<String>) -> Self {
        let lint = Lint { code: word, name: word, level: Level::Error, summary: "", fix: None };
        lint.diagnostic_at(span, message)
    }

    /// True if a lint raised it.
    pub fn is_of(&self, lint: &Lint) -> bool {
        self.code == lint.code
    }

    /// Sets the words at the primary place.
    #[must_use]
    pub fn with_label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn with_secondary_label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn with_help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Says what to do, if there is anything.
    #[must_use]
    pub fn help_if(self, text: Option<String>) -> Self {
        Self { help: text.or(self.help), ..self }
    }

    /// Names the field as a Kubernetes API server writes it.
    #[must_use]
    pub fn with_field(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    /// Offers a repair.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Offers a repair, if there is one.
    #[must_use]
    pub fn fix_if(self, fix: Option<Fix>) -> Self {
        Self { fix: fix.or(self.fix), ..self }
    }

    /// The order in which findings are shown: by file, place, code.
    pub fn sort_key(&self) -> (Span, &'static str, &str) {
        (self.primary.span, self.code, &self.message)
    }
}
