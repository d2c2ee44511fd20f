//! Single expressions of a policy, evaluated as for a request.

use std::collections::BTreeMap;

use kvrules_cel::eval::{CALL_LIMIT, evaluate_expression};
use kvrules_cel::value::{EvalError, Value};
use serde_json::Value as Json;

use super::Request;
use super::decide::fixed_variables;
use super::document::{Policy, Validation};
use super::expression_source::ExpressionSource;
use super::variables::PolicyVariables;

/// An expression of a policy: one that is true or false, or one that is a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PolicyExpression {
    /// The match condition with this index.
    MatchCondition(usize),
    /// The validation with this index.
    Validation(usize),
    /// The expression for the message of the validation with this index.
    Message(usize),
    /// The value of the audit annotation with this index.
    AuditAnnotation(usize),
}

impl PolicyExpression {
    /// The field of the expression in the document.
    ///
    /// ```
    /// use kvrules_apiserver::policy::PolicyExpression;
    /// assert_eq!(PolicyExpression::Validation(2).field(), "spec.validations[2].expression");
    /// ```
    pub fn field(self) -> String {
        match self {
            Self::MatchCondition(index) => format!("spec.matchConditions[{index}].expression"),
            Self::Validation(index) => format!("spec.validations[{index}].expression"),
            Self::Message(index) => format!("spec.validations[{index}].messageExpression"),
            Self::AuditAnnotation(index) => format!("spec.auditAnnotations[{index}].valueExpression"),
        }
    }

    /// True if its value is a text or a null.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Message(_) | Self::AuditAnnotation(_))
    }
}

impl Policy {
    /// The match conditions and the validations, in the order of evaluation.
    pub fn truth_expressions(&self) -> Vec<PolicyExpression> {
        let conditions = (0..self.conditions.len()).map(PolicyExpression::MatchCondition);
        conditions.chain((0..self.validations.len()).map(PolicyExpression::Validation)).collect()
    }

    /// The expressions whose values are texts: those of messages, and those of audit annotations.
    pub fn text_expressions(&self) -> Vec<PolicyExpression> {
        let has_message = |(index, validation): (usize, &Validation)| {
            validation.message_expression.as_ref().map(|_| PolicyExpression::Message(index))
        };
        let messages = self.validations.iter().enumerate().filter_map(has_message);
        messages.chain((0..self.annotations.len()).map(PolicyExpression::AuditAnnotation)).collect()
    }

    /// The text and the tree of an expression.
    pub fn expression_source(&self, expression: PolicyExpression) -> Option<&ExpressionSource> {
        match expression {
            PolicyExpression::MatchCondition(index) => self.conditions.get(index).map(|it| &it.expression),
            PolicyExpression::Validation(index) => self.validations.get(index).map(|it| &it.expression),
            PolicyExpression::Message(index) => self.validations.get(index)?.message_expression.as_ref(),
            PolicyExpression::AuditAnnotation(index) => self.annotations.get(index).map(|it| &it.expression),
        }
    }

    /// The values of `object`, `oldObject`, `request`, `params` and the other names that expressions see.
    pub fn root_values(&self, request: &Request, params: &Json) -> BTreeMap<&'static str, Value> {
        fixed_variables(self, request, params).into_iter().map(|(name, (value, _))| (name, value)).collect()
    }

    /// Evaluates one expression for a request, whether or not the policy matches it.
    ///
    /// # Errors
    ///
    /// The error of the evaluation; `None` if there is no such expression, or it does not parse.
    ///
    /// ```
    /// use kvrules_apiserver::policy::{Policy, PolicyExpression, Request};
    /// use serde_json::json;
    /// let policy = json!({"spec": {"variables": [{"name": "n", "expression": "object.n"}],
    ///     "validations": [{"expression": "variables.n > 1"}]}});
    /// let request = Request::for_creation("", "things", json!({"n": 2}));
    /// let value = Policy::from_json(&policy).evaluate_expression(PolicyExpression::Validation(0), &request, &json!(null));
    /// assert!(matches!(value, Some(Ok(kvrules_cel::value::Value::Bool(true)))));
    /// ```
    pub fn evaluate_expression(
        &self,
        expression: PolicyExpression,
        request: &Request,
        params: &Json,
    ) -> Option<Result<Value, EvalError>> {
        let parsed = self.expression_source(expression)?.parsed.as_ref().ok()?;
        let fixed = fixed_variables(self, request, params);
        let names = PolicyVariables::new(fixed, &self.variables, self.evaluation_regime(request));
        let with_variables = !matches!(expression, PolicyExpression::MatchCondition(_));
        Some(evaluate_expression(parsed, &names.scope(with_variables), CALL_LIMIT).result)
    }
}
