//! Confirmation: the formulas of a rule and the server's evaluation of its expression, on the same objects.

use std::sync::Arc;

use kvrules_cel::ast::Expression;
use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::value::{ErrorKind, EvalError, Value, from_schema};
use serde_json::Value as Json;

use crate::evaluate::{FormulaScope, Operations};
use crate::rules::DefinitionRule;
use crate::state::LiftedExpression;
use crate::synthesise::{RuleValues, ValuePair};

/// The objects on which formulas and server agree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confirmation {
    /// Number of objects (with an old object, where the rule is about updates).
    pub objects: usize,
    /// Number of them for which the rule is true.
    pub accepted: usize,
    /// Number of them for which it is false.
    pub rejected: usize,
    /// Number of them for which it ends in an error.
    pub errors: usize,
    /// A value that the rule rejects, as the server stores it.
    pub rejected_example: Option<Json>,
    /// A value for which the rule ends in an error.
    pub error_example: Option<Json>,
    /// A value, and the old value, for which formulas and server disagree.
    pub contradiction: Option<(Json, Option<Json>)>,
}

/// Evaluates a rule and its formulas on so many objects, made from its schema and the formulas, until they disagree.
pub fn confirm_rule(
    rule: &DefinitionRule,
    expression: &Expression,
    formulas: &LiftedExpression,
    count: usize,
) -> Confirmation {
    let trial = Trial { rule, expression, formulas, operations: &Operations::default() };
    let mut values = RuleValues::new(rule, formulas);
    let mut confirmation = Confirmation::default();
    for index in 0..count * ATTEMPTS {
        if confirmation.objects >= count || confirmation.contradiction.is_some() {
            break;
        }
        let Some((value, old)) = values.next_pair(index) else { continue };
        let Some(answer) = trial.compare(&value, old.as_ref()) else { continue };
        confirmation.count_agreement(answer, &value, old.as_ref());
    }
    confirmation
}

/// As [`confirm_rule`], until they have agreed on half as many objects if the rule is true for many of them, and false for many.
pub(crate) fn confirm_mixed_rule(
    rule: &DefinitionRule,
    expression: &Expression,
    formulas: &LiftedExpression,
    count: usize,
) -> Confirmation {
    let trial = Trial { rule, expression, formulas, operations: &Operations::default() };
    trial.confirm_mixed(RuleValues::new(rule, formulas), count)
}

/// True if formulas and server agree on so many values, which need not match the patterns of the schema: those take long to make. Half as
/// many are enough if the rule is true for many of them, and false for many.
pub fn is_confirmed(
    rule: &DefinitionRule,
    expression: &Expression,
    formulas: &LiftedExpression,
    count: usize,
) -> bool {
    let trial = Trial { rule, expression, formulas, operations: &Operations::default() };
    let found = trial.confirm_mixed(RuleValues::with_any_texts(rule, formulas), count);
    found.contradiction.is_none() && found.objects > 0
}

/// The share of the values of each verdict, of all that are asked for.
const MIXED_SHARE: usize = 6;

/// Number of values that are made for each that is wanted: the schema rejects some.
const ATTEMPTS: usize = 3;

/// Number of values after which further ones are made from those of the rarer verdict.
const UNMIXED: usize = 8;

impl Confirmation {
    /// True if these are `count` objects, or half as many of which the rule accepts and rejects a share.
    fn is_enough(&self, count: usize) -> bool {
        self.objects >= count || self.objects >= count / 2 && self.is_mixed(count)
    }

    /// True if the rule accepts and rejects a share of `count` objects.
    fn is_mixed(&self, count: usize) -> bool {
        self.accepted.min(self.rejected) >= count / MIXED_SHARE
    }

    /// Adds the answer for a value, and the old value.
    pub(crate) fn count_agreement(&mut self, agreement: Agreement, value: &Json, old: Option<&Json>) {
        self.objects += 1;
        match agreement {
            Agreement::True => self.accepted += 1,
            Agreement::False => {
                self.rejected += 1;
                self.rejected_example.get_or_insert_with(|| value.clone());
            }
            Agreement::Error => {
                self.errors += 1;
                self.error_example.get_or_insert_with(|| value.clone());
            }
            Agreement::None => self.contradiction = Some((value.clone(), old.cloned())),
        }
    }
}

/// True if formulas and server agree on a value, or if the server gives up. `old` is the value that is replaced.
pub fn agrees_on(
    rule: &DefinitionRule,
    expression: &Expression,
    formulas: &LiftedExpression,
    value: &Json,
    old: Option<&Json>,
) -> bool {
    let trial = Trial { rule, expression, formulas, operations: &Operations::default() };
    !matches!(trial.compare(value, old), Some(Agreement::None))
}

/// The verdict of the formulas of a rule on any number of values.
pub struct FormulaVerdict<'a> {
    rule: &'a DefinitionRule<'a>,
    formulas: &'a LiftedExpression,
    operations: Operations,
}

impl<'a> FormulaVerdict<'a> {
    /// The verdict of the formulas of a rule.
    pub fn new(rule: &'a DefinitionRule<'a>, formulas: &'a LiftedExpression) -> Self {
        Self { rule, formulas, operations: Operations::default() }
    }

