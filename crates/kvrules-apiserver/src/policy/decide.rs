//! One policy with one binding: conditions, validations, messages, budgets.

use std::collections::BTreeMap;

use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, evaluate_expression};
use kvrules_cel::kubernetes::RuntimeRegime;
use kvrules_cel::value::{ErrorKind, Value, from_json};
use serde_json::Value as Json;

use super::document::{Binding, FailurePolicy, Policy, ResourceScope, Validation};
use super::expression_source::ExpressionSource;
use super::notation::{PolicyEngine, PolicyException};
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
    let mut fixed = fixed_variables(policy, request, params);
    if policy.origin.engine == PolicyEngine::Kyverno {
        fixed.insert("exceptions", (allowed_values(policy, request, params)?, ExpressionShape::Known));
    }
    let costs = policy.evaluation_regime(request);
    let mut of_conditions = fixed.clone();
    let names = PolicyVariables::new(fixed, &policy.variables, costs);
    // matchconditions/matcher.go, Match: the conditions are given no namespace
    if policy.origin.engine != PolicyEngine::Kyverno {
        of_conditions.insert("namespaceObject", (Value::Null, ExpressionShape::Known));
    }
    let of_conditions = PolicyVariables::new(of_conditions, &policy.variables, costs);
    match evaluate_match_conditions(policy, &of_conditions)? {
        MatchOutcome::Yes => evaluate_validations(policy, &names),
        MatchOutcome::No(index) => Ok(ParamReport { skipped_by: Some(index), ..ParamReport::default() }),
        MatchOutcome::Failed(index, message) => {
            Ok(only_error(policy, DecisionOrigin::MatchConditions(index), message.clone()))
        }
    }
}

/// The value of `exceptions`: what the exceptions allow whose conditions hold.
// kyverno pkg/cel/policies/vpol/compiler/policy.go, evaluateWithData
fn allowed_values(policy: &Policy, request: &Request, params: &Json) -> Result<Value, UnsupportedRequest> {
    let fixed = fixed_variables(policy, request, params);
    let names = PolicyVariables::new(fixed, &[], policy.evaluation_regime(request));
    let mut matching = Vec::new();
    for exception in &policy.origin.exceptions {
        let mut holds = true;
        for condition in &exception.conditions {
            let outcome = run_expression(condition, &names, false, &mut { u64::MAX })?;
            holds &= matches!(outcome, RunOutcome::Value(Value::Bool(true)));
        }
        matching.extend(holds.then_some(exception));
    }
    Ok(PolicyException::allowed_value(matching.into_iter()))
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
    names.insert("request", (request.as_value(policy.origin.engine), ExpressionShape::Known));
    names.insert("namespaceObject", (request.namespace_value(), ExpressionShape::Known));
    if policy.origin.engine == PolicyEngine::Kyverno {
        let unknown = policy.origin.engine.unknown_values().iter();
        names.extend(unknown.map(|name| (*name, (Value::Unknown(name), ExpressionShape::Known))));
        let none = PolicyException::allowed_value(std::iter::empty());
        names.insert("exceptions", (none, ExpressionShape::Known));
    } else {
        names.insert("authorizer", (request.authorizer_value(), ExpressionShape::Known));
    }
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
    let mut budget = policy.budget(MATCH_LIMIT);
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
    let mut budget = policy.budget(BINDING_LIMIT);
    let mut results = Vec::new();
    for (index, validation) in policy.validations.iter().enumerate() {
        match run_expression(&validation.expression, names, true, &mut budget)? {
            RunOutcome::OutOfBudget => {
                return Ok(only_error(policy, DecisionOrigin::Budget(index), OUT_OF_BUDGET.to_owned()));
            }
            RunOutcome::Error(message) => results.push(Err(message)),
            RunOutcome::Value(value) => results.push(Ok(value)),
        }
        let is_first = !matches!(results.last(), Some(Ok(Value::Bool(true))));
        if is_first && policy.origin.engine.stops_at_first_failure() {
            break;
        }
    }
    let messages = evaluate_messages(policy, names, &results, &mut budget)?;
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
                let computed = messages.get(index).cloned().flatten();
                Some(failed_decision((policy, validation, index), origin, computed))
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
    results: &[Result<Value, String>],
    budget: &mut u64,
) -> Result<Option<Vec<Option<String>>>, UnsupportedRequest> {
    let mut messages = Vec::new();
    // kyverno pkg/cel/policies/vpol/compiler/policy.go, evaluateWithData: the message of the validation that fails alone
    let is_for_failures = policy.origin.engine.stops_at_first_failure();
    for (index, validation) in policy.validations.iter().enumerate() {
        let is_needed = !is_for_failures || matches!(results.get(index), Some(Ok(Value::Bool(false))));
        let Some(source) = validation.message_expression.as_ref().filter(|_| is_needed) else {
            messages.push(None);
            continue;
        };
        match run_expression(source, names, true, budget)? {
            RunOutcome::OutOfBudget => return Ok(None),
            RunOutcome::Value(Value::String(text)) if is_usable_message(&text) => {
                messages.push(Some(text.trim().to_owned()));
            }
            RunOutcome::Error(error) if is_for_failures => {
                messages.push(Some(format!("failed to evaluate message expression: {error}")));
            }
            RunOutcome::Value(_) | RunOutcome::Error(_) => messages.push(None),
        }
    }
    Ok(Some(messages))
}

// policy/validating/validator.go, (*validator).Validate: messageExpression, then message, then the expression
fn failed_decision(
    (policy, validation, index): (&Policy, &Validation, usize),
    origin: DecisionOrigin,
    computed: Option<String>,
) -> Decision {
    let engine = policy.origin.engine;
    let given = Some(validation.message.clone()).filter(|message| !message.is_empty());
    let message =
        computed.or(given).unwrap_or_else(|| engine.default_message(index, &validation.expression.text));
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
    let mut budget = policy.budget(BINDING_LIMIT);
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

impl Policy {
    /// The budget of several expressions together.
    fn budget(&self, limit: u64) -> u64 {
        if self.origin.engine.has_budget() { limit } else { u64::MAX }
    }

    /// The regime in which its expressions are evaluated.
    pub(super) fn evaluation_regime(&self, request: &Request) -> RuntimeRegime {
        request.server.policy_costs().with_engine(self.origin.engine.cel_engine())
    }
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
