//! Problems of a schema file, and how names are listed.

use kvrules_diagnostics::{Span, most_alike, quote_names};

/// Something that keeps a schema from being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    /// Location of the problem.
    pub span: Span,
    /// Problem, in a sentence.
    pub message: String,
    /// Advice on what to do.
    pub help: Option<String>,
}

impl SchemaProblem {
    pub(super) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Returns the suggestion for `word`: the most similar name, or all known names.
pub(super) fn suggest_name(word: &str, known: &[String]) -> String {
    const NEAR: f64 = 0.6;
    match most_alike(word, NEAR, known.iter().map(|name| (last_word(name), name))) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known: {}", list_names(known)),
    }
}

/// Names in backticks, the first few of many.
pub(super) fn list_names(names: &[String]) -> String {
    quote_names(names, 8)
}

/// `Pod` of `io.k8s.api.core.v1.Pod`.
pub(super) fn last_word(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
