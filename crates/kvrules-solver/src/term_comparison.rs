//! Comparisons between places.

use kvrules_ir::OperandRelation;

use crate::address::Address;

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ComparedTerm<'p> {
    /// The integer at a place.
    Integer(Address<'p>),
    /// The number of code points of its text.
    Length(Address<'p>),
    /// Its text.
    Text(Address<'p>),
}

/// Order of two terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermOrder {
    Less,
    AtMost,
    Equal,
    Different,
    AtLeast,
    More,
}

/// A comparison of two terms.
#[derive(Clone, Debug)]
pub(crate) struct TermComparison<'p> {
    pub(crate) left: ComparedTerm<'p>,
    pub(crate) order: TermOrder,
    pub(crate) right: ComparedTerm<'p>,
}

impl TermOrder {
    /// The order that a relation asks for.
    pub(crate) fn from_relation(relation: OperandRelation) -> Self {
        match relation {
            OperandRelation::AtLeast => Self::AtLeast,
            OperandRelation::AtMost => Self::AtMost,
            OperandRelation::Equal => Self::Equal,
        }
    }

    /// True if it holds between a value and itself.
    pub(crate) fn is_reflexive(self) -> bool {
        matches!(self, Self::AtMost | Self::Equal | Self::AtLeast)
    }
}
