//! One policy with one binding: conditions, validations, messages, budgets.

use std::collections::BTreeMap;

use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, evaluate_expression};
use kvrules_cel::value::{ErrorKind, Value, from_json};
use serde_json::Value as Json;

use super::document::{Binding, ExpressionSource, FailurePolicy, Policy, Validation};
use super::variables::PolicyVariables;
use super::{BINDING_LIMIT, MATCH_LIMIT, Request, UnsupportedRequest};
use crate::crd::is_usable_message;

/// A validation that failed, or what went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// The text.
    pub message: String,
    /// The reason of the answer.
    pub reason: String,
    /// True if it denies even if the binding only warns.
    pub always: bool,
}

// apiserver admission/plugin/cel/activation.go, Evaluate
const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The failures, in the order of the validations.
// admission/plugin/policy/validating/dispatcher.go, Dispatch, for one hook and one binding
pub(super) fn decide_request(
    policy: &Policy,
    binding: &Binding,
    request: &Request,
) -> Result<Vec<Decision>, UnsupportedRequest> {
    let params = match select_params(policy, binding, request) {
        Ok(params) => params,
        // Dispatch, addConfigError: denied without a look at the binding's actions.
        Err(message) => {
            let decision = Decision { always: true, ..error_decision(message) };
            return Ok(on_error(policy, decision).into_iter().collect());
        }
    };
    let mut decisions = Vec::new();
    for params in &params {
        decisions.extend(with_params(policy, request, params)?);
    }
    Ok(decisions)
}

/// The failures with one of the parameters.
// policy/validating/validator.go, (*validator).Validate
fn with_params(
    policy: &Policy,
    request: &Request,
    params: &Json,
) -> Result<Vec<Decision>, UnsupportedRequest> {
    let names = PolicyVariables::new(fixed_variables(policy, request, params), &policy.variables);
    match evaluate_match_conditions(policy, &names)? {
        MatchOutcome::Yes => evaluate_validations(policy, &names),
        MatchOutcome::No => Ok(Vec::new()),
        MatchOutcome::Failed(message) => Ok(on_error(policy, error_decision(message)).into_iter().collect()),
    }
}

fn error_decision(message: String) -> Decision {
    Decision { message, reason: "Invalid".to_owned(), always: false }
}

/// Returns the decision for an error, by the failure policy.
// policy/validating/validator.go, policyDecisionActionForError
fn on_error(policy: &Policy, decision: Decision) -> Option<Decision> {
    (policy.failure_policy == FailurePolicy::Fail).then_some(decision)
}

/// The parameters, each of which is evaluated separately: a null if the binding names none, empty if a missing
/// parameter disables the binding (policy_dispatcher.go, `CollectParams`).
fn select_params(policy: &Policy, binding: &Binding, request: &Request) -> Result<Vec<Json>, String> {
    let Some(wanted) = binding.param.as_ref().filter(|_| policy.has_params) else {
        return Ok(vec![Json::Null]);
    };
    let is_wanted = |(name, param): &&(String, Json)| wanted.selects(name, param, &request.namespace);
    let found: Vec<_> = request.params.iter().filter(is_wanted).map(|(_, param)| param.clone()).collect();
    if found.is_empty() && wanted.missing_denies {
        let text = "no params found for policy binding with `Deny` parameterNotFoundAction";
        return Err(format!("failed to configure binding: {text}"));
    }
    Ok(found)
}

fn fixed_variables(
    policy: &Policy,
    request: &Request,
    params: &Json,
) -> BTreeMap<&'static str, (Value, ExpressionShape<'static>)> {
    let mut names = BTreeMap::new();
    // admission/plugin/cel/activation.go, ResolveName
    names.insert("object", (from_json(&request.object), ExpressionShape::Dyn));
    names.insert("oldObject", (from_json(&request.old_object), ExpressionShape::Dyn));
    names.insert("request", (request.as_value(), ExpressionShape::Known));
    names.insert("namespaceObject", (request.namespace_value(), ExpressionShape::Known));
    if policy.has_params {
        names.insert("params", (from_json(params), ExpressionShape::Dyn));
    }
    names
}

/// Result of the match conditions.
enum MatchOutcome {
    Yes,
    No,
    Failed(String),
}

/// All are evaluated; one that is false decides, then errors count.
// admission/plugin/webhook/matchconditions/matcher.go, Match; policies and webhooks share it.
fn evaluate_match_conditions(
    policy: &Policy,
    names: &PolicyVariables<'_>,
) -> Result<MatchOutcome, UnsupportedRequest> {
    let mut budget = MATCH_LIMIT;
    let mut results = Vec::new();
    for condition in &policy.conditions {
        match run_expression(&condition.expression, names, false, &mut budget)? {
            RunOutcome::OutOfBudget => return Ok(MatchOutcome::Failed(OUT_OF_BUDGET.to_owned())),
            RunOutcome::Error(message) => results.push(Err(message)),
            RunOutcome::Value(value) => results.push(Ok(value)),
        }
    }
    if results.iter().any(|result| matches!(result, Ok(Value::Bool(false)))) {
        return Ok(MatchOutcome::No);
    }
    // apimachinery util/errors, aggregate.Error: each message once, in brackets if there are several.
    let mut errors: Vec<String> = Vec::new();
    for message in results.into_iter().filter_map(Result::err) {
        if !errors.contains(&message) {
            errors.push(message);
        }
    }
    Ok(match errors.as_slice() {
        [] => MatchOutcome::Yes,
        [message] => MatchOutcome::Failed(message.clone()),
        several => MatchOutcome::Failed(format!("[{}]", several.join(", "))),
    })
}

