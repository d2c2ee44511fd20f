//! Requests that are changed until an expression of a policy has no value for them and the other expressions accept them.

use kvrules_ir::Formula;
use serde_json::Value as Json;

use crate::satisfy::{FormulaGoal, FormulaSatisfier};
use crate::state::LiftedExpression;

/// The most requests of one expression that are changed.
const MOST_REPAIRS: usize = 12;

/// Number of steps that changing one request may take.
const MOST_STEPS: usize = 6_000;

/// Changes requests so that an expression ends in an error and the others accept them.
pub(super) struct RequestRepair {
    /// The expression is neither true nor false.
    undecided: Formula,
    /// Each of the others holds, which is tried first, or none of them is false.
    accepted: [Vec<Formula>; 2],
    left: usize,
}

impl RequestRepair {
    /// For an expression and others, all of them about `self`.
    pub(super) fn new(formulas: &LiftedExpression, others: &[LiftedExpression]) -> Self {
        let negation = |formula: &Formula| Formula::negation_of(formula.clone());
        let undecided = Formula::all_of([negation(&formulas.holds), negation(&formulas.fails)]);
        let hold = others.iter().map(|other| other.holds.clone()).collect();
        let none_fails = others.iter().map(|other| negation(&other.fails)).collect();
        Self { undecided, accepted: [hold, none_fails], left: MOST_REPAIRS }
    }

    /// Returns requests that are made from one and for which the others hold, or at least none of them is false. The formulas promise
    /// it, so that the request itself may be among them.
    pub(super) fn repaired_requests(&mut self, request: &Json, schema: &Json) -> Vec<Json> {
        if self.left == 0 {
            return Vec::new();
        }
        self.left -= 1;
        let mut found = Vec::new();
        for conditions in &self.accepted {
            let formulas = conditions.iter().chain([&self.undecided]);
            let goals = formulas.map(|formula| FormulaGoal { place: &[], schema, formula }).collect();
            let mut satisfier = FormulaSatisfier::new(goals).with_steps(MOST_STEPS);
            found.extend(satisfier.change_value(request, None).filter(|made| !found.contains(made)));
            if satisfier.is_exhausted() {
                self.left = 0;
            }
        }
        found
    }
}
