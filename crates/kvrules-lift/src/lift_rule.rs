//! Lifting of a rule of a schema.

use kvrules_cel::ast::Expression;

use crate::confirm::{Confirmation, confirm_mixed_rule, confirm_rule};
use crate::lifter::lift_expression;
use crate::opaque::{Opaque, OpaqueKind};
use crate::rules::DefinitionRule;
use crate::state::LiftedExpression;

/// A rule with its formulas, which a server has confirmed on objects.
#[derive(Clone, Debug)]
pub struct LiftedRule {
    /// The expression.
    pub expression: Expression,
    /// The formulas.
    pub formulas: LiftedExpression,
    /// The objects that confirm it.
    pub confirmation: Confirmation,
}

/// Lifts a rule, and confirms the formulas on so many objects of its schema.
///
/// # Errors
///
/// The rule has no formula, or the server does not confirm it; the reason.
pub fn lift_rule(rule: &DefinitionRule, objects: usize) -> Result<LiftedRule, Opaque> {
    lift_confirmed(rule, |expression, formulas| confirm_rule(rule, expression, formulas, objects))
}

/// As [`lift_rule`], confirmed on half as many objects if the rule is true for many of them, and false for many.
///
/// # Errors
///
/// The rule has no formula, or the server does not confirm it; the reason.
pub fn lift_mixed_rule(rule: &DefinitionRule, objects: usize) -> Result<LiftedRule, Opaque> {
    lift_confirmed(rule, |expression, formulas| confirm_mixed_rule(rule, expression, formulas, objects))
}

fn lift_confirmed(
    rule: &DefinitionRule,
    confirm: impl FnOnce(&Expression, &LiftedExpression) -> Confirmation,
) -> Result<LiftedRule, Opaque> {
    let (expression, checked) = rule.check_types()?;
    let formulas = lift_expression(&expression, &checked, rule.optional_roots())?;
    let confirmation = confirm(&expression, &formulas);
    if confirmation.contradiction.is_some() {
        return Err(Opaque::whole(OpaqueKind::Contradicted));
    }
    if confirmation.objects == 0 {
        return Err(Opaque::whole(OpaqueKind::Unconfirmed));
    }
    Ok(LiftedRule { expression, formulas, confirmation })
}
