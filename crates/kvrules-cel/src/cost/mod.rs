//! Estimated cost of an expression, before any object is seen.

mod call;
mod calls;
mod declared;
mod estimate;
mod libraries;
mod path;
mod size;

use crate::check::CheckedExpression;
use crate::kubernetes::CostRegime;
use crate::stack::with_room;
use crate::types::TypeDeclaration;

/// The cost of one evaluation of a checked expression about `self`.
pub fn expression_cost(checked: &CheckedExpression, decl: &TypeDeclaration) -> u64 {
    expression_cost_in(checked, decl, CostRegime::NEWEST)
}

/// As [`expression_cost`], by the estimator of a server. The declaration must have the sizes of the same.
pub fn expression_cost_in(checked: &CheckedExpression, decl: &TypeDeclaration, regime: CostRegime) -> u64 {
    with_room(checked.depth, || estimate::estimate_cost(checked, decl, regime)).unwrap_or(u64::MAX)
}
