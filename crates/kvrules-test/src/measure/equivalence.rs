//! Equivalence of a rule and its mutant, proved on formulas.

use kvrules_ir::Formula;
use kvrules_lift::{DefinitionRule, LiftedExpression, Satisfiability, can_hold, lift_rule};

/// Number of objects that a formula is confirmed on.
const OBJECTS: usize = 60;

/// The relation of a rule and its mutant.
#[derive(Clone, Debug)]
pub(super) enum Equivalence {
    /// Both give the same answer for every object that the schema accepts.
    Proved,
    /// They may differ; the formulas of both.
    Open(Box<LiftedExpression>),
    /// One of them has no formula.
    Undecided,
}

/// Compares a rule with its mutant. An error rejects as a rule that is false does, so only where they hold counts.
pub(super) fn compare_rules(rule: &DefinitionRule, mutant: &DefinitionRule) -> Equivalence {
    let (Ok(own), Ok(other)) = (lift_rule(rule, OBJECTS), lift_rule(mutant, OBJECTS)) else {
        return Equivalence::Undecided;
    };
    let (own, other) = (own.formulas, other.formulas);
    let only =
        |one: &Formula, two: &Formula| Formula::all_of([one.clone(), Formula::negation_of(two.clone())]);
    let differ = [only(&own.holds, &other.holds), only(&other.holds, &own.holds)];
    if differ.iter().all(|formula| can_hold(formula, &rule.schema) == Satisfiability::Never) {
        return Equivalence::Proved;
    }
    let both = LiftedExpression {
        holds: Formula::any_of([own.holds, other.holds]),
        fails: Formula::any_of([own.fails, other.fails]),
    };
    Equivalence::Open(Box::new(both))
}
