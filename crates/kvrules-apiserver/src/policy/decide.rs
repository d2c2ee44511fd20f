//! One policy with one binding: conditions, validations, messages, budgets.

use std::collections::BTreeMap;

use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, evaluate_expression};
use kvrules_cel::value::{ErrorKind, Value, from_json};
use serde_json::Value as Json;

use super::document::{Binding, ExpressionSource, FailurePolicy, Policy, ResourceScope, Validation};
use super::report::{BindingOutcome, Decision, DecisionOrigin, ParamReport};
use super::variables::PolicyVariables;
use super::{BINDING_LIMIT, MATCH_LIMIT, Request, UnsupportedRequest};
use crate::crd::is_usable_message;

// apiserver admission/plugin/cel/activation.go, Evaluate
const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The result of a policy with a binding that matches.
// admission/plugin/policy/validating/dispatcher.go, Dispatch, for one hook and one binding
pub(super) fn decide_request(
    policy: &Policy,
    binding: &Binding,
    request: &Request,
) -> Result<BindingOutcome, UnsupportedRequest> {
    let params = match select_params(policy, binding, request) {
        Ok(params) => params,
        // Dispatch, addConfigError: denied without a look at the binding's actions.
        Err(message) => {
            let message = format!("failed to configure binding: {message}");
            let decision = error_decision(policy, DecisionOrigin::ParamRef, message);
            return Ok(BindingOutcome::ParamError(Decision { always: true, ..decision }));
        }
    };
    if params.is_empty() {
        return Ok(BindingOutcome::NoParams);
    }
    let reports = params.into_iter().map(|(name, param)| {
        let report = with_params(policy, request, param)?;
        Ok(ParamReport { param: name.map(str::to_owned), ..report })
    });
    Ok(BindingOutcome::Evaluated(reports.collect::<Result<_, _>>()?))
}

/// The failures with one of the parameters.
// policy/validating/validator.go, (*validator).Validate
fn with_params(policy: &Policy, request: &Request, params: &Json) -> Result<ParamReport, UnsupportedRequest> {
    let fixed = fixed_variables(policy, request, params);
    let names = PolicyVariables::new(fixed, &policy.variables, request.server.policy_costs());
    // matchconditions/matcher.go, Match: the conditions are given no namespace
    let mut of_conditions = fixed_variables(policy, request, params);
    of_conditions.insert("namespaceObject", (Value::Null, ExpressionShape::Known));
    let of_conditions = PolicyVariables::new(of_conditions, &policy.variables, request.server.policy_costs());
    match evaluate_match_conditions(policy, &of_conditions)? {
        MatchOutcome::Yes => evaluate_validations(policy, &names),
        MatchOutcome::No(index) => Ok(ParamReport { skipped_by: Some(index), ..ParamReport::default() }),
        MatchOutcome::Failed(index, message) => {
            Ok(only_error(policy, DecisionOrigin::MatchConditions(index), message.clone()))
        }
    }
}

/// The decision for an error: ignored or not, by the failure policy.
// policy/validating/validator.go, policyDecisionActionForError
fn error_decision(policy: &Policy, origin: DecisionOrigin, message: String) -> Decision {
    Decision {
        origin,
        message,
        reason: "Invalid".to_owned(),
        is_error: true,
        always: false,
        is_ignored: policy.failure_policy == FailurePolicy::Ignore,
    }
}

fn only_error(policy: &Policy, origin: DecisionOrigin, message: String) -> ParamReport {
    ParamReport { decisions: vec![error_decision(policy, origin, message)], ..ParamReport::default() }
}

/// A parameter with its name.
type NamedParam<'r> = (Option<&'r str>, &'r Json);

