//! The search for a case: values of cells with which a proposition holds and which do not contradict each other.

use kvrules_ir::Constant;

use super::Satisfiability;
use super::cases::Case;
use super::cell_kinds::CellKind;
use super::cells::{CellId, ConstantRelation, KnownCell, TextCondition, TextRestriction};
use super::differences::are_contradictory;
use super::propositions::{Proposition, PropositionId, PropositionTable};
use super::record::{RecordedClosing, RecordedStep};
use super::terms::TermId;
use crate::facts::{NumberRange, are_different};
use crate::quick_hash::QuickMap;
use crate::texts::{TextConditions, TextSearches};

/// The most cases that are tried; more are not worth the time of a check.
const MOST_CASES: usize = 3_000;

/// The most parts of a proposition that one search looks at, over all cases.
const MOST_PARTS: usize = 1_000_000;

/// The value of a proposition as far as cells decide it.
#[derive(Clone, Copy)]
enum Value {
    Known(bool),
    /// The first cell that is needed, and the value with which it would help the proposition to hold.
    Open(CellId, bool),
}

/// Facts about texts that searches need beyond the propositions, kept from one search to the next.
#[derive(Default)]
pub(super) struct SearchMemory {
    texts: TextSearches,
    /// Demands of the schemas of texts.
    demands: QuickMap<TermId, Option<TextConditions>>,
    /// The number of parts of propositions that searches have examined.
    pub(super) parts: usize,
}

/// Searches for a case.
pub(super) fn find_case(
    table: &mut PropositionTable<'_>,
    memory: &mut SearchMemory,
    proposition: PropositionId,
) -> Satisfiability {
    let mut search = CaseSearch::new(table, memory);
    let has_case = search.find_case(proposition);
    search.answer(has_case)
}

/// Searches for so many cases, and returns those that it finds.
pub(super) fn collect_cases<'a>(
    table: &mut PropositionTable<'a>,
    memory: &mut SearchMemory,
    proposition: PropositionId,
    most: usize,
) -> (Satisfiability, Vec<Case<'a>>) {
    let mut search = CaseSearch { wanted: most, ..CaseSearch::new(table, memory) };
    let has_all = search.find_case(proposition);
    let has_case = has_all || !search.found.is_empty();
    let answer = search.answer(has_case);
    (answer, search.found)
}

struct CaseSearch<'t, 'a> {
    table: &'t mut PropositionTable<'a>,
    memory: &'t mut SearchMemory,
    values: Vec<Option<bool>>,
    /// The cells that have values, in the order in which they got them.
    order: Vec<CellId>,
    cases: usize,
    parts: usize,
    /// The number of cases that are kept; with none, the search ends at the first.
    wanted: usize,
    found: Vec<Case<'a>>,
}

impl<'t, 'a> CaseSearch<'t, 'a> {
    fn new(table: &'t mut PropositionTable<'a>, memory: &'t mut SearchMemory) -> Self {
        let values = vec![None; table.cells.count()];
        memory.texts.renew_steps();
        Self { table, memory, values, order: Vec::new(), cases: 0, parts: 0, wanted: 0, found: Vec::new() }
    }

    /// Returns the answer after the search.
    fn answer(&mut self, has_case: bool) -> Satisfiability {
        self.memory.parts += self.parts;
        match has_case {
            false => Satisfiability::Never,
            true if self.is_given_up() => Satisfiability::Unknown,
            true => Satisfiability::Perhaps,
        }
    }

    /// Keeps the case that was found. True if no more are wanted.
    fn keep_case(&mut self) -> bool {
        if self.wanted == 0 {
            return true;
        }
        let mut case = Case::default();
        let mut subjects = Vec::new();
        for id in &self.order {
            let (Some(known), Some(value)) = (self.table.cells.get(*id), self.value(*id)) else { continue };
            case.add_cell(known.cell, value, &self.table.terms);
            let subject = known.text.as_ref().map(|text| text.subject);
            subjects.extend(subject.filter(|subject| !subjects.contains(subject)));
        }
        for subject in subjects {
            let conditions = self.text_conditions(subject);
            let text = conditions.and_then(|conditions| self.memory.texts.find_text(&conditions));
            case.texts.extend(self.table.terms.get(subject).map(|known| known.term).zip(text));
        }
        self.found.push(case);
        self.found.len() >= self.wanted
    }

    /// True if there are more cases than are tried.
    fn is_given_up(&self) -> bool {
        self.cases > MOST_CASES || self.parts > MOST_PARTS
    }

