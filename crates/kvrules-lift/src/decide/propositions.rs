//! Formulas as propositions: combinations of cells, which are true or false.
//!
//! What the schema decides at once, such as the presence of a required field, is decided when a proposition is made, and so is all
//! that a cell says about values. Then cases are tried on numbers alone.

use std::cmp::Ordering;
use std::sync::LazyLock;

use kvrules_ir::{Collection, Constant, EntryVariables, Formula, Quantification, Term, TermRelation};
use serde_json::Value as Json;

use super::cell_kinds::{Cell, CellKind};
use super::cells::{CellId, CellTable};
use super::constants::{has_constant_divisor, has_constant_value, order_constants};
use super::linear_forms::linear_form;
use super::loop_sides::loops_of;
use super::ordered_kinds::{OrderedKind, kind_of_values};
use super::record::ProofRecord;
use super::terms::{ItemPresence, KnownTerm, TermId, TermTable};
use super::total_arithmetic::is_total_arithmetic;
use super::{Conversions, ExampleKey};
use crate::facts::{
    divisor_of, forced_equality, forced_order, is_always_there, is_test, is_total, takes_text,
};
use crate::quick_hash::{QuickMap, QuickSet};

/// The number of a proposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PropositionId(u32);

/// Never holds.
const FALSE: PropositionId = PropositionId(0);
/// Always holds.
const TRUE: PropositionId = PropositionId(1);

#[derive(Debug)]
pub(super) enum Proposition {
    Constant(bool),
    Cell(CellId),
    Not(PropositionId),
    All(Vec<PropositionId>),
    Any(Vec<PropositionId>),
}

/// The propositions about values of one schema.
pub(crate) struct PropositionTable<'a> {
    pub(super) terms: TermTable<'a>,
    pub(super) cells: CellTable<'a>,
    propositions: Vec<Proposition>,
    /// True if there is a stored value wherever formulas name it.
    has_stored: bool,
    presence: QuickMap<(TermId, Conversions), PropositionId>,
    /// The variables of loops of which no entry fails.
    never_failing: QuickSet<EntryVariables>,
    /// True if no entry of a loop ends in an error.
    are_loops_decided: bool,
    /// Facts and cases for a certificate, if one is asked for.
    pub(super) record: Option<ProofRecord>,
}

impl<'a> PropositionTable<'a> {
    pub(super) fn new(schema: &'a Json, has_stored: bool) -> Self {
        Self {
            terms: TermTable::new(schema),
            cells: CellTable::default(),
            propositions: vec![Proposition::Constant(false), Proposition::Constant(true)],
            has_stored,
            presence: QuickMap::default(),
            never_failing: QuickSet::default(),
            are_loops_decided: false,
            record: None,
        }
    }

    pub(super) fn take_loops_as_decided(&mut self, are_decided: bool) {
        self.are_loops_decided = are_decided;
    }

    pub(super) fn note_examples(&mut self, examples: &'a [ExampleKey]) {
        self.terms.note_examples(examples);
    }

    pub(super) fn take_stored_as_valid(&mut self) {
        self.terms.is_stored_valid = true;
    }

    pub(super) fn get(&self, id: PropositionId) -> Option<&Proposition> {
        self.propositions.get(usize::try_from(id.0).ok()?)
    }

    fn push(&mut self, proposition: Proposition) -> PropositionId {
        self.propositions.push(proposition);
        PropositionId(u32::try_from(self.propositions.len() - 1).unwrap_or(u32::MAX))
    }

    /// All of several propositions.
    pub(crate) fn all_of(&mut self, parts: impl IntoIterator<Item = PropositionId>) -> PropositionId {
        match join(parts, FALSE, TRUE) {
            Joined::One(id) => id,
            Joined::Many(parts) => self.push(Proposition::All(parts)),
        }
    }

    /// At least one of several propositions.
    pub(crate) fn any_of(&mut self, parts: impl IntoIterator<Item = PropositionId>) -> PropositionId {
        match join(parts, TRUE, FALSE) {
            Joined::One(id) => id,
            Joined::Many(parts) => self.push(Proposition::Any(parts)),
        }
    }

    /// The opposite of a proposition.
    pub(crate) fn negation_of(&mut self, id: PropositionId) -> PropositionId {
        match self.get(id) {
            Some(Proposition::Constant(value)) => certain(!value),
            Some(Proposition::Not(inner)) => *inner,
            _ => self.push(Proposition::Not(id)),
        }
    }

