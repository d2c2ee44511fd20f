//! Steps of a search for a case, as far as a certificate needs them.

use kvrules_ir::Term;

use super::cell_kinds::Cell;
use super::cells::CellId;
use super::terms::TermId;

/// The facts and cases of one proof.
#[derive(Default)]
pub(super) struct ProofRecord {
    /// Cells that the schema or the language decides.
    pub(super) facts: Vec<(Cell, bool)>,
    /// Cells that hold only if a term has a type.
    pub(super) types: Vec<(Cell, TermId, &'static Term)>,
    /// The tree of cases: a split is followed by the tree of its first value, and by that of the other.
    pub(super) steps: Vec<RecordedStep>,
}

#[derive(Clone, Copy)]
pub(super) enum RecordedStep {
    /// Both values of a cell are tried, this one first.
    Split(CellId, bool),
    Closed(RecordedClosing),
}

/// The reason for which a branch has no case.
#[derive(Clone, Copy)]
pub(super) enum RecordedClosing {
    /// The formula is false.
    Formula,
    /// No value meets the comparisons with constants.
    Value,
    /// The schema lists no value that is left.
    Listed,
    /// No values are in the order.
    Order,
    /// No text meets the conditions.
    Text(TermId),
}
