//! One kind of finding, as it is declared.

use crate::{Applicability, Diagnostic, Label, Level, Span};

/// One thing that kvrules looks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Lint {
    /// Stable code, such as `KV102`.
    pub code: &'static str,
    /// The name, which reads well after "allow": `missing_key`.
    pub name: &'static str,
    /// Severity of its findings.
    pub level: Level,
    /// Summary of its findings, in one sentence.
    pub summary: &'static str,
    /// The repair that its findings may offer, the most trusted if there are several; none if a person decides.
    pub fix: Option<Applicability>,
}

impl Lint {
    /// A finding of this lint.
    pub fn diagnostic_at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let Self { code, name, level, .. } = *self;
        let (message, primary) = (message.into(), Label { span, text: String::new() });
        let (secondary, help, fix, field, proof) = (Vec::new(), None, None, None, None);
        Diagnostic { code, name, level, message, primary, secondary, help, fix, field, proof }
    }
}