    /// Notes the schemas of the entries of all loops in a formula. Has to come before propositions about them.
    pub(super) fn note_loops(&mut self, formula: &'a Formula) {
        formula.visit_formulas(&mut |part| {
            if let Formula::Each(it) | Formula::Some(it) = part {
                self.terms.note_entry(it.entry, &it.range);
            }
        });
    }

    /// The proposition that says what a formula says.
    pub(super) fn of_formula(&mut self, formula: &'a Formula, conversions: Conversions) -> PropositionId {
        match formula {
            Formula::True => TRUE,
            Formula::False => FALSE,
            Formula::All(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.of_formula(part, conversions)).collect();
                self.all_of(parts)
            }
            Formula::Any(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.of_formula(part, conversions)).collect();
                self.any_of(parts)
            }
            Formula::Not(inner) => {
                let inner = self.of_formula(inner, conversions);
                self.negation_of(inner)
            }
            Formula::Defined(term) => self.term_is_defined(term, conversions),
            Formula::Compare { left, relation, right } => self.compare(left, *relation, right, conversions),
            Formula::Each(it) => self.of_loop(it, true, conversions),
            Formula::Some(it) => self.of_loop(it, false, conversions),
        }
    }

    fn of_loop(&mut self, it: &'a Quantification, is_each: bool, conversions: Conversions) -> PropositionId {
        // An empty list passes and a loop without passing entries too, so `All` is free. A formula for entries that never holds
        // makes `some` false, and one that always holds `each` true.
        let range = self.terms.number_of(&it.range);
        let there = self.presence_of(range, conversions);
        if is_each && self.are_loops_decided && self.never_failing.contains(&it.entry) {
            return there;
        }
        let holds = self.of_formula(&it.holds, conversions);
        if !is_each && self.value_given(holds, there) == Some(false) {
            self.never_failing.insert(it.entry);
            return FALSE;
        }
        if is_each && self.value_given(holds, there) == Some(true) {
            return there;
        }
        let all = self.cell(Cell { kind: CellKind::AllPass(it.entry), left: range, right: range });
        let passes = if is_each { all } else { self.negation_of(all) };
        self.all_of([there, passes])
    }

    /// The proposition that a term has a value.
    pub(super) fn term_is_defined(&mut self, term: &'a Term, conversions: Conversions) -> PropositionId {
        let term = self.terms.number_of(term);
        self.presence_of(term, conversions)
    }

    /// A term has a value.
    fn presence_of(&mut self, id: TermId, conversions: Conversions) -> PropositionId {
        if let Some(known) = self.presence.get(&(id, conversions)) {
            return *known;
        }
        let made = self.make_presence(id, conversions);
        self.presence.insert((id, conversions), made);
        made
    }

    fn make_presence(&mut self, id: TermId, conversions: Conversions) -> PropositionId {
        let Some(known) = self.terms.get(id) else { return TRUE };
        let succeeds = conversions == Conversions::Succeed;
        let is_certain = match known.term {
            Term::Constant(_) | Term::Variable(_) | Term::Tally(_) => return TRUE,
            Term::Root(name) => match name.as_str() {
                "self" | "request" => return TRUE,
                "oldSelf" => self.has_stored,
                _ => false,
            },
            Term::Field(_, name) => {
                let of = known.parts.first().and_then(|of| self.terms.get(*of));
                of.is_some_and(|of| of.facts().is_some_and(|node| is_always_there(node, name)))
            }
            Term::Index(..) => self.terms.is_own_key(known),
            // Its condition compares values that every item has.
            Term::Collect(_) if self.terms.selects_one_item(known, ItemPresence::Certain) => true,
            Term::Collect(it) => {
                let parts = known.parts.clone();
                let mut needed: Vec<_> =
                    parts.into_iter().map(|part| self.presence_of(part, conversions)).collect();
                if self.collects_all_entries(it, conversions) {
                    self.note_fact(CellKind::There, id, id, true);
                } else {
                    needed.push(self.cell(Cell { kind: CellKind::There, left: id, right: id }));
                }
                return self.all_of(needed);
            }
            Term::Call(call) if takes_text(&call.function) && self.has_two_types(known.parts.first()) => {
                return self.presence_of_text_call(id, succeeds || is_total(call), conversions);
            }
            Term::Call(call) if succeeds && divisor_of(call).is_some() => has_constant_divisor(call),
            Term::Call(call) => {
                succeeds
                    || is_total(call)
                    || has_constant_value(known.term)
                    || is_total_arithmetic(id, &self.terms)
            }
            Term::List(_) => true,
        };
        let parts = known.parts.clone();
        let mut needed: Vec<_> = parts.into_iter().map(|part| self.presence_of(part, conversions)).collect();
        if is_certain {
            self.note_fact(CellKind::There, id, id, true);
        } else {
            needed.push(self.cell(Cell { kind: CellKind::There, left: id, right: id }));
        }
        self.all_of(needed)
    }

    /// Notes for a certificate what the schema or the language decides.
    fn note_fact(&mut self, kind: CellKind, left: TermId, right: TermId, holds: bool) {
        if let Some(record) = &mut self.record {
            record.facts.push((Cell { kind, left, right }, holds));
        }
    }

    /// Notes that a cell holds exactly if a value has a type.
    fn note_type(&mut self, kind: CellKind, left: TermId, right: TermId, of: TermId, name: &'static Term) {
        if let Some(record) = &mut self.record {
            record.types.push((Cell { kind, left, right }, of, name));
        }
    }

    fn has_two_types(&self, id: Option<&TermId>) -> bool {
        id.and_then(|id| self.terms.get(*id)).is_some_and(KnownTerm::has_two_types)
    }

    /// A function of texts has a value, whose first argument may be an integer as well: then there is no such overload.
    fn presence_of_text_call(
        &mut self,
        id: TermId,
        is_certain_for_texts: bool,
        conversions: Conversions,
    ) -> PropositionId {
        let parts = self.terms.get(id).map(|known| known.parts.clone()).unwrap_or_default();
        let is_text = parts.first().and_then(|part| self.has_type(*part, &TEXT_TYPE));
        let mut needed: Vec<_> = parts.into_iter().map(|part| self.presence_of(part, conversions)).collect();
        let first = self.terms.get(id).and_then(|known| known.parts.first().copied());
        if let (Some(_), Some(first)) = (is_text, first) {
            self.note_type(CellKind::There, id, id, first, &TEXT_TYPE);
        }
        if is_text.is_none() || !is_certain_for_texts {
            needed.push(self.cell(Cell { kind: CellKind::There, left: id, right: id }));
        } else {
            self.note_fact(CellKind::There, id, id, true);
        }
        needed.extend(is_text);
        self.all_of(needed)
    }

    /// A term has a type. `None` if no formula tests the type of the term.
    fn has_type(&mut self, id: TermId, name: &'static Term) -> Option<PropositionId> {
        let of = self.terms.type_of(id)?;
        let name = self.terms.number_of(name);
        Some(self.are_equal(of, name))
    }

    /// True if it is certain that a list is made: the condition is decided for each entry, and each that is selected has a result.
    fn collects_all_entries(&mut self, it: &'a Collection, conversions: Conversions) -> bool {
        self.terms.note_entry(it.entry, &it.range);
        self.note_loops(&it.selected);
        self.note_loops(&it.left_out);
        let [selected, left_out] =
            [&it.selected, &it.left_out].map(|formula| self.of_formula(formula, conversions));
        let result = self.term_is_defined(&it.result, conversions);
        let range = self.term_is_defined(&it.range, conversions);
        let no_range = self.negation_of(range);
        let decided = self.any_of([selected, left_out, no_range]);
        let loops = loops_of([&it.selected, &it.left_out]);
        // Cells of loops do not decide which entries are selected.
        let not_selected = if loops.is_empty() { self.negation_of(selected) } else { FALSE };
        let has_result = self.any_of([result, not_selected, no_range]);
        self.always_holds(decided)
            && self.always_holds(has_result)
            && self.decides_entries(&loops, no_range, conversions)
    }

    /// True if it is certain that each loop has an answer for each of its entries, which the two sides of a loop do not say themselves.
    fn decides_entries(
        &mut self,
        loops: &[(bool, &'a Quantification)],
        otherwise: PropositionId,
        conversions: Conversions,
    ) -> bool {
        loops.iter().all(|(_, it)| {
            let same: Vec<_> = loops.iter().filter(|(_, other)| other.entry == it.entry).collect();
            let [(one_side, one), (other_side, other)] = same.as_slice() else { return false };
            if one_side == other_side || one.range != other.range {
                return false;
            }
            let sides = [one, other].map(|side| self.of_formula(&side.holds, conversions));
            let range = self.term_is_defined(&it.range, conversions);
            let no_entries = self.negation_of(range);
            let decided = self.any_of(sides.into_iter().chain([no_entries, otherwise]));
            self.always_holds(decided)
        })
    }

    fn compare(
        &mut self,
        left: &'a Term,
        relation: TermRelation,
        right: &'a Term,
        conversions: Conversions,
    ) -> PropositionId {
        let (left, right) = (self.terms.number_of(left), self.terms.number_of(right));
        let there = [left, right].map(|term| self.presence_of(term, conversions));
        let [left, right] = [left, right].map(|term| self.terms.equal_term(term));
        let related = match relation {
            TermRelation::Equal => self.are_equal(left, right),
            TermRelation::NotEqual => {
                let equal = self.are_equal(left, right);
                self.negation_of(equal)
            }
            TermRelation::Less => self.is_less(left, right, false, conversions),
            TermRelation::LessOrEqual => self.is_less(right, left, true, conversions),
        };
        self.all_of(there.into_iter().chain([related]))
    }

    /// Both values equal themselves, as all do that are numbers or no numbers with a point.
    fn equal_themselves(&mut self, left: TermId, right: TermId) -> [PropositionId; 2] {
        [left, right].map(|id| {
            let may_differ = self.terms.get(id).is_some_and(|known| known.self_equality.may_differ);
            if may_differ {
                return self.cell(Cell { kind: CellKind::Equal, left: id, right: id });
            }
            self.note_fact(CellKind::Equal, id, id, true);
            TRUE
        })
    }

    fn constant_at(&self, id: TermId) -> Option<&'a Constant> {
        self.terms.get(id)?.constant()
    }

    fn are_equal(&mut self, left: TermId, right: TermId) -> PropositionId {
        let themselves = self.equal_themselves(left, right);
        let equal = if left == right { TRUE } else { self.are_same(left, right) };
        self.all_of(themselves.into_iter().chain([equal]))
    }

    /// Two values, each of which equals itself, are equal.
    fn are_same(&mut self, left: TermId, right: TermId) -> PropositionId {
        let is_constant = |id| self.constant_at(id).is_some();
        let is_turned = is_constant(left) || (!is_constant(right) && right < left);
        let (left, right) = if is_turned { (right, left) } else { (left, right) };
        if let (Some(one), Some(other)) = (self.constant_at(left), self.constant_at(right))
            && let Some(order) = order_constants(one, other)
        {
            self.note_fact(CellKind::Equal, left, right, order == Ordering::Equal);
            return certain(order == Ordering::Equal);
        }
        // A test is true or false.
        if self.constant_at(right) == Some(&Constant::Boolean(false))
            && let Some(KnownTerm { term: Term::Call(call), .. }) = self.terms.get(left)
            && is_test(&call.function)
        {
            let truth = self.terms.number_of(&TRUTH);
            let holds = self.are_equal(left, truth);
            return self.negation_of(holds);
        }
        if let Some(constant) = self.constant_at(right)
            && let Some(forced) = self.forced_equality(left, constant)
        {
            self.note_fact(CellKind::Equal, left, right, forced);
            return certain(forced);
        }
        self.cell(Cell { kind: CellKind::Equal, left, right })
    }

    fn forced_equality(&mut self, id: TermId, constant: &Constant) -> Option<bool> {
        let known = self.terms.get(id)?;
        if let (Term::Call(call), [of], Constant::Type(name)) = (known.term, known.parts.as_slice(), constant)
            && call.function == "type"
        {
            let kind = self.terms.get(*of).and_then(kind_of_values)?;
            return Some(kind.type_name()? == name.as_str());
        }
        let (term, facts, range) = (known.term, known.facts(), known.range);
        forced_equality(term, facts, self.terms.allowed_values(id), range, constant)
    }

    /// `left < right`, or the opposite, if both can be compared.
    fn is_less(
        &mut self,
        left: TermId,
        right: TermId,
        is_opposite: bool,
        conversions: Conversions,
    ) -> PropositionId {
        let is_ordered = |id| {
            self.terms.get(id).is_some_and(KnownTerm::is_ordered) || linear_form(id, &self.terms).is_some()
        };
        let are_ordered = is_ordered(left) && is_ordered(right);
        let comparable = match self.type_of_operand(left, right) {
            Some((operand, name)) => {
                let tested = self.has_type(operand, name);
                if tested.is_some() {
                    self.note_fact(CellKind::Comparable, left, right, true);
                    self.note_type(CellKind::Comparable, left, right, operand, name);
                }
                tested.unwrap_or_else(|| self.cell(Cell { kind: CellKind::Comparable, left, right }))
            }
            None if conversions == Conversions::Succeed || are_ordered => {
                self.note_fact(CellKind::Comparable, left, right, true);
                TRUE
            }
            None => self.cell(Cell { kind: CellKind::Comparable, left, right }),
        };
        let range = |id| self.terms.get(id).and_then(|known| known.range);
        let forced = match (self.constant_at(left), self.constant_at(right)) {
            (Some(one), Some(other)) => order_constants(one, other).map(|order| order == Ordering::Less),
            (_, Some(bound)) => range(left).and_then(|range| forced_order(range, bound, true)),
            (Some(bound), _) => range(right).and_then(|range| forced_order(range, bound, false)),
            _ => (left == right).then_some(false),
        };
        let forced = forced.or_else(|| self.order_with_extreme(left, right));
        let less = match forced {
            Some(forced) => {
                self.note_fact(CellKind::Less, left, right, forced);
                certain(forced)
            }
            None => self.cell(Cell { kind: CellKind::Less, left, right }),
        };
        let related = if is_opposite { self.negation_of(less) } else { less };
        let themselves = match conversions {
            Conversions::MayFail => self.equal_themselves(left, right),
            Conversions::Succeed => [TRUE; 2],
        };
        self.all_of([comparable, related].into_iter().chain(themselves))
    }

    /// The answer of `left < right` for a value of JSON and a constant beyond all of its kind.
    fn order_with_extreme(&self, left: TermId, right: TermId) -> Option<bool> {
        let kind = |id| self.terms.get(id).and_then(kind_of_values);
        let is_beyond = |id, of, is_above: bool| match (self.constant_at(id)?, kind(of)?) {
            (Constant::Float(number), OrderedKind::Integer | OrderedKind::Number) => {
                (number.is_infinite() && (*number > 0.0) == is_above).then_some(())
            }
            (Constant::Integer(number), OrderedKind::Integer) => {
                (*number == if is_above { i64::MAX } else { i64::MIN }).then_some(())
            }
            _ => None,
        };
        let is_infinite = |id| matches!(self.constant_at(id), Some(Constant::Float(_)));
        // No value is above the greatest one; that it is below holds only if the constant is none itself.
        if is_beyond(left, right, true).is_some() || is_beyond(right, left, false).is_some() {
            return Some(false);
        }
        let is_less = is_beyond(right, left, true).is_some() && is_infinite(right)
            || is_beyond(left, right, false).is_some() && is_infinite(left);
        is_less.then_some(true)
    }

    /// The operand that may be an integer or a text, and the type that it needs to be ordered with the other, a constant.
    fn type_of_operand(&self, left: TermId, right: TermId) -> Option<(TermId, &'static Term)> {
        let (operand, constant) = match (self.constant_at(left), self.constant_at(right)) {
            (None, Some(constant)) => (left, constant),
            (Some(constant), None) => (right, constant),
            _ => return None,
        };
        let name: &'static Term = match constant {
            Constant::Integer(_) => &INTEGER_TYPE,
            Constant::Text(_) => &TEXT_TYPE,
            _ => return None,
        };
        self.has_two_types(Some(&operand)).then_some((operand, name))
    }

    fn cell(&mut self, cell: Cell) -> PropositionId {
        let id = self.cells.number_of(cell, &mut self.terms);
        self.push(Proposition::Cell(id))
    }
}

/// The constant that tests are compared with.
static TRUTH: Term = Term::Constant(Constant::Boolean(true));

/// The types that values of `x-kubernetes-int-or-string` have.
static INTEGER_TYPE: LazyLock<Term> = LazyLock::new(|| Term::Constant(Constant::Type("int".to_owned())));
static TEXT_TYPE: LazyLock<Term> = LazyLock::new(|| Term::Constant(Constant::Type("string".to_owned())));

fn certain(value: bool) -> PropositionId {
    if value { TRUE } else { FALSE }
}

enum Joined {
    One(PropositionId),
    Many(Vec<PropositionId>),
}

/// The parts that count: none that is `neutral`, and one alone if it `decides`.
fn join(
    parts: impl IntoIterator<Item = PropositionId>,
    decides: PropositionId,
    neutral: PropositionId,
) -> Joined {
    let mut kept: Vec<PropositionId> = Vec::new();
    for part in parts {
        if part == decides {
            return Joined::One(decides);
        }
        if part != neutral && kept.last() != Some(&part) {
            kept.push(part);
        }
    }
    match kept.as_slice() {
        [] => Joined::One(neutral),
        [one] => Joined::One(*one),
        _ => Joined::Many(kept),
    }
}