    /// True if a case is found, or if there are too many.
    fn find_case(&mut self, proposition: PropositionId) -> bool {
        self.cases += 1;
        if self.is_given_up() {
            return true;
        }
        let last = self.order.last().copied();
        if let Some(closing) = last.and_then(|last| self.contradiction_with(last)) {
            return self.close(closing);
        }
        let value = self.value_of(proposition);
        // Asked last, because it takes longest.
        let impossible_text = |search: &mut Self| last.and_then(|last| search.impossible_text(last));
        let (cell, helpful) = match value {
            Value::Known(false) => return self.close(RecordedClosing::Formula),
            Value::Known(true) => {
                return match impossible_text(self) {
                    Some(text) => self.close(RecordedClosing::Text(text)),
                    None => self.keep_case(),
                };
            }
            Value::Open(cell, helpful) => (cell, helpful),
        };
        if let Some(text) = impossible_text(self) {
            return self.close(RecordedClosing::Text(text));
        }
        let values = self.values_to_try(cell, helpful);
        self.note_step(RecordedStep::Split(cell, values[0]));
        for value in values {
            self.set(cell, Some(value));
            self.order.push(cell);
            let found = self.find_case(proposition);
            self.order.pop();
            self.set(cell, None);
            if found {
                return true;
            }
        }
        false
    }

    /// Ends a branch without a case.
    fn close(&mut self, closing: RecordedClosing) -> bool {
        self.note_step(RecordedStep::Closed(closing));
        false
    }

    fn note_step(&mut self, step: RecordedStep) {
        if let Some(record) = &mut self.table.record {
            record.steps.push(step);
        }
    }

    /// The values of a cell, the one that is tried first first. Cases that are kept have what is absent before what is there, because
    /// values with less in them are subject to fewer other rules.
    fn values_to_try(&self, cell: CellId, helpful: bool) -> [bool; 2] {
        let is_presence =
            || self.table.cells.get(cell).is_some_and(|known| known.cell.kind == CellKind::There);
        let first = helpful && !(self.wanted > 0 && is_presence());
        [first, !first]
    }

    fn set(&mut self, cell: CellId, value: Option<bool>) {
        if let Some(known) = self.values.get_mut(cell.index()) {
            *known = value;
        }
    }

    fn value(&self, cell: CellId) -> Option<bool> {
        self.values.get(cell.index()).copied().flatten()
    }

    fn value_of(&mut self, id: PropositionId) -> Value {
        self.parts += 1;
        let mut parts = 0;
        let value = value_of(self.table, &self.values, id, &mut parts);
        self.parts += parts;
        value
    }

    /// The reason why no object has the value of the last cell together with those of the others. The others have been found to agree.
    fn contradiction_with(&mut self, last: CellId) -> Option<RecordedClosing> {
        let known = self.table.cells.get(last)?;
        let (comparison, is_ordered) = (known.comparison, known.order.is_some());
        if let Some(it) = comparison {
            if self.has_impossible_number(it.subject) {
                return Some(RecordedClosing::Value);
            }
            if self.is_outside_enum(it.subject) {
                return Some(RecordedClosing::Listed);
            }
        }
        (is_ordered && self.has_impossible_differences()).then_some(RecordedClosing::Order)
    }

    /// True if no values have the order that the cells demand.
    fn has_impossible_differences(&mut self) -> bool {
        let Self { table, order, values, parts, .. } = self;
        let PropositionTable { cells, .. } = &mut **table;
        let mut relations = Vec::new();
        for id in order.iter() {
            let value = values.get(id.index()).copied().flatten();
            if let (Some(value), Some(relation)) = (value, cells.get(*id).and_then(|known| known.order)) {
                relations.push((relation, value));
            }
        }
        let relates_terms = relations.iter().any(|(relation, _)| relation.relates_terms);
        relates_terms && are_contradictory(&relations, &mut cells.values, parts)
    }

    /// The cells that have values, with their values.
    fn known_cells(&self) -> impl Iterator<Item = (&KnownCell<'_>, bool)> {
        self.order.iter().filter_map(|id| Some((self.table.cells.get(*id)?, self.value(*id)?)))
    }

