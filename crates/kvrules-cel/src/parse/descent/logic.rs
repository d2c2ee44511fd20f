//! Rows of `&&` and `||`, which the server's parser makes into balanced trees.

use super::Parser;
use crate::ast::{Expr, Span};

impl Parser<'_> {
    /// The tree over all terms; `places` are the operators between them.
    // cel-go parser/helper.go, logicManager.balancedTree: the shape decides which operands are evaluated, and their depth
    pub(super) fn balance(
        &self,
        operator: &str,
        terms: &mut [Option<Expr>],
        places: &[Span],
    ) -> Option<Expr> {
        let Some(last) = places.len().checked_sub(1) else { return terms.first_mut()?.take() };
        let middle = last.div_ceil(2);
        let (before, rest) = places.split_at_checked(middle)?;
        let (place, after) = rest.split_first()?;
        let (left_terms, right_terms) = terms.split_at_mut_checked(middle + 1)?;
        let left = self.balance(operator, left_terms, before)?;
        let right = self.balance(operator, right_terms, after)?;
        Some(self.operation(operator, *place, vec![left, right]))
    }
}