/// The parameters, each of which is evaluated separately: a null if the binding names none, empty if a missing
/// parameter disables the binding (policy_dispatcher.go, `CollectParams`).
fn select_params<'r>(
    policy: &Policy,
    binding: &Binding,
    request: &'r Request,
) -> Result<Vec<NamedParam<'r>>, String> {
    let (Some(kind), Some(wanted)) = (&policy.param_kind, &binding.param) else {
        return Ok(vec![(None, &Json::Null)]);
    };
    let text = match kind.scope {
        Some(ResourceScope::Namespaced) if wanted.namespace.is_none() && request.namespace.is_empty() => {
            Some("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
        }
        Some(ResourceScope::Cluster) if wanted.namespace.is_some() => {
            Some("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
        }
        _ => None,
    };
    if let Some(text) = text {
        return Err(text.to_owned());
    }
    let is_wanted = |(name, param): &&(String, Json)| wanted.selects(name, param, kind, &request.namespace);
    let found: Vec<_> =
        request.params.iter().filter(is_wanted).map(|(name, param)| (Some(name.as_str()), param)).collect();
    if found.is_empty() && wanted.missing_denies {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    Ok(found)
}

/// The values of all names but `variables`.
pub(super) fn fixed_variables(
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
    names.insert("authorizer", (request.authorizer_value(), ExpressionShape::Known));
    if policy.param_kind.is_some() {
        names.insert("params", (from_json(params), ExpressionShape::Dyn));
    }
    names
}

/// Result of the match conditions.
enum MatchOutcome {
    Yes,
    /// The condition with this index is false.
    No(usize),
    /// The condition that fails, if it is only one, and the error.
    Failed(Option<usize>, String),
}

/// All are evaluated; one that is false decides, then errors count.
// admission/plugin/webhook/matchconditions/matcher.go, Match; policies and webhooks share it.
fn evaluate_match_conditions(
    policy: &Policy,
    names: &PolicyVariables<'_>,
) -> Result<MatchOutcome, UnsupportedRequest> {
    let mut budget = MATCH_LIMIT;
    let mut results = Vec::new();
    for (index, condition) in policy.conditions.iter().enumerate() {
        match run_expression(&condition.expression, names, false, &mut budget)? {
            RunOutcome::OutOfBudget => {
                return Ok(MatchOutcome::Failed(Some(index), OUT_OF_BUDGET.to_owned()));
            }
            RunOutcome::Error(message) => results.push(Err(message)),
            RunOutcome::Value(value) => results.push(Ok(value)),
        }
    }
    if let Some(index) = results.iter().position(|result| matches!(result, Ok(Value::Bool(false)))) {
        return Ok(MatchOutcome::No(index));
    }
    // apimachinery util/errors, aggregate.Error: each message once, in brackets if there are several.
    let mut errors: Vec<(usize, String)> = Vec::new();
    for (index, message) in results.into_iter().enumerate().filter_map(|(index, it)| Some((index, it.err()?)))
    {
        if !errors.iter().any(|(_, known)| *known == message) {
            errors.push((index, message));
        }
    }
    Ok(match errors.as_slice() {
        [] => MatchOutcome::Yes,
        [(index, message)] => MatchOutcome::Failed(Some(*index), message.clone()),
        several => {
            let texts: Vec<_> = several.iter().map(|(_, message)| message.as_str()).collect();
            MatchOutcome::Failed(None, format!("[{}]", texts.join(", ")))
        }
    })
}

// policy/validating/validator.go, (*validator).Validate, from evalResults on
fn evaluate_validations(
    policy: &Policy,
    names: &PolicyVariables<'_>,
) -> Result<ParamReport, UnsupportedRequest> {
    let mut budget = BINDING_LIMIT;
    let mut results = Vec::new();
    for (index, validation) in policy.validations.iter().enumerate() {
        match run_expression(&validation.expression, names, true, &mut budget)? {
            RunOutcome::OutOfBudget => {
                return Ok(only_error(policy, DecisionOrigin::Budget(index), OUT_OF_BUDGET.to_owned()));
            }
            RunOutcome::Error(message) => results.push(Err(message)),
            RunOutcome::Value(value) => results.push(Ok(value)),
        }
    }
    let messages = evaluate_messages(policy, names, &mut budget)?;
    let mut decisions = Vec::new();
    for (index, (validation, result)) in policy.validations.iter().zip(results).enumerate() {
        let origin = DecisionOrigin::Validation(index);
        decisions.extend(match (result, &messages) {
            (Err(message), _) => Some(error_decision(policy, origin, message)),
            // Without budget for messages, the failure policy decides even about validations that hold.
            (Ok(_), None) => {
                Some(error_decision(policy, origin, format!("failed messageExpression: {OUT_OF_BUDGET}")))
            }
            (Ok(Value::Bool(true)), _) => None,
            (Ok(_), Some(messages)) => {
                Some(failed_decision(validation, origin, messages.get(index).cloned().flatten()))
            }
        });
    }
    let Some((denials, annotations)) = evaluate_annotations(policy, names)? else {
        // The error takes the place of all other decisions.
        return Ok(only_error(policy, DecisionOrigin::Annotations, OUT_OF_BUDGET.to_owned()));
    };
    decisions.extend(denials);
    Ok(ParamReport { decisions, annotations, ..ParamReport::default() })
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
fn failed_decision(validation: &Validation, origin: DecisionOrigin, computed: Option<String>) -> Decision {
    let given = Some(validation.message.clone()).filter(|message| !message.is_empty());
    let message =
        computed.or(given).unwrap_or_else(|| format!("failed expression: {}", validation.expression.text));
    Decision {
        origin,
        message,
        reason: validation.reason.clone(),
        is_error: false,
        always: false,
        is_ignored: false,
    }
}

/// The denials of audit annotations, and their keys and values.
type Annotations = (Vec<Decision>, Vec<(String, String)>);

/// An annotation that fails denies, whatever the binding's actions; `None` when the budget runs out.
// policy/validating/dispatcher.go, AuditAnnotationActionError in Dispatch
fn evaluate_annotations(
    policy: &Policy,
    names: &PolicyVariables<'_>,
) -> Result<Option<Annotations>, UnsupportedRequest> {
    let (mut decisions, mut annotations) = (Vec::new(), Vec::new());
    // validator.go, Validate: the annotations together have the whole budget once more.
    let mut budget = BINDING_LIMIT;
    for (index, annotation) in policy.annotations.iter().enumerate() {
        let denial = |message| Decision {
            always: true,
            ..error_decision(policy, DecisionOrigin::Annotation(index), message)
        };
        match run_expression(&annotation.expression, names, true, &mut budget)? {
            RunOutcome::OutOfBudget => return Ok(None),
            RunOutcome::Error(message) => decisions.push(denial(message)),
            RunOutcome::Value(Value::Null) => {}
            RunOutcome::Value(Value::String(text)) => {
                let text = text.trim();
                if !text.is_empty() {
                    annotations.push((annotation.key.clone(), text.to_owned()));
                }
            }
            // validator.go, Validate: a value of another type denies even if the failure policy is Ignore.
            RunOutcome::Value(other) => {
                let (text, ty) = (&annotation.expression.text, other.type_name());
                let message = format!(
                    "valueExpression '{text}' resulted in unsupported return type: {ty}. Return type must be either string or null."
                );
                decisions.push(Decision { is_ignored: false, ..denial(message) });
            }
        }
    }
    Ok(Some((decisions, annotations)))
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