// policy/validating/validator.go, (*validator).Validate, from evalResults on
fn evaluate_validations(
    policy: &Policy,
    names: &PolicyVariables<'_>,
) -> Result<Vec<Decision>, UnsupportedRequest> {
    let mut budget = BINDING_LIMIT;
    let mut results = Vec::new();
    for validation in &policy.validations {
        match run_expression(&validation.expression, names, true, &mut budget)? {
            RunOutcome::OutOfBudget => {
                return Ok(on_error(policy, error_decision(OUT_OF_BUDGET.to_owned())).into_iter().collect());
            }
            RunOutcome::Error(message) => results.push(Err(message)),
            RunOutcome::Value(value) => results.push(Ok(value)),
        }
    }
    let messages = evaluate_messages(policy, names, &mut budget)?;
    let mut decisions = Vec::new();
    for (index, (validation, result)) in policy.validations.iter().zip(results).enumerate() {
        decisions.extend(match (result, &messages) {
            (Err(message), _) => on_error(policy, error_decision(message)),
            // Without budget for messages, the failure policy decides even about validations that hold.
            (Ok(_), None) => {
                on_error(policy, error_decision(format!("failed messageExpression: {OUT_OF_BUDGET}")))
            }
            (Ok(Value::Bool(true)), _) => None,
            (Ok(_), Some(messages)) => {
                Some(failed_decision(validation, messages.get(index).cloned().flatten()))
            }
        });
    }
    match evaluate_annotations(policy, names)? {
        Some(denials) => decisions.extend(denials),
        // The error takes the place of all other decisions.
        None => {
            decisions = on_error(policy, error_decision(OUT_OF_BUDGET.to_owned())).into_iter().collect();
        }
    }
    Ok(decisions)
}

/// The messages that expressions compute, for all validations, failed or not; `None` when the budget runs out.
// validator.go: the message filter runs over all validations, so messages of those that hold cost too.
fn evaluate_messages(
    policy: &Policy,
    names: &PolicyVariables<'_>,
    budget: &mut u64,
) -> Result<Option<Vec<Option<String>>>, UnsupportedRequest> {
    let mut messages = Vec::new();
    for validation in &policy.validations {
        let Some(source) = &validation.message_expression else {
            messages.push(None);
            continue;
        };
        match run_expression(source, names, true, budget)? {
            RunOutcome::OutOfBudget => return Ok(None),
            RunOutcome::Value(Value::String(text)) if is_usable_message(&text) => {
                messages.push(Some(text.trim().to_owned()));
            }
            RunOutcome::Value(_) | RunOutcome::Error(_) => messages.push(None),
        }
    }
    Ok(Some(messages))
}

// policy/validating/validator.go, (*validator).Validate: messageExpression, then message, then the expression
fn failed_decision(validation: &Validation, computed: Option<String>) -> Decision {
    let given = Some(validation.message.clone()).filter(|message| !message.is_empty());
    let message =
        computed.or(given).unwrap_or_else(|| format!("failed expression: {}", validation.expression.text));
    Decision { message, reason: validation.reason.clone(), always: false }
}

/// An annotation that fails denies, whatever the binding's actions; `None` when the budget runs out.
// policy/validating/dispatcher.go, AuditAnnotationActionError in Dispatch
fn evaluate_annotations(
    policy: &Policy,
    names: &PolicyVariables<'_>,
) -> Result<Option<Vec<Decision>>, UnsupportedRequest> {
    let mut decisions = Vec::new();
    // validator.go, Validate: the annotations together have the whole budget once more.
    let mut budget = BINDING_LIMIT;
    for annotation in &policy.annotations {
        let message = match run_expression(annotation, names, true, &mut budget)? {
            RunOutcome::OutOfBudget => return Ok(None),
            RunOutcome::Error(message) => message,
            RunOutcome::Value(_) => continue,
        };
        decisions.extend(on_error(policy, Decision { always: true, ..error_decision(message) }));
    }
    Ok(Some(decisions))
}

/// Result of one expression.
enum RunOutcome {
    Value(Value),
    Error(String),
    OutOfBudget,
}

// admission/plugin/cel/activation.go, Evaluate; the cost of variables is added to that of the expression that used them.
fn run_expression(
    source: &ExpressionSource,
    names: &PolicyVariables<'_>,
    variables: bool,
    budget: &mut u64,
) -> Result<RunOutcome, UnsupportedRequest> {
    let expression = match &source.parsed {
        Ok(expression) => expression,
        Err(error) => {
            return Ok(RunOutcome::Error(format!("compilation error: compilation failed: {error}")));
        }
    };
    let outcome = evaluate_expression(expression, &names.scope(variables), CALL_LIMIT);
    let cost = names.take_cost().saturating_add(outcome.cost);
    match budget.checked_sub(cost) {
        Some(left) => *budget = left,
        None => return Ok(RunOutcome::OutOfBudget),
    }
    match outcome.result {
        Ok(value) => Ok(RunOutcome::Value(value)),
        Err(error) if error.kind == ErrorKind::Unsupported => Err(UnsupportedRequest(error.message)),
        Err(error) => {
            Ok(RunOutcome::Error(format!("expression '{}' resulted in error: {error}", source.text)))
        }
    }
}
