//! Goals: what an object must satisfy.

use kvrules_ir::{Operand, Place, Predicate};

use crate::address::Scope;
use crate::term_comparison::TermOrder;
use crate::value_facts::ValueFact;

/// One requirement on an object.
#[derive(Clone, Debug)]
pub(crate) enum SearchGoal<'p> {
    /// A predicate holds, or does not.
    Holds(&'p Predicate, bool, Scope<'p>),
    /// A place does not exist.
    Absent(&'p Place, Scope<'p>),
    /// A place exists, and this is so of its value.
    Value(&'p Place, Scope<'p>, ValueFact<'p>),
    /// Two operands have values in this order.
    Ordered(&'p Operand, TermOrder, &'p Operand, Scope<'p>),
}

/// Alternatives that satisfy one requirement.
pub(crate) type GoalChoice<'p> = Vec<SearchGoal<'p>>;

/// Goals that remain to be processed.
#[derive(Clone, Debug, Default)]
pub(crate) struct GoalAgenda<'p> {
    /// All of these.
    pub(crate) goals: Vec<SearchGoal<'p>>,
    /// One out of each of these.
    pub(crate) choices: Vec<GoalChoice<'p>>,
}
