//! Reports of the server's policies as answers for users.

use kvrules_apiserver::policy::{
    Binding, BindingOutcome, Decision, DecisionOrigin, Mismatch, ParamReport, Policy, PolicyAnswer,
    PolicyOutcome, PolicyReport, Request, ValidationAction,
};

use super::places::FieldPlaces;
use super::request::RequestOperation;
use super::rules::PolicyRules;
use super::{
    AdmissionAnswer, AdmissionDenial, AdmissionVerdict, PolicyFailure, PolicyResult, PolicyResultKind,
};

/// Returns the answer about an object.
pub(super) fn to_answer(
    rules: &PolicyRules,
    (request, operation): (&Request, RequestOperation),
    reports: &[PolicyReport],
    answered: PolicyAnswer,
    mut warnings: Vec<String>,
) -> AdmissionAnswer {
    let policies: Vec<_> = reports.iter().flat_map(|report| policy_results(rules, request, report)).collect();
    let has = |kind| policies.iter().any(|result: &PolicyResult| result.outcome == kind);
    let verdict = match &answered.denial {
        Some(_) => AdmissionVerdict::Rejected,
        None if has(PolicyResultKind::NotEvaluated) => AdmissionVerdict::Unknown,
        None if policies.iter().any(|result| result.outcome.is_evaluated()) => AdmissionVerdict::Accepted,
        None => AdmissionVerdict::NotMatched,
    };
    let denial = answered.denial.map(|denial| AdmissionDenial {
        status: denial.code,
        reason: denial.reason,
        message: denial.message,
    });
    warnings.extend(answered.warnings);
    let Request { resource, group, .. } = request;
    AdmissionAnswer {
        verdict,
        operation: operation.as_word(),
        resource: if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") },
        subresource: Some(request.subresource.clone()).filter(|it| !it.is_empty()),
        denial,
        warnings,
        audit: answered.audit,
        policies,
    }
}

/// A policy or a binding with the locations of its fields.
#[derive(Clone, Copy)]
struct Origin<'r> {
    policy: &'r Policy,
    policy_places: &'r FieldPlaces,
    binding: Option<(&'r Binding, &'r FieldPlaces)>,
}

impl Origin<'_> {
    /// The locations that a field of the binding is in; those of the policy if it has none.
    fn binding_places(&self) -> &FieldPlaces {
        self.binding.map_or(self.policy_places, |(_, places)| places)
    }

    fn result(&self, outcome: PolicyResultKind, places: &FieldPlaces, field: &str) -> PolicyResult {
        PolicyResult {
            policy: self.policy.name.clone(),
            binding: self.binding.map(|(binding, _)| binding.name.clone()),
            param: None,
            outcome,
            reason: None,
            file: places.file.clone(),
            at: places.find_place(field).at.into(),
            failures: Vec::new(),
        }
    }
}

fn policy_results(rules: &PolicyRules, request: &Request, report: &PolicyReport) -> Vec<PolicyResult> {
    let (Some(policy), Some(policy_places)) =
        (rules.policies.get(report.policy), rules.policy_places.get(report.policy))
    else {
        return Vec::new();
    };
    let origin = Origin { policy, policy_places, binding: None };
    let single = |outcome, field: &str, reason: String| {
        vec![PolicyResult { reason: Some(reason), ..origin.result(outcome, policy_places, field) }]
    };
    match &report.outcome {
        PolicyOutcome::Exempt => {
            let reason = format!("no policy is evaluated on requests for {}", request.resource);
            single(PolicyResultKind::NotMatched, "spec.matchConstraints", reason)
        }
        PolicyOutcome::NotMatched(mismatch) => {
            let (field, reason) = describe_mismatch("spec.matchConstraints", mismatch);
            single(PolicyResultKind::NotMatched, &field, reason)
        }
        PolicyOutcome::NeedsConversion(versions) => single(
            PolicyResultKind::NotEvaluated,
            "spec.matchConstraints.resourceRules",
            conversion_message(policy, request, versions),
        ),
        PolicyOutcome::Unsupported(what) => single(
            PolicyResultKind::NotEvaluated,
            "spec.matchConstraints",
            unsupported_message(&policy.name, request, what),
        ),
        PolicyOutcome::Bound(bound) => {
            let one = |report: &kvrules_apiserver::policy::BindingReport| {
                let binding = rules.bindings.get(report.binding)?;
                // A binding that stands for a missing one has no file.
                let places = rules.binding_places.get(report.binding)?.as_ref();
                let actions = &binding.actions;
                let binding = places.map(|places| (binding, places));
                Some(binding_results(Origin { binding, ..origin }, actions, request, &report.outcome))
            };
            bound.iter().filter_map(one).flatten().collect()
        }
    }
}

