//! Cases that a search finds, as facts about terms.

use kvrules_ir::Term;

use super::cell_kinds::{Cell, CellKind};
use super::terms::TermTable;

/// A case in which a proposition holds, as far as the search knows.
#[derive(Default)]
pub(crate) struct Case<'a> {
    /// The facts, each with whether it holds, in the order in which the search chose them.
    pub(crate) facts: Vec<(CaseFact<'a>, bool)>,
    /// Texts that meet the conditions of the case and of the schema.
    pub(crate) texts: Vec<(&'a Term, String)>,
}

/// A fact about terms.
#[derive(Clone, Copy)]
pub(crate) enum CaseFact<'a> {
    /// The term has a value.
    Present(&'a Term),
    /// Both have the same value.
    Equal(&'a Term, &'a Term),
    /// The first is less.
    Less(&'a Term, &'a Term),
    /// Both are of types that can be compared.
    Comparable(&'a Term, &'a Term),
}

impl<'a> Case<'a> {
    pub(super) fn add_cell(&mut self, cell: Cell, value: bool, terms: &TermTable<'a>) {
        let term = |id| terms.get(id).map(|known| known.term);
        let (Some(left), Some(right)) = (term(cell.left), term(cell.right)) else { return };
        let fact = match cell.kind {
            CellKind::There => CaseFact::Present(left),
            CellKind::Equal => CaseFact::Equal(left, right),
            CellKind::Less => CaseFact::Less(left, right),
            CellKind::Comparable => CaseFact::Comparable(left, right),
            CellKind::AllPass(_) => return,
        };
        self.facts.push((fact, value));
    }
}
