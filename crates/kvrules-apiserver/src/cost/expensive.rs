//! Expressions that take a large part of a budget, kept for those who look for bounds that make them cheaper.

use std::cmp::Reverse;

use kvrules_cel::check::CheckedExpression;

use super::limits::SCHEMA_LIMIT;

/// An expression with a cost of this much is expensive.
const EXPENSIVE_COST: u64 = SCHEMA_LIMIT / 100;

/// At most so many expressions of a schema are kept, the most expensive.
const MOST: usize = 100;

/// An expensive expression of a schema, as it was checked there.
#[derive(Clone, Debug)]
pub struct ExpensiveExpression {
    /// The node it is on, from `openAPIV3Schema` on.
    pub path: String,
    /// Index of its rule in `x-kubernetes-validations`.
    pub index: usize,
    /// True for a `messageExpression`.
    pub is_message: bool,
    /// Estimated cost of all its evaluations.
    pub estimate: u64,
    /// The expression.
    pub checked: CheckedExpression,
}

/// True if a cost makes an expression expensive.
pub(super) fn is_expensive(estimate: u64) -> bool {
    estimate >= EXPENSIVE_COST
}

/// Adds an expression if it is expensive.
pub(super) fn add_expensive(expensive: &mut Vec<ExpensiveExpression>, expression: ExpensiveExpression) {
    if is_expensive(expression.estimate) {
        expensive.push(expression);
        if expensive.len() >= 2 * MOST {
            keep_most_expensive(expensive);
        }
    }
}

/// Leaves the most expensive expressions, the most expensive first; of equally expensive ones in the order of the report.
pub(super) fn keep_most_expensive(expensive: &mut Vec<ExpensiveExpression>) {
    fn key(it: &ExpensiveExpression) -> (Reverse<u64>, &str, usize, bool) {
        (Reverse(it.estimate), &it.path, it.index, it.is_message)
    }
    expensive.sort_by(|one, other| key(one).cmp(&key(other)));
    expensive.truncate(MOST);
}
