//! A call as its cost sees it.

use crate::ast::Literal;
use crate::types::Type;

use super::path::ValuePath;
use super::size::{REGEX, SizeRange, TRAVERSAL};

/// An operand of a call.
// cel-go checker/cost.go, astNode
pub(super) struct CostArgument {
    pub(super) size: Option<SizeRange>,
    pub(super) ty: Type,
    pub(super) path: ValuePath,
    pub(super) literal: Option<Literal>,
}

impl CostArgument {
    pub(super) fn size(&self) -> SizeRange {
        self.size.unwrap_or(SizeRange::UNKNOWN)
    }
}

/// A call with its operands.
pub(super) struct CostCall<'a> {
    pub(super) function: &'a str,
    pub(super) target: Option<CostArgument>,
    pub(super) args: Vec<CostArgument>,
}

/// Estimated cost of a call without its operands.
pub(super) struct CallEstimate {
    pub(super) cost: u64,
    /// The size of the result, where it is known.
    pub(super) size: Option<SizeRange>,
}

impl CallEstimate {
    pub(super) fn from_cost(cost: u64) -> Self {
        Self { cost, size: None }
    }

    pub(super) fn with_size(cost: u64, size: SizeRange) -> Self {
        Self { cost, size: Some(size) }
    }
}

/// A pass over the text for about every fourth character of the pattern; an empty text counts as one character.
// cel-go checker/cost.go, functionCost for matches; apiserver cel/library/cost.go, EstimateCallCost for find and findAll.
// The added character keeps the product of an empty text and a long pattern above 0.
pub(super) fn regex_match_cost(text: &CostArgument, pattern: &CostArgument) -> u64 {
    let text = text.size().plus(SizeRange::exact_size(1)).pass_cost(TRAVERSAL);
    text.saturating_mul(pattern.size().pass_cost(REGEX))
}
