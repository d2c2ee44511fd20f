//! The statements of cells.

use kvrules_ir::EntryVariables;

use super::terms::TermId;

/// Statement of a cell about its terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CellKind {
    /// A value is there, given that the value around it is.
    There,
    /// Two values that are there are equal.
    Equal,
    /// Of two values that are there, the left is less.
    Less,
    /// Two values that are there can be compared.
    Comparable,
    /// All entries of a loop's range pass.
    AllPass(EntryVariables),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cell {
    pub(super) kind: CellKind,
    pub(super) left: TermId,
    pub(super) right: TermId,
}