fn binding_results(
    origin: Origin<'_>,
    actions: &[ValidationAction],
    request: &Request,
    outcome: &BindingOutcome,
) -> Vec<PolicyResult> {
    let places = origin.binding_places();
    let single = |outcome, field: &str, reason: String| {
        vec![PolicyResult { reason: Some(reason), ..origin.result(outcome, places, field) }]
    };
    match outcome {
        BindingOutcome::NotMatched(mismatch) => {
            let (field, reason) = describe_mismatch("spec.matchResources", mismatch);
            single(PolicyResultKind::NotMatched, &field, reason)
        }
        BindingOutcome::Unsupported(what) => {
            let message = unsupported_message(&origin.policy.name, request, what);
            single(PolicyResultKind::NotEvaluated, "spec", message)
        }
        BindingOutcome::NoParams => {
            let reason = "no parameter is selected, and `parameterNotFoundAction` is `Allow`".to_owned();
            single(PolicyResultKind::NoParameters, "spec.paramRef", reason)
        }
        BindingOutcome::ParamError(decision) => {
            let failure = to_failure(origin, actions, decision);
            let outcome = result_kind(std::slice::from_ref(&failure));
            vec![PolicyResult { failures: vec![failure], ..origin.result(outcome, places, "spec.paramRef") }]
        }
        BindingOutcome::Evaluated(params) => {
            params.iter().map(|param| param_result(origin, actions, param)).collect()
        }
    }
}

fn param_result(origin: Origin<'_>, actions: &[ValidationAction], report: &ParamReport) -> PolicyResult {
    let param = report.param.clone();
    if let Some(index) = report.skipped_by {
        let field = format!("spec.matchConditions[{index}].expression");
        let name = origin.policy.conditions.get(index).map(|it| it.name.as_str()).unwrap_or_default();
        let reason = Some(format!("match condition `{name}` is false"));
        let result = origin.result(PolicyResultKind::Skipped, origin.policy_places, &field);
        return PolicyResult { param, reason, ..result };
    }
    let failures: Vec<_> =
        report.decisions.iter().map(|decision| to_failure(origin, actions, decision)).collect();
    let result = origin.result(result_kind(&failures), origin.policy_places, "");
    PolicyResult { param, failures, ..result }
}

/// The worst consequence of some failures.
fn result_kind(failures: &[PolicyFailure]) -> PolicyResultKind {
    let has = |action| failures.iter().any(|it| !it.ignored && it.actions.contains(&action));
    match () {
        () if failures.is_empty() => PolicyResultKind::Passed,
        () if has("Deny") => PolicyResultKind::Denied,
        () if has("Warn") => PolicyResultKind::Warned,
        () if has("Audit") => PolicyResultKind::Audited,
        () => PolicyResultKind::ErrorIgnored,
    }
}

