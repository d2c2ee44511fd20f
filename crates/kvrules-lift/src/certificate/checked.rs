//! The answer of the checker about a certificate.

use std::collections::{BTreeMap, BTreeSet};

use super::theory::Literal;

/// A step that the checker knows by its name alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UncheckedStep {
    /// Expressions of constants were computed.
    Constants,
    /// A fact about functions or types.
    Fact(usize),
    /// No text meets the conditions on one: a search with automata.
    Texts(String),
    /// An order of values that functions read.
    Order,
}

/// The answer about one certificate.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// The reason for its refusal.
    pub(super) refusal: Option<String>,
    pub(super) unchecked: BTreeSet<UncheckedStep>,
    /// The facts that branches use, by their numbers.
    pub(super) used: BTreeSet<usize>,
    /// The axioms that branches use, by their numbers, with their names.
    pub(super) axioms: BTreeMap<usize, &'static str>,
    /// The statements of each branch, with their answers and what contradicts them.
    pub(super) branches: Vec<Branch>,
}

#[derive(Debug)]
pub(super) struct Branch {
    pub(super) literals: Vec<Literal>,
    pub(super) end: BranchEnd,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BranchEnd {
    /// This formula is false, by its number.
    Formula(usize),
    /// This axiom is false, by its number.
    Axiom(usize),
    /// The statements contradict each other.
    Values,
    /// No text is left.
    Text(String),
    /// The order is one of values that functions read.
    Order,
}
