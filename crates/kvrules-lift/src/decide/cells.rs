//! Cells: the propositions about an object that are tried.

use kvrules_ir::{Constant, Term};

use super::cell_kinds::{Cell, CellKind};
use super::order_relations::{DifferenceValues, OrderRelation};
use super::terms::{TermId, TermTable};
use crate::quick_hash::QuickMap;
use crate::texts::TextSet;

/// The number of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellId(u32);

/// A cell with what it says of single values.
pub(super) struct KnownCell<'a> {
    pub(super) cell: Cell,
    /// The comparison of one value with a constant.
    pub(super) comparison: Option<ConstantComparison<'a>>,
    /// The condition on a text.
    pub(super) text: Option<TextCondition<'a>>,
    /// The text that a test of it shows to be one.
    pub(super) tested_text: Option<TermId>,
    /// The bounds of the difference of two values that it implies.
    pub(super) order: Option<OrderRelation>,
}

/// A comparison of a term with a constant.
#[derive(Clone, Copy)]
pub(super) struct ConstantComparison<'a> {
    pub(super) subject: TermId,
    pub(super) constant: &'a Constant,
    pub(super) relation: ConstantRelation,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConstantRelation {
    Equal,
    /// The term is less than the constant.
    Below,
    /// The constant is less than the term.
    Above,
}

/// A condition on a text.
pub(super) struct TextCondition<'a> {
    pub(super) subject: TermId,
    pub(super) restricts: TextRestriction<'a>,
}

pub(super) enum TextRestriction<'a> {
    /// If the cell has this value, the text is in the set, else it is not.
    Set(TextSet, bool),
    /// It has this size.
    Size(i64),
    /// Its size is less than this, or this is less than its size.
    Length(&'a Constant, ConstantRelation),
}

#[derive(Default)]
pub(super) struct CellTable<'a> {
    ids: QuickMap<Cell, CellId>,
    known: Vec<KnownCell<'a>>,
    pub(super) values: DifferenceValues<'a>,
}

impl CellId {
    pub(super) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'a> CellTable<'a> {
    /// The number of cells.
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }

    pub(super) fn get(&self, id: CellId) -> Option<&KnownCell<'a>> {
        self.known.get(id.index())
    }

    pub(super) fn number_of(&mut self, cell: Cell, terms: &mut TermTable<'a>) -> CellId {
        if let Some(known) = self.ids.get(&cell) {
            return *known;
        }
        let id = CellId(u32::try_from(self.known.len()).unwrap_or(u32::MAX));
        self.ids.insert(cell, id);
        let order = self.values.relation_of(cell, terms);
        self.known.push(examine_cell(cell, order, terms));
        id
    }
}

fn examine_cell<'a>(cell: Cell, order: Option<OrderRelation>, terms: &TermTable<'a>) -> KnownCell<'a> {
    let comparison = comparison_of(cell, terms);
    let text = comparison.and_then(|comparison| text_condition(comparison, terms));
    let tested_text = (cell.kind == CellKind::Equal).then(|| tested_text(cell, terms)).flatten();
    KnownCell { cell, comparison, text, tested_text, order }
}

fn comparison_of<'a>(cell: Cell, terms: &TermTable<'a>) -> Option<ConstantComparison<'a>> {
    let constant = |id| terms.get(id)?.constant();
    let with = |subject, constant, relation| Some(ConstantComparison { subject, constant, relation });
    match (cell.kind, constant(cell.left), constant(cell.right)) {
        (CellKind::Equal, _, Some(value)) => with(cell.left, value, ConstantRelation::Equal),
        (CellKind::Less, _, Some(bound)) => with(cell.left, bound, ConstantRelation::Below),
        (CellKind::Less, Some(bound), _) => with(cell.right, bound, ConstantRelation::Above),
        _ => None,
    }
}

fn text_condition<'a>(
    comparison: ConstantComparison<'a>,
    terms: &TermTable<'a>,
) -> Option<TextCondition<'a>> {
    let ConstantComparison { subject, constant, relation } = comparison;
    let known = terms.get(subject)?;
    let argument = known.parts.first().copied();
    let restricts = match (known.term, relation, constant) {
        (Term::Call(test), ConstantRelation::Equal, Constant::Boolean(truth)) => {
            let (_, set) = TextSet::of_call(test)?;
            return Some(TextCondition { subject: argument?, restricts: TextRestriction::Set(set, *truth) });
        }
        (Term::Call(size), _, _) if size.function == "size" => match (relation, constant) {
            (ConstantRelation::Equal, Constant::Integer(number)) => TextRestriction::Size(*number),
            (ConstantRelation::Equal, _) => return None,
            _ => TextRestriction::Length(constant, relation),
        },
        // Of a value that is no text, such as null, an equality is false too.
        (_, ConstantRelation::Equal, Constant::Text(text)) => {
            return Some(TextCondition {
                subject,
                restricts: TextRestriction::Set(TextSet::Only(text.clone()), true),
            });
        }
        _ => return None,
    };
    Some(TextCondition { subject: argument?, restricts })
}

/// The value that an equality shows to be a text.
fn tested_text(cell: Cell, terms: &TermTable<'_>) -> Option<TermId> {
    let left = terms.get(cell.left)?;
    if let Term::Call(test) = left.term
        && TextSet::of_call(test).is_some()
    {
        return left.parts.first().copied();
    }
    matches!(terms.get(cell.right)?.constant(), Some(Constant::Text(_))).then_some(cell.left)
}
