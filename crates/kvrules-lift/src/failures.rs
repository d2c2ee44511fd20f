//! Values that end a rule in an error because something is missing, has another type than expected, or is a zero.

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

use crate::decide::Conversions;
use crate::rules::DefinitionRule;
use crate::state::LiftedExpression;
use crate::synthesise::{RuleValues, ValuePair};
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

/// Values that may end a rule in an error: made one after the other, as far as they are asked for.
#[derive(Default)]
pub(crate) struct FailureCandidates {
    /// Treatment of functions that have no value for some texts.
    conversions: Conversions,
    /// Values of the cases in which the formulas say that the rule ends in an error, which are tried first.
    cases: Option<VecDeque<ValuePair>>,
    values: Option<Box<RuleValues>>,
    /// Values without one of the fields that the rule names, which are tried last.
    incomplete: VecDeque<ValuePair>,
    tried: usize,
    /// The values so far that do not end the rule in an error: many of those that are made are equal.
    harmless: Vec<ValuePair>,
}

impl FailureCandidates {
    /// The values with which functions may have no value for their texts either.
    pub(crate) fn with_conversions() -> Self {
        Self { conversions: Conversions::MayFail, ..Self::default() }
    }

    /// The next value for a rule of a place that has `others` too, except those that are noted as harmless. `None` if there are no more.
    pub(crate) fn next_pair(
        &mut self,
        rule: &DefinitionRule,
        formulas: &LiftedExpression,
        others: &[RuleOfPlace<'_>],
    ) -> Option<ValuePair> {
        loop {
            let pair = self.make_pair(rule, formulas, others)?;
            if !self.harmless.contains(&pair) {
                return Some(pair);
            }
        }
    }

    /// True if the last value was made of a case in which the formulas say that the rule ends in an error.
    pub(crate) fn is_planned(&self) -> bool {
        self.cases.is_some() && self.tried == 0
    }

    /// Notes that a value does not end the rule in an error.
    pub(crate) fn note_harmless(&mut self, pair: ValuePair) {
        self.harmless.push(pair);
    }

    /// The values of the rule's schema.
    pub(crate) fn values(&mut self, rule: &DefinitionRule, formulas: &LiftedExpression) -> &mut RuleValues {
        self.values.get_or_insert_with(|| Box::new(RuleValues::new(rule, formulas)))
    }

    fn make_pair(
        &mut self,
        rule: &DefinitionRule,
        formulas: &LiftedExpression,
        others: &[RuleOfPlace<'_>],
    ) -> Option<ValuePair> {
        let (cases, tried, conversions) = (&mut self.cases, &mut self.tried, self.conversions);
        let cases = cases.get_or_insert_with(|| match failing_cases(rule, formulas, others, conversions) {
            FailingCases::Some(pairs) => pairs.into(),
            FailingCases::Never => {
                *tried = TRIES;
                VecDeque::new()
            }
        });
        if let Some(pair) = cases.pop_front() {
            return Some(pair);
        }
        if self.tried < TRIES {
            let tried = self.tried;
            let values = self.values(rule, formulas);
            let pair = values.make_least_pair(tried).unwrap_or_else(|| values.make_pair(tried % MADE_VALUES));
            let incomplete =
                if tried + 1 == TRIES { values.incomplete_pairs().into() } else { VecDeque::new() };
            self.tried += 1;
            self.incomplete = incomplete;
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

/// The values that end a rule in an error because something is missing or has another type, and that its schema accepts: made one after
/// the other, as far as they are asked for.
#[derive(Default)]
pub struct RuleFailures {
    candidates: FailureCandidates,
    found: Vec<RuleFailure>,
    /// True if a value ended the rule in an error only as it is written.
    are_completed: bool,
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
            let Some(pair) = self.candidates.next_pair(rule, formulas, others) else { break };
            let values = self.candidates.values(rule, formulas);
            match try_value(values, &pair, rule, expression, &mut self.are_completed) {
                Some(failure) => self.found.push(failure),
                None => self.candidates.note_harmless(pair),
            }
        }
        self.found.get(index)
    }
}

fn try_value(
    values: &RuleValues,
    (value, old): &ValuePair,
    rule: &DefinitionRule,
    expression: &Expression,
    are_completed: &mut bool,
) -> Option<RuleFailure> {
    // Most values end in no error, and then what the server stores for them does not matter: it leaves nulls out, and what it fills in
    // makes no error. Where it fills in what the rule needs, the value as it is written shows nothing.
    let is_tried = !*are_completed && ![Some(value), old.as_ref()].into_iter().flatten().any(has_null);
    if is_tried {
        evaluation_error(rule, expression, value, old.as_ref())?;
    }
    let decoded = values.decoded(value)?;
    let decoded_old = match old {
        Some(old) => Some(values.decoded(old)?),
        None => None,
    };
    let error = evaluation_error(rule, expression, &decoded, decoded_old.as_ref());
    *are_completed |= is_tried && error.is_none();
    let error = error?;
    values.accepted_value(value)?;
    let old = old.as_ref().map(|old| as_people_write(values, old));
    Some(RuleFailure { value: as_people_write(values, value), old, error })
}

/// The value without the nulls that the server leaves out.
fn as_people_write(values: &RuleValues, value: &Json) -> Json {
    if !has_null(value) {
        return value.clone();
    }
    let plain = without_nulls(value);
    if values.decoded(&plain) == values.decoded(value) { plain } else { value.clone() }
}

fn without_nulls(value: &Json) -> Json {
    match value {
        Json::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            Json::Object(kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Json::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

/// The beginnings of the errors of evaluation that something missing causes, a value of a type that a function does not take, or a
/// divisor that is zero.
const UNFORESEEN: [&str; 6] = [
    "no such key",
    "index out of bounds",
    "optional.none() dereference",
    "no such overload",
    "division by zero",
    "modulus by zero",
];

/// True if an evaluation ends in this error because of something that its author did not expect: a part is missing, has another type, or
/// is a zero.
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
