//! One policy with one binding: conditions, validations, messages, budgets.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::document::{Binding, ExpressionSource, FailurePolicy, Policy, Validation};
use super::variables::Names;
use super::{BINDING_LIMIT, MATCH_LIMIT, Request, UnsupportedRequest};
use crate::crd::is_usable_message;
use crate::eval::{CALL_LIMIT, ExpressionShape, evaluate_expression};
use crate::value::{ErrorKind, Value, from_json};

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

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The failures, in the order of the validations.
pub(super) fn decide(
    policy: &Policy,
    binding: &Binding,
    request: &Request,
) -> Result<Vec<Decision>, UnsupportedRequest> {
    let params = match params(policy, binding, request) {
        Ok(params) => params,
        Err(message) => {
            let decision = Decision { always: true, ..error(message) };
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
fn with_params(
    policy: &Policy,
    request: &Request,
    params: &Json,
) -> Result<Vec<Decision>, UnsupportedRequest> {
    let names = Names::new(fixed(policy, request, params), &policy.variables);
    match condition(policy, &names)? {
        Matched::Yes => validate(policy, &names),
        Matched::No => Ok(Vec::new()),
        Matched::Failed(message) => Ok(on_error(policy, error(message)).into_iter().collect()),
    }
}

fn error(message: String) -> Decision {
    Decision { message, reason: "Invalid".to_owned(), always: false }
}

/// Returns the decision for an error, by the failure policy.
fn on_error(policy: &Policy, decision: Decision) -> Option<Decision> {
    (policy.failure_policy == FailurePolicy::Fail).then_some(decision)
}

/// The parameters, each of which is asked for itself: null where the binding names none, none when a missing one makes the
/// binding idle (policy_dispatcher.go, `CollectParams`).
fn params(policy: &Policy, binding: &Binding, request: &Request) -> Result<Vec<Json>, String> {
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

fn fixed(
    policy: &Policy,
    request: &Request,
    params: &Json,
) -> BTreeMap<&'static str, (Value, ExpressionShape<'static>)> {
    let mut names = BTreeMap::new();
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
enum Matched {
    Yes,
    No,
    Failed(String),
}

/// All are evaluated; one that is false decides, then errors count.
fn condition(policy: &Policy, names: &Names<'_>) -> Result<Matched, UnsupportedRequest> {
    let mut budget = MATCH_LIMIT;
    let mut results = Vec::new();
    for condition in &policy.conditions {
        match run(&condition.expression, names, false, &mut budget)? {
            Run::OutOfBudget => return Ok(Matched::Failed(OUT_OF_BUDGET.to_owned())),
            Run::Error(message) => results.push(Err(message)),
            Run::Value(value) => results.push(Ok(value)),
        }
    }
    if results.iter().any(|result| matches!(result, Ok(Value::Bool(false)))) {
        return Ok(Matched::No);
    }
    let mut errors: Vec<String> = Vec::new();
    for message in results.into_iter().filter_map(Result::err) {
        if !errors.contains(&message) {
            errors.push(message);
        }
    }
    Ok(match errors.as_slice() {
        [] => Matched::Yes,
        [message] => Matched::Failed(message.clone()),
        several => Matched::Failed(format!("[{}]", several.join(", "))),
    })
}

fn validate(policy: &Policy, names: &Names<'_>) -> Result<Vec<Decision>, UnsupportedRequest> {
    let mut budget = BINDING_LIMIT;
    let mut results = Vec::new();
    for validation in &policy.validations {
        match run(&validation.expression, names, true, &mut budget)? {
            Run::OutOfBudget => {
                return Ok(on_error(policy, error(OUT_OF_BUDGET.to_owned())).into_iter().collect());
            }
            Run::Error(message) => results.push(Err(message)),
            Run::Value(value) => results.push(Ok(value)),
        }
    }
    let messages = messages(policy, names, &mut budget)?;
    let mut decisions = Vec::new();
    for (index, (validation, result)) in policy.validations.iter().zip(results).enumerate() {
        decisions.extend(match (result, &messages) {
            (Err(message), _) => on_error(policy, error(message)),
            (Ok(_), None) => on_error(policy, error(format!("failed messageExpression: {OUT_OF_BUDGET}"))),
            (Ok(Value::Bool(true)), _) => None,
            (Ok(_), Some(messages)) => Some(failed(validation, messages.get(index).cloned().flatten())),
        });
    }
    decisions.extend(annotations(policy, names, &mut budget)?);
    Ok(decisions)
}

/// The messages that expressions compute, for all validations, failed or not; `None` when the budget runs out.
fn messages(
    policy: &Policy,
    names: &Names<'_>,
    budget: &mut u64,
) -> Result<Option<Vec<Option<String>>>, UnsupportedRequest> {
    let mut messages = Vec::new();
    for validation in &policy.validations {
        let Some(source) = &validation.message_expression else {
            messages.push(None);
            continue;
        };
        match run(source, names, true, budget)? {
            Run::OutOfBudget => return Ok(None),
            Run::Value(Value::String(text)) if is_usable_message(&text) => {
                messages.push(Some(text.trim().to_owned()));
            }
            Run::Value(_) | Run::Error(_) => messages.push(None),
        }
    }
    Ok(Some(messages))
}

fn failed(validation: &Validation, computed: Option<String>) -> Decision {
    let given = Some(validation.message.clone()).filter(|message| !message.is_empty());
    let message =
        computed.or(given).unwrap_or_else(|| format!("failed expression: {}", validation.expression.text));
    Decision { message, reason: validation.reason.clone(), always: false }
}

/// An annotation that fails denies, whatever the binding's actions.
fn annotations(
    policy: &Policy,
    names: &Names<'_>,
    budget: &mut u64,
) -> Result<Vec<Decision>, UnsupportedRequest> {
    let mut decisions = Vec::new();
    for annotation in &policy.annotations {
        let message = match run(annotation, names, true, budget)? {
            Run::OutOfBudget => OUT_OF_BUDGET.to_owned(),
            Run::Error(message) => message,
            Run::Value(_) => continue,
        };
        decisions.extend(on_error(policy, Decision { always: true, ..error(message) }));
    }
    Ok(decisions)
}

/// Result of one expression.
enum Run {
    Value(Value),
    Error(String),
    OutOfBudget,
}

fn run(
    source: &ExpressionSource,
    names: &Names<'_>,
    variables: bool,
    budget: &mut u64,
) -> Result<Run, UnsupportedRequest> {
    let expression = match &source.parsed {
        Ok(expression) => expression,
        Err(error) => return Ok(Run::Error(format!("compilation error: compilation failed: {error}"))),
    };
    let outcome = evaluate_expression(expression, &names.scope(variables), CALL_LIMIT);
    let cost = names.take_cost().saturating_add(outcome.cost);
    match budget.checked_sub(cost) {
        Some(left) => *budget = left,
        None => return Ok(Run::OutOfBudget),
    }
    match outcome.result {
        Ok(value) => Ok(Run::Value(value)),
        Err(error) if error.kind == ErrorKind::Unsupported => Err(UnsupportedRequest(error.message)),
        Err(error) => Ok(Run::Error(format!("expression '{}' resulted in error: {error}", source.text))),
    }
}
