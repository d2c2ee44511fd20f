//! Expressions that take a large part of a budget, kept for those who look for bounds that make them cheaper.

use std::cmp::Reverse;

use crate::check::Checked;

use super::limits::SCHEMA_LIMIT;

/// An expression with a cost of this much is dear.
const DEAR: u64 = SCHEMA_LIMIT / 100;

/// At most so many expressions of a schema are kept, the dearest.
const MOST: usize = 100;

/// A dear expression of a schema, as it was checked there.
#[derive(Clone, Debug)]
pub struct Dear {
    /// The node it stands on, from `openAPIV3Schema` on.
    pub path: String,
    /// Index of its rule in `x-kubernetes-validations`.
    pub index: usize,
    /// True for a `messageExpression`.
    pub is_message: bool,
    /// Estimated cost of all its evaluations.
    pub estimate: u64,
    /// The expression.
    pub checked: Checked,
}

/// Adds an expression if it is dear.
pub(super) fn add(dear: &mut Vec<Dear>, expression: Dear) {
    if expression.estimate >= DEAR {
        dear.push(expression);
        if dear.len() >= 2 * MOST {
            dearest(dear);
        }
    }
}

/// Leaves the dearest expressions, the dearest first; of equally dear ones in the order of the report.
pub(super) fn dearest(dear: &mut Vec<Dear>) {
    fn key(it: &Dear) -> (Reverse<u64>, &str, usize, bool) {
        (Reverse(it.estimate), &it.path, it.index, it.is_message)
    }
    dear.sort_by(|one, other| key(one).cmp(&key(other)));
    dear.truncate(MOST);
}
