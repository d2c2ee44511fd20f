//! The source of an expression in a policy, with its tree.

use kvrules_cel::ast::Expression;
use kvrules_cel::{ParseError, parse};

/// An expression and the tree of it.
#[derive(Debug)]
pub struct ExpressionSource {
    /// As written.
    pub text: String,
    /// Parsed.
    pub parsed: Result<Expression, ParseError>,
}

impl ExpressionSource {
    pub(super) fn new(text: &str) -> Self {
        // The text is trimmed before parsing, so positions refer to the trimmed text.
        let text = text.trim().to_owned();
        Self { parsed: parse(&text), text }
    }
}