fn to_failure(origin: Origin<'_>, actions: &[ValidationAction], decision: &Decision) -> PolicyFailure {
    let policy = origin.policy;
    let validation = |index: usize| policy.validations.get(index).map(|it| it.expression.text.clone());
    let condition = |index: usize| policy.conditions.get(index).map(|it| it.expression.text.clone());
    let annotation = |index: usize| policy.annotations.get(index).map(|it| it.expression.text.clone());
    let (field, expression, index) = match decision.origin {
        DecisionOrigin::Validation(index) | DecisionOrigin::Budget(index) => {
            (format!("spec.validations[{index}].expression"), validation(index), Some(index))
        }
        DecisionOrigin::MatchConditions(Some(index)) => {
            (format!("spec.matchConditions[{index}].expression"), condition(index), None)
        }
        DecisionOrigin::MatchConditions(None) => ("spec.matchConditions".to_owned(), None, None),
        DecisionOrigin::Annotation(index) => {
            (format!("spec.auditAnnotations[{index}].valueExpression"), annotation(index), None)
        }
        DecisionOrigin::Annotations => ("spec.auditAnnotations".to_owned(), None, None),
        DecisionOrigin::ParamRef => ("spec.paramRef".to_owned(), None, None),
    };
    let places = match decision.origin {
        DecisionOrigin::ParamRef => origin.binding_places(),
        _ => origin.policy_places,
    };
    let actions = match (decision.is_ignored, decision.always) {
        (true, _) => Vec::new(),
        (false, true) => vec![ValidationAction::Deny.as_str()],
        (false, false) => actions.iter().map(|action| action.as_str()).collect(),
    };
    PolicyFailure {
        validation: index,
        expression,
        message: decision.message.clone(),
        reason: decision.reason.clone(),
        error: decision.is_error,
        ignored: decision.is_ignored,
        actions,
        file: places.file.clone(),
        at: places.find_place(&field).at.into(),
        field,
    }
}

/// The field that excludes a request, and the reason.
fn describe_mismatch(list: &str, mismatch: &Mismatch) -> (String, String) {
    let short = list.trim_start_matches("spec.");
    let (field, reason) = match mismatch {
        Mismatch::NamespaceSelector => ("namespaceSelector".to_owned(), "excludes the namespace".to_owned()),
        Mismatch::Constraint(field) => {
            return (list.to_owned(), format!("`match.{field}` of the constraint excludes the object"));
        }
        Mismatch::ObjectSelector => {
            ("objectSelector".to_owned(), "excludes the labels of the object".to_owned())
        }
        Mismatch::Excluded(index) => {
            (format!("excludeResourceRules[{index}]"), "excludes the request".to_owned())
        }
        Mismatch::Rules(index, field) => {
            (format!("resourceRules[{index}].{field}"), "does not include the request".to_owned())
        }
    };
    (format!("{list}.{field}"), format!("`{short}.{field}` {reason}"))
}

/// The first reason why a policy could not be evaluated.
pub(super) fn first_fault(
    rules: &PolicyRules,
    request: &Request,
    reports: &[PolicyReport],
) -> Option<String> {
    let results = reports.iter().flat_map(|report| policy_results(rules, request, report));
    results.filter(|result| result.outcome == PolicyResultKind::NotEvaluated).find_map(|result| result.reason)
}

fn conversion_message(policy: &Policy, request: &Request, versions: &[String]) -> String {
    let versions = versions.iter().map(|version| format!("`{version}`")).collect::<Vec<_>>().join(" or ");
    format!(
        "policy `{}` matches {versions}, to which the server converts this object of `{}`; write it in that version",
        policy.name, request.version
    )
}

/// Returns the message that an expression or a selector requires something that was not given.
fn unsupported_message(policy: &str, request: &Request, what: &str) -> String {
    let namespace = &request.namespace;
    let help = match what {
        _ if what.contains("selector of namespaces") => {
            let message =
                format!("a `namespaceSelector` of policy `{policy}` reads the labels of the namespace");
            return format!("{message} `{namespace}`; give it with `--namespace-object FILE`");
        }
        _ if what.contains("`namespaceObject`") => {
            format!("; give the namespace `{namespace}` with `--namespace-object FILE`")
        }
        _ if what.contains("`userInfo`") => "; give the user with `--user NAME`".to_owned(),
        _ if what.contains("authorizer") => "; declare its answers with `--allow`".to_owned(),
        _ => String::new(),
    };
    let what = what.strip_suffix(", which the request does not give, is not supported here").unwrap_or(what);
    if what.starts_with('`') && !what.contains(' ') {
        format!("policy `{policy}` reads {what}, which is not given{help}")
    } else {
        format!("policy `{policy}`: {what}{help}")
    }
}
