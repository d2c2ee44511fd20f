//! A call as its cost sees it.

use crate::ast::Literal;
use crate::types::Type;

use super::path::Path;
use super::size::{REGEX, Size, TRAVERSAL};

/// An operand of a call.
pub(super) struct Argument {
    pub(super) size: Option<Size>,
    pub(super) ty: Type,
    pub(super) path: Path,
    pub(super) literal: Option<Literal>,
}

impl Argument {
    pub(super) fn size(&self) -> Size {
        self.size.unwrap_or(Size::UNKNOWN)
    }
}

/// A call with its operands.
pub(super) struct Call<'a> {
    pub(super) function: &'a str,
    pub(super) target: Option<Argument>,
    pub(super) args: Vec<Argument>,
}

/// Estimated cost of a call without its operands.
pub(super) struct Estimate {
    pub(super) cost: u64,
    /// The size of the result, where it is known.
    pub(super) size: Option<Size>,
}

impl Estimate {
    pub(super) fn cost(cost: u64) -> Self {
        Self { cost, size: None }
    }

    pub(super) fn sized(cost: u64, size: Size) -> Self {
        Self { cost, size: Some(size) }
    }
}

/// A pass over the text for about every fourth character of the pattern; an empty text counts as one character.
pub(super) fn matching(text: &Argument, pattern: &Argument) -> u64 {
    let text = text.size().plus(Size::exactly(1)).cost(TRAVERSAL);
    text.saturating_mul(pattern.size().cost(REGEX))
}