    /// True if no value of a term is equal to constants, less and greater, as the cells have it.
    fn has_impossible_number(&self, subject: TermId) -> bool {
        let mut range: Option<NumberRange> = None;
        let mut equal: Option<&Constant> = None;
        for (cell, value) in self.known_cells() {
            let Some(it) = cell.comparison.filter(|it| it.subject == subject) else { continue };
            match it.relation {
                ConstantRelation::Equal if !value => {}
                ConstantRelation::Equal => {
                    if equal.replace(it.constant).is_some_and(|other| are_different(other, it.constant)) {
                        return true;
                    }
                }
                relation => {
                    let of_schema = || self.table.terms.get(subject).and_then(|known| known.range);
                    range.get_or_insert_with(|| of_schema().unwrap_or_default()).add_comparison(
                        it.constant,
                        relation == ConstantRelation::Below,
                        value,
                    );
                }
            }
        }
        range.is_some_and(|range| range.is_empty() || equal.is_some_and(|it| !range.contains(it)))
    }

    /// True if a value differs from all that its schema allows.
    fn is_outside_enum(&mut self, subject: TermId) -> bool {
        let excluded = |(cell, value): (&KnownCell<'_>, bool)| {
            let it = cell.comparison.filter(|it| it.subject == subject && !value)?;
            (it.relation == ConstantRelation::Equal).then(|| it.constant.clone())
        };
        let excluded: Vec<Constant> = self.known_cells().filter_map(excluded).collect();
        let Some(allowed) = self.table.terms.allowed_values(subject) else { return false };
        !allowed.is_empty() && allowed.iter().all(|value| excluded.contains(value))
    }

    /// The text that the last cell is about, if no text meets what the cells and the schema say of it.
    fn impossible_text(&mut self, last: CellId) -> Option<TermId> {
        let known = self.table.cells.get(last)?;
        let subject = known.text.as_ref().map(|text| text.subject).or(known.tested_text)?;
        let conditions = self.text_conditions(subject)?;
        self.memory.texts.is_empty(&conditions).then_some(subject)
    }

    /// The conditions that the cells and the schema have for a text. `None` for a value that may be a list or a map, whose size they restrict.
    fn text_conditions(&mut self, subject: TermId) -> Option<TextConditions> {
        let demands = self.schema_demands(subject);
        // A size is that of a text if its schema or a test of it says so.
        let is_text =
            demands.is_some() || self.known_cells().any(|(cell, _)| cell.tested_text == Some(subject));
        if !is_text {
            return None;
        }
        let mut conditions = demands.unwrap_or_default();
        let mut texts = std::mem::take(&mut self.memory.texts);
        for (cell, value) in self.known_cells() {
            if let Some(text) = cell.text.as_ref().filter(|text| text.subject == subject) {
                add_condition(&mut conditions, text, value, &mut texts);
            }
        }
        self.memory.texts = texts;
        Some(conditions)
    }

    fn schema_demands(&mut self, subject: TermId) -> Option<TextConditions> {
        let node = self.table.terms.get(subject).and_then(super::terms::KnownTerm::facts);
        let texts = &mut self.memory.texts;
        let known = self.memory.demands.entry(subject);
        known.or_insert_with(|| texts.conditions_of_schema(node?)).clone()
    }
}

fn add_condition(
    conditions: &mut TextConditions,
    text: &TextCondition<'_>,
    value: bool,
    texts: &mut TextSearches,
) {
    match &text.restricts {
        TextRestriction::Set(set, inside_if) => conditions.add_set(texts.number_of(set), *inside_if == value),
        TextRestriction::Size(number) => conditions.add_size(*number, value),
        TextRestriction::Length(bound, relation) => {
            conditions.add_length(bound, *relation == ConstantRelation::Below, value);
        }
    }
}

/// The value of a proposition; `looked_at` counts its parts.
fn value_of(
    table: &PropositionTable<'_>,
    values: &[Option<bool>],
    id: PropositionId,
    looked_at: &mut usize,
) -> Value {
    *looked_at += 1;
    let (parts, decides) = match table.get(id) {
        None => return Value::Known(true),
        Some(Proposition::Constant(value)) => return Value::Known(*value),
        Some(Proposition::Cell(cell)) => {
            let value = values.get(cell.index()).copied().flatten();
            return value.map_or(Value::Open(*cell, true), Value::Known);
        }
        Some(Proposition::Not(inner)) => {
            return match value_of(table, values, *inner, looked_at) {
                Value::Known(value) => Value::Known(!value),
                Value::Open(cell, helpful) => Value::Open(cell, !helpful),
            };
        }
        Some(Proposition::All(parts)) => (parts, false),
        Some(Proposition::Any(parts)) => (parts, true),
    };
    let mut open = Value::Known(!decides);
    for part in parts {
        match value_of(table, values, *part, looked_at) {
            Value::Known(value) if value == decides => return Value::Known(decides),
            found @ Value::Open(..) if matches!(open, Value::Known(_)) => open = found,
            Value::Known(_) | Value::Open(..) => {}
        }
    }
    open
}
