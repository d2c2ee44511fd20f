//! Notes on a restatement, and problems that prevent one.

use kvrules_diagnostics::{Exactness, Span};

/// Kind of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImportNoteKind {
    /// The source is wrong; the message has its interpretation.
    Mistake,
    /// A keyword is not expressed, or not exactly.
    Loss,
    /// A keyword is expressed by a rule in CEL.
    Cel,
    /// A keyword is expressed exactly, in a way that is worth knowing.
    Remark,
}

/// A note on a restatement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportNote {
    /// Kind of the note.
    pub kind: ImportNoteKind,
    /// Relation of the values that the server accepts to those that the source accepts.
    pub effect: Exactness,
    /// The keyword; empty when it is about a whole schema.
    pub keyword: &'static str,
    /// The place in the source.
    pub span: Span,
    /// One sentence.
    pub message: String,
    /// The rule that expresses it, for [`ImportNoteKind::Cel`].
    pub rule: Option<LocatedRule>,
}

/// A rule of the structural schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedRule {
    /// The node it is on, as a JSON pointer into the schema.
    pub node: String,
    /// The rule.
    pub rule: String,
}

/// The reason why there is no structural schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportProblem {
    /// The place in the source.
    pub span: Span,
    /// One sentence.
    pub message: String,
    /// Instruction for the user.
    pub help: Option<String>,
}

impl ImportProblem {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}
