//! Operands of `&&` and `||`.

use kvrules_cel::ast::{Expr, ExprKind, Span, operators};
use kvrules_cel::chain_parts;

/// The operands of a chain of one operator.
pub(super) struct Chain<'e> {
    pub(super) is_conjunction: bool,
    pub(super) parts: Vec<&'e Expr>,
}

/// The chain that an expression is.
pub(super) fn chain_of(expr: &Expr) -> Option<Chain<'_>> {
    let ExprKind::Call { function, .. } = &expr.kind else { return None };
    let is_conjunction = function == operators::AND;
    let is_chain = is_conjunction || function == operators::OR;
    is_chain.then(|| Chain { is_conjunction, parts: chain_parts(expr, function) })
}

/// The operand of a negation.
pub(super) fn negated(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Call { function, args, .. } if function == operators::NOT => args.first(),
        _ => None,
    }
}

impl<'e> Chain<'e> {
    /// The condition that holds wherever later operands count, if this operand tests one: in a conjunction the operand, in a disjunction
    /// what it negates.
    pub(super) fn tested(&self, part: &'e Expr) -> Option<&'e Expr> {
        if self.is_conjunction { Some(part) } else { negated(part) }
    }

    /// The operands that are left of a chain as one.
    pub(super) fn join(&self, whole: &Expr, parts: Vec<Expr>) -> Expr {
        let function = if self.is_conjunction { operators::AND } else { operators::OR };
        let joined = parts.into_iter().reduce(|one, other| {
            let (id, at, span) = (one.id, one.at, Span { start: one.span.start, end: other.span.end });
            let kind =
                ExprKind::Call { function: function.to_owned(), receiver: None, args: vec![one, other] };
            Expr { id, span, at, kind }
        });
        joined.unwrap_or_else(|| whole.clone())
    }
}
