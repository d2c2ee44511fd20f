//! Goals: what an object must satisfy.

use kvrules_ir::{Operand, Place, Predicate};

use crate::address::Scope;
use crate::term_comparison::Order;
use crate::value_facts::Fact;

/// One thing that is asked of an object.
#[derive(Clone, Debug)]
pub(crate) enum Goal<'p> {
    /// A predicate holds, or does not.
    Holds(&'p Predicate, bool, Scope<'p>),
    /// A place does not exist.
    Absent(&'p Place, Scope<'p>),
    /// A place exists, and this is so of its value.
    Value(&'p Place, Scope<'p>, Fact<'p>),
    /// Two operands have values in this order.
    Ordered(&'p Operand, Order, &'p Operand, Scope<'p>),
}

/// Ways to meet one demand; one of them is enough.
pub(crate) type Choice<'p> = Vec<Goal<'p>>;

/// Goals that remain to be processed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agenda<'p> {
    /// All of these.
    pub(crate) goals: Vec<Goal<'p>>,
    /// One out of each of these.
    pub(crate) choices: Vec<Choice<'p>>,
}
