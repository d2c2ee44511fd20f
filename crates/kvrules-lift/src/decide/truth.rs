//! Values of propositions where some cells have one.

use super::cells::CellId;
use super::propositions::{Proposition, PropositionId, PropositionTable};

/// The most cells of a proposition all of whose values are tried.
const MOST_CELLS: usize = 6;

impl PropositionTable<'_> {
    /// The value of a proposition if a cell holds, or all of several. `None` if they leave it open.
    pub(super) fn value_given(&self, id: PropositionId, given: PropositionId) -> Option<bool> {
        let is_same = |id: &PropositionId, cell: CellId| matches!(self.get(*id), Some(Proposition::Cell(known)) if *known == cell);
        let is_given = |cell: CellId| match self.get(given) {
            Some(Proposition::All(parts)) => parts.iter().any(|part| is_same(part, cell)),
            _ => is_same(&given, cell),
        };
        let joined = |parts: &[PropositionId], decides: bool| {
            let values: Vec<_> = parts.iter().map(|part| self.value_given(*part, given)).collect();
            if values.contains(&Some(decides)) {
                return Some(decides);
            }
            (!values.contains(&None)).then_some(!decides)
        };
        match self.get(id)? {
            Proposition::Constant(value) => Some(*value),
            Proposition::Cell(cell) => is_given(*cell).then_some(true),
            Proposition::Not(inner) => self.value_given(*inner, given).map(|value| !value),
            Proposition::All(parts) => joined(parts, false),
            Proposition::Any(parts) => joined(parts, true),
        }
    }

    /// True if a proposition holds whatever its cells are, as far as it has few.
    pub(super) fn always_holds(&self, id: PropositionId) -> bool {
        let mut cells = Vec::new();
        self.collect_cells(id, &mut cells);
        cells.len() <= MOST_CELLS
            && (0..1_u32 << cells.len()).all(|values| self.holds_for(id, &cells, values))
    }

    fn collect_cells(&self, id: PropositionId, cells: &mut Vec<CellId>) {
        match self.get(id) {
            Some(Proposition::Cell(cell)) if !cells.contains(cell) => cells.push(*cell),
            Some(Proposition::Not(inner)) => self.collect_cells(*inner, cells),
            Some(Proposition::All(parts) | Proposition::Any(parts)) if cells.len() <= MOST_CELLS => {
                for part in parts {
                    self.collect_cells(*part, cells);
                }
            }
            _ => {}
        }
    }

    /// True if a proposition holds where each cell has the bit of its place.
    fn holds_for(&self, id: PropositionId, cells: &[CellId], values: u32) -> bool {
        match self.get(id) {
            Some(Proposition::Constant(value)) => *value,
            Some(Proposition::Cell(cell)) => {
                cells.iter().position(|known| known == cell).is_some_and(|at| values >> at & 1 == 1)
            }
            Some(Proposition::Not(inner)) => !self.holds_for(*inner, cells, values),
            Some(Proposition::All(parts)) => parts.iter().all(|part| self.holds_for(*part, cells, values)),
            Some(Proposition::Any(parts)) => parts.iter().any(|part| self.holds_for(*part, cells, values)),
            None => false,
        }
    }
}
