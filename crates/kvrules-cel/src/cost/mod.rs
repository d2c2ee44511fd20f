//! Estimated cost of an expression, before any object is seen.

mod call;
mod calls;
mod declared;
mod estimate;
mod libraries;
mod path;
mod size;

use crate::check::CheckedExpression;
use crate::stack::with_room;
use crate::types::TypeDeclaration;

/// The cost of one evaluation of a checked expression about `self`.
pub fn expression_cost(checked: &CheckedExpression, decl: &TypeDeclaration) -> u64 {
    with_room(checked.depth, || estimate::estimate_cost(checked, decl)).unwrap_or(u64::MAX)
}
