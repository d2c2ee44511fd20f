//! Values that end a rule in an error because something is missing, or has another type than expected.

mod case_values;
mod failing_case;
mod value_plan;

use std::collections::VecDeque;
use std::sync::Arc;

use kvrules_apiserver::object::has_null;
use kvrules_cel::ast::Expression;
use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::value::{ErrorKind, Value, from_schema};
use serde_json::Value as Json;

use crate::rules::DefinitionRule;
use crate::state::LiftedExpression;
use crate::synthesise::RuleValues;
use failing_case::{FailingCases, failing_cases};
pub use failing_case::{RuleOfPlace, make_case_values, make_passing_value};

/// A value for which a rule ends in an error, and the error.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleFailure {
    /// The value, as people would write it.
    pub value: Json,
    /// The value that it replaces, in an update.
    pub old: Option<Json>,
    /// The server's text.
    pub error: String,
}

/// Number of values that are tried to make a rule end in an error.
const TRIES: usize = 76;

/// Number of values that are made of the schema; to those, other changes are made each time.
const MADE_VALUES: usize = 20;

/// The values that end a rule in an error because something is missing or has another type, and that its schema accepts: made one after
/// the other, as far as they are asked for.
#[derive(Default)]
pub struct RuleFailures {
    /// Values of the cases in which the formulas say that the rule ends in an error, which are tried first.
    cases: Option<VecDeque<(Json, Option<Json>)>>,
    values: Option<Box<RuleValues>>,
    /// Values without one of the fields that the rule names, which are tried last.
    incomplete: VecDeque<(Json, Option<Json>)>,
    tried: usize,
    /// The values so far that do not end the rule in an error: many of those that are made are equal.
    harmless: Vec<(Json, Option<Json>)>,
    found: Vec<RuleFailure>,
}

impl RuleFailures {
    /// The failure with a number, of a rule of a place that has `others` too. `None` if no more are found.
    pub fn find_failure(
        &mut self,
        index: usize,
        rule: &DefinitionRule,
        expression: &Expression,
        formulas: &LiftedExpression,
        others: &[RuleOfPlace<'_>],
    ) -> Option<&RuleFailure> {
        while self.found.len() <= index {
            let Some(pair) = self.next_pair(rule, formulas, others) else { break };
            let values = self.values.get_or_insert_with(|| Box::new(RuleValues::new(rule, formulas)));
            if self.harmless.contains(&pair) {
                continue;
            }
            match try_value(values, &pair, rule, expression) {
                Some(failure) => self.found.push(failure),
                None => self.harmless.push(pair),
            }
        }
        self.found.get(index)
    }

    /// The next values to try. `None` if there are no more.
    fn next_pair(
        &mut self,
        rule: &DefinitionRule,
        formulas: &LiftedExpression,
        others: &[RuleOfPlace<'_>],
    ) -> Option<(Json, Option<Json>)> {
        let (cases, tried) = (&mut self.cases, &mut self.tried);
        let cases = cases.get_or_insert_with(|| match failing_cases(rule, formulas, others) {
            FailingCases::Some(pairs) => pairs.into(),
            FailingCases::Never => {
                *tried = TRIES;
                VecDeque::new()
            }
        });
        if let Some(pair) = cases.pop_front() {
            return Some(pair);
        }
        if *tried < TRIES {
            let values = self.values.get_or_insert_with(|| Box::new(RuleValues::new(rule, formulas)));
            let number = self.tried % MADE_VALUES;
            let pair = values.make_least_pair(self.tried).unwrap_or_else(|| values.make_pair(number));
            self.tried += 1;
            if self.tried == TRIES {
                self.incomplete = values.incomplete_pairs().into();
            }
            return Some(pair);
        }
        let pair = self.incomplete.pop_front();
        if pair.is_none() {
            self.values = None;
            self.harmless = Vec::new();
        }
        pair
    }
}

fn try_value(
    values: &RuleValues,
    (value, old): &(Json, Option<Json>),
    rule: &DefinitionRule,
    expression: &Expression,
) -> Option<RuleFailure> {
    // Most values end in no error, and then what the server stores for them does not matter: it leaves nulls out, and what it fills in
    // makes no error.
    if ![Some(value), old.as_ref()].into_iter().flatten().any(has_null) {
        evaluation_error(rule, expression, value, old.as_ref())?;
    }
    let decoded = values.decoded(value)?;
    let decoded_old = match old {
        Some(old) => Some(values.decoded(old)?),
        None => None,
    };
    let error = evaluation_error(rule, expression, &decoded, decoded_old.as_ref())?;
    values.accepted_value(value)?;
    Some(RuleFailure { value: value.clone(), old: old.clone(), error })
}

/// The beginnings of the errors of evaluation that something missing causes, or a value of a type that a function does not take.
const UNFORESEEN: [&str; 4] =
    ["no such key", "index out of bounds", "optional.none() dereference", "no such overload"];

/// True if an evaluation ends in this error because of something that its author did not expect: a part is missing, or has another type.
/// A text that is not a quantity is refused on purpose. The server puts some errors in single quotation marks.
pub fn is_unforeseen_error(error: &str) -> bool {
    let error = error.strip_prefix('\'').unwrap_or(error);
    UNFORESEEN.iter().any(|start| error.starts_with(start))
}

fn evaluation_error(
    rule: &DefinitionRule,
    expression: &Expression,
    value: &Json,
    old: Option<&Json>,
) -> Option<String> {
    let shape = ExpressionShape::Schema(&rule.schema);
    let mut scope = Scope::default();
    scope.variables.insert("self", (from_schema(value, &rule.schema), shape));
    let old = old.map(|old| from_schema(old, &rule.schema));
    if rule.source.optional_old_self {
        scope.variables.insert("oldSelf", (Value::Optional(old.map(Arc::new)), shape));
    } else if let Some(old) = old {
        scope.variables.insert("oldSelf", (old, shape));
    }
    let error = evaluate_expression(expression, &scope, CALL_LIMIT).result.err()?;
    let text = error.to_string();
    let is_unforeseen = error.kind != ErrorKind::Cancelled && is_unforeseen_error(&text);
    is_unforeseen.then_some(text)
}
