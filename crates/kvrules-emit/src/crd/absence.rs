//! Result of a predicate if the node below a certain step is absent.

use kvrules_ir::Predicate;

use super::dialect::DIALECT;
use super::names;
use crate::cel::{Expr, lower_predicate};

/// An expression of which only the questions matter that it asks about what exists.
pub(super) struct PresenceQuestions {
    expression: Option<Expr>,
}

impl PresenceQuestions {
    /// The questions of a predicate. They are taken from its lowering, which alone decides what an absent field means.
    pub(super) fn of(predicate: &Predicate) -> Self {
        let lowered = lower_predicate(&names::to_selectable(predicate), DIALECT);
        Self { expression: lowered.ok().map(|lowered| lowered.expression) }
    }

    /// True if it holds in every object that lacks the field at the end of the steps that all its places begin with, of
    /// which there are `steps`. False where that is not plain to see.
    pub(super) fn hold_without(&self, steps: usize) -> bool {
        self.expression.as_ref().is_some_and(|expression| truth_when_absent(expression, steps) == Some(true))
    }

    /// True if it fails in every object that lacks that field. False where that is not plain to see.
    pub(super) fn fail_without(&self, steps: usize) -> bool {
        self.expression.as_ref().is_some_and(|expression| truth_when_absent(expression, steps) == Some(false))
    }
}

/// The value of an expression in an object that lacks what is so many steps down. All places begin with the same steps, so
/// a question that is asked of that many selections is the question for just that field.
fn truth_when_absent(expression: &Expr, steps: usize) -> Option<bool> {
    match expression {
        Expr::Bool(value) => Some(*value),
        Expr::Has(of, _) => (count_selections(of)? + 1 == steps).then_some(false),
        Expr::Not(inner) => truth_when_absent(inner, steps).map(|value| !value),
        Expr::And(parts) => truth_of_parts(parts, steps, false),
        Expr::Or(parts) => truth_of_parts(parts, steps, true),
        Expr::Conditional(condition, then, otherwise) => {
            truth_when_absent(if truth_when_absent(condition, steps)? { then } else { otherwise }, steps)
        }
        _ => None,
    }
}

/// Parts of which one that is `deciding` decides.
fn truth_of_parts(parts: &[Expr], steps: usize, deciding: bool) -> Option<bool> {
    let truths: Vec<_> = parts.iter().map(|part| truth_when_absent(part, steps)).collect();
    if truths.contains(&Some(deciding)) {
        return Some(deciding);
    }
    truths.iter().all(Option::is_some).then_some(!deciding)
}

/// Returns the number of fields selected one after the other, beginning at the object.
fn count_selections(expression: &Expr) -> Option<usize> {
    match expression {
        Expr::Name(name) => (name == DIALECT.root).then_some(0),
        Expr::Select(of, _) => Some(count_selections(of)? + 1),
        _ => None,
    }
}
