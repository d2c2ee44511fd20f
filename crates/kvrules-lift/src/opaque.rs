//! Reasons for which an expression has no formula.

use std::fmt;

use kvrules_cel::ast::{Expr, Span};

/// Reason for which an expression has no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// Kind of the reason.
    pub kind: OpaqueKind,
    /// The part of the expression that is the reason.
    pub span: Span,
}

/// Kinds of reasons.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpaqueKind {
    /// The expression does not parse or does not type-check.
    Invalid,
    /// A function that no formula has.
    Function(String),
    /// A construct of the language that no formula has.
    Construct(&'static str),
    /// A value whose type is not known before evaluation.
    UnknownType,
    /// The expression or its formula is too large.
    TooLarge,
    /// The server evaluates an object otherwise than the formula.
    Contradicted,
    /// Too few objects were found to confirm the formula.
    Unconfirmed,
}

impl Opaque {
    pub(crate) fn at(expr: &Expr, kind: OpaqueKind) -> Self {
        Self { kind, span: expr.span }
    }

    pub(crate) fn whole(kind: OpaqueKind) -> Self {
        Self { kind, span: Span::default() }
    }
}

impl fmt::Display for OpaqueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid => f.write_str("the expression is not valid"),
            Self::Function(name) => write!(f, "the function `{name}`"),
            Self::Construct(name) => f.write_str(name),
            Self::UnknownType => f.write_str("a value whose type is not known before evaluation"),
            Self::TooLarge => f.write_str("it is too large"),
            Self::Contradicted => f.write_str("the server evaluates some objects differently"),
            Self::Unconfirmed => f.write_str("too few objects were found to confirm the formula"),
        }
    }
}

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}