    /// Returns the verdict on a value as the server stores it, and the value that it replaces. `None` where the rule ends in an error.
    pub fn decide_value(&self, value: &Json, old: Option<&Json>) -> Option<bool> {
        self.decide_in(&self.scope_of(value, old))
    }

    /// Returns a value and the value that it replaces as formulas read them.
    pub fn scope_of(&self, value: &Json, old: Option<&Json>) -> FormulaScope {
        let schema = &self.rule.schema;
        let scope = FormulaScope::sharing(&self.operations).with_root("self", from_schema(value, schema));
        match old {
            Some(old) => scope.with_root("oldSelf", from_schema(old, schema)),
            None => scope,
        }
    }

    /// As [`Self::decide_value`], for values that are read.
    pub fn decide_in(&self, scope: &FormulaScope) -> Option<bool> {
        if scope.formula_holds(&self.formulas.holds) {
            return Some(true);
        }
        scope.formula_holds(&self.formulas.fails).then_some(false)
    }
}

/// The answer that formulas and server have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    True,
    False,
    Error,
    None,
}

impl Agreement {
    /// Compares the server's result with the two formulas.
    pub(crate) fn of_results(result: Result<Value, EvalError>, holds: bool, fails: bool) -> Self {
        match (result, (holds, fails)) {
            (Ok(Value::Bool(true)), (true, false)) => Self::True,
            (Ok(Value::Bool(false)), (false, true)) => Self::False,
            (Err(_), (false, false)) => Self::Error,
            _ => Self::None,
        }
    }
}

/// The last value for which a rule is true, and the last for which it is false.
#[derive(Default)]
struct VerdictExamples([Option<ValuePair>; 2]);

impl VerdictExamples {
    /// Notes the value of an answer.
    fn note_pair(&mut self, answer: Agreement, pair: ValuePair) {
        let [accepted, rejected] = &mut self.0;
        match answer {
            Agreement::True => *accepted = Some(pair),
            Agreement::False => *rejected = Some(pair),
            Agreement::Error | Agreement::None => {}
        }
    }

    /// The value of the verdict that is rarer so far.
    fn rarer(&self, found: &Confirmation) -> Option<&ValuePair> {
        let [accepted, rejected] = &self.0;
        if found.accepted < found.rejected { accepted.as_ref() } else { rejected.as_ref() }
    }
}

struct Trial<'a> {
    rule: &'a DefinitionRule<'a>,
    expression: &'a Expression,
    formulas: &'a LiftedExpression,
    operations: &'a Operations,
}

impl Trial<'_> {
    /// Evaluates the rule and its formulas until they disagree or have agreed on enough of `count` values. As long as one verdict is rare,
    /// two of three values are made from one that has it.
    fn confirm_mixed(&self, mut values: RuleValues, count: usize) -> Confirmation {
        let mut confirmation = Confirmation::default();
        let mut examples = VerdictExamples::default();
        for index in 0..count * ATTEMPTS {
            if confirmation.is_enough(count) || confirmation.contradiction.is_some() {
                break;
            }
            let is_near = !index.is_multiple_of(3) && confirmation.objects >= UNMIXED;
            let near = examples.rarer(&confirmation).filter(|_| is_near && !confirmation.is_mixed(count));
            let pair = match near {
                Some(example) => values.next_near(index, example),
                None => values.next_pair(index),
            };
            let Some(pair) = pair else { continue };
            let (value, old) = (&pair.0, pair.1.as_ref());
            let Some(answer) = self.compare(value, old) else { continue };
            confirmation.count_agreement(answer, value, old);
            examples.note_pair(answer, pair);
        }
        confirmation
    }

    /// Compares both sides. `None` if the server gives up, or does not run the rule.
    fn compare(&self, value: &Json, old: Option<&Json>) -> Option<Agreement> {
        let schema = &self.rule.schema;
        let current = from_schema(value, schema);
        let old = old.map(|old| from_schema(old, schema));
        let shape = ExpressionShape::Schema(schema);
        let mut scope = Scope::default();
        scope.variables.insert("self", (current.clone(), shape));
        let mut formula_scope = FormulaScope::sharing(self.operations).with_root("self", current);
        if self.rule.source.optional_old_self {
            let optional = Value::Optional(old.clone().map(Arc::new));
            scope.variables.insert("oldSelf", (optional, shape));
        } else if let Some(old) = &old {
            scope.variables.insert("oldSelf", (old.clone(), shape));
        }
        if let Some(old) = old {
            formula_scope = formula_scope.with_root("oldSelf", old);
        }
        let result = evaluate_expression(self.expression, &scope, CALL_LIMIT).result;
        let formulas = self.formulas;
        if result.as_ref().is_err_and(|error| error.kind == ErrorKind::Cancelled) {
            return None;
        }
        let holds = formula_scope.formula_holds(&formulas.holds);
        Some(Agreement::of_results(result, holds, formula_scope.formula_holds(&formulas.fails)))
    }
}
