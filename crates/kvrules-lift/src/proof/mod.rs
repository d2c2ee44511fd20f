//! Proofs that formulas imply another one for every object that a schema accepts.
//!
//! The premises and the opposite of the conclusion are made free of loops, in a way that loses no object: of "some item" there
//! is an example, and "each item" speaks about the examples. Then a case is searched for. That there is none is a proof.

mod facts;
mod grounding;

use kvrules_ir::Formula;
use serde_json::Value;

use crate::decide::{Satisfiability, can_hold};
use facts::add_facts;
use grounding::Grounding;

/// The most nodes of a formula that a case is searched for.
const MOST_NODES: usize = 3_000;

/// True if it is proved that each object of a schema for which all premises hold satisfies the conclusion. False if it is not
/// known.
pub fn is_implied(premises: &[&Formula], conclusion: &Formula, schema: &Value) -> bool {
    let opposite = Formula::negation_of(conclusion.clone());
    let parts = std::iter::once(opposite).chain(premises.iter().map(|premise| (*premise).clone()));
    let Some(case) = Grounding::ground_formula(&Formula::all_of(parts)) else { return false };
    if case.node_count() > MOST_NODES {
        return false;
    }
    can_hold(&add_facts(&case, schema), schema) == Satisfiability::Never
}

#[cfg(test)]
mod tests;
