//! Proofs that no object which a schema accepts satisfies a formula.
//!
//! Atoms become cells that are true or false: that a value is there, how two values compare. The search tries cells until the
//! formula is decided, and knows what the schema says of single values: required fields, enums, bounds. It knows less than all
//! there is to know, so it may find a case that no object has. That there is no case is a proof.

mod cases;
mod cell_kinds;
mod cells;
mod constants;
mod differences;
mod linear_forms;
mod loop_sides;
mod order_relations;
mod ordered_kinds;
mod proofs;
mod propositions;
mod record;
mod search;
mod self_equality;
mod terms;
mod total_arithmetic;
mod truth;
mod unique_items;

use kvrules_ir::{Formula, Term, VariableId};
use serde_json::Value as Json;

pub(crate) use cases::{Case, CaseFact};
pub(crate) use propositions::PropositionId;
use propositions::PropositionTable;
use search::SearchMemory;

/// The key of an entry that stands for one that a formula without loops needs.
#[derive(Clone, Debug)]
pub(crate) struct ExampleKey {
    pub(crate) variable: VariableId,
    /// The list or map.
    pub(crate) range: Term,
}

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Satisfiability {
    /// No object that the schema accepts satisfies the formula.
    Never,
    /// Some object may.
    Perhaps,
    /// There are too many cases to try.
    Unknown,
}

/// Decides whether an object that a schema accepts can satisfy a formula about `self` and `oldSelf`. There need not be a stored value,
/// unless the formula says so; see [`stored_value_exists`](crate::stored_value_exists).
///
/// The formula has to be of one expression, or without loops: the variables of loops are unique only in one expression.
/// [`is_implied`](crate::is_implied) takes formulas of several, and is what other crates have.
pub(crate) fn can_hold(formula: &Formula, examples: &[ExampleKey], schema: &Json) -> Satisfiability {
    let mut decider = Decider::new(schema);
    decider.note_examples(examples);
    let proposition = decider.add_formula(formula, Conversions::MayFail);
    decider.can_hold(proposition)
}

/// Treatment of functions that have no value for some texts, such as `int` and `quantity`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Conversions {
    /// They may end in an error.
    MayFail,
    /// They are taken to succeed.
    #[default]
    Succeed,
}

/// Answers questions about values of one schema. Formulas that are asked about together share what is known of their terms.
pub(crate) struct Decider<'a> {
    table: PropositionTable<'a>,
    memory: SearchMemory,
}

impl<'a> Decider<'a> {
    pub(crate) fn new(schema: &'a Json) -> Self {
        Self { table: PropositionTable::new(schema, false), memory: SearchMemory::default() }
    }

    /// Answers about a rule for which there is a stored value wherever it names one.
    pub(crate) fn with_stored(schema: &'a Json) -> Self {
        Self { table: PropositionTable::new(schema, true), memory: SearchMemory::default() }
    }

    /// Takes the stored value to be one that the schema accepts, which an older one need not be.
    pub(crate) fn and_valid_stored(mut self) -> Self {
        self.table.take_stored_as_valid();
        self
    }

    /// Takes entries of loops to end in no error, or not. Whoever does asks about the entries by themselves.
    pub(crate) fn take_loops_as_decided(&mut self, are_decided: bool) {
        self.table.take_loops_as_decided(are_decided);
    }

    /// Notes the entries that the variables of formulas without loops stand for. Has to come before these formulas.
    pub(crate) fn note_examples(&mut self, examples: &'a [ExampleKey]) {
        self.table.note_examples(examples);
    }

    /// Adds a formula as a proposition.
    pub(crate) fn add_formula(&mut self, formula: &'a Formula, conversions: Conversions) -> PropositionId {
        self.table.note_loops(formula);
        self.table.of_formula(formula, conversions)
    }

    /// Adds that a term has a value.
    pub(crate) fn add_presence(&mut self, term: &'a Term, conversions: Conversions) -> PropositionId {
        self.table.term_is_defined(term, conversions)
    }

    /// All of several propositions.
    pub(crate) fn all_of(&mut self, parts: impl IntoIterator<Item = PropositionId>) -> PropositionId {
        self.table.all_of(parts)
    }

    /// At least one of several propositions.
    pub(crate) fn any_of(&mut self, parts: impl IntoIterator<Item = PropositionId>) -> PropositionId {
        self.table.any_of(parts)
    }

    /// The opposite of a proposition.
    pub(crate) fn negation_of(&mut self, proposition: PropositionId) -> PropositionId {
        self.table.negation_of(proposition)
    }

    /// Decides whether a value of the schema can satisfy a proposition.
    pub(crate) fn can_hold(&mut self, proposition: PropositionId) -> Satisfiability {
        search::find_case(&mut self.table, &mut self.memory, proposition)
    }

    /// Returns cases in which a proposition may hold, at most so many. If there are none, it certainly never holds, unless the answer says
    /// otherwise.
    pub(crate) fn find_cases(
        &mut self,
        proposition: PropositionId,
        most: usize,
    ) -> (Satisfiability, Vec<Case<'a>>) {
        search::collect_cases(&mut self.table, &mut self.memory, proposition, most)
    }

    /// The number of parts of propositions that searches have examined.
    pub(crate) fn parts_seen(&self) -> usize {
        self.memory.parts
    }

    /// True if it is certain that one proposition holds of each value of which the other holds.
    pub(crate) fn implies(&mut self, one: PropositionId, other: PropositionId) -> bool {
        let opposite = self.negation_of(other);
        let both = self.all_of([one, opposite]);
        self.can_hold(both) == Satisfiability::Never
    }
}
