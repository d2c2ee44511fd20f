//! Requests that end an expression of a policy in an error, and that a server can have.

use std::sync::Arc;

use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::policy::{
    AuthorizationCheck, AuthorizationSource, Binding, BindingOutcome, Decision, DecisionOrigin, ParamReport,
    Policy, PolicyExpression, PolicyOutcome, Request, report_request,
};
use kvrules_ir::{Formula, Term};
use kvrules_lift::{FailingRequest, LiftedExpression, PolicyLifter, PolicySubject};
use serde_json::{Value, json};

use super::error_cause::{ErrorCause, find_cause};
use super::named_parts::NamedParts;

/// A request that ends an expression in an error.
pub(super) struct PolicyFailure {
    /// The operation of the request.
    pub(super) operation: String,
    pub(super) cause: ErrorCause,
    /// The server's text.
    pub(super) error: String,
    /// True if other expressions of the policy end in errors for it too.
    pub(super) has_other_errors: bool,
}

/// The most requests of one expression whose policy is evaluated as a whole.
const MOST_REQUESTS: usize = 60;

/// The most other expressions that a request is made for.
const MOST_OTHERS: usize = 12;

/// A name that a policy matches, if it matches objects of some names alone.
pub(super) fn matched_name(document: &Value) -> Option<&str> {
    let rules = document.pointer("/spec/matchConstraints/resourceRules")?.as_array()?;
    let mut names = rules.iter().map(|rule| rule.pointer("/resourceNames/0").and_then(Value::as_str));
    let first = names.next().flatten()?;
    names.all(|name| name.is_some()).then_some(first)
}

/// A user who may do everything: whether others may is not known.
#[derive(Debug)]
struct AllPermissions;

impl AuthorizationSource for AllPermissions {
    fn allows_action(&self, _: &AuthorizationCheck) -> bool {
        true
    }
}

/// An error that the server would answer with.
struct ConfirmedFailure {
    has_other_errors: bool,
}

/// Looks for requests about objects of one kind that end an expression in an error.
pub(super) struct FailureSearch<'a> {
    pub(super) policy: &'a Policy,
    /// The kind, with objects as the server stores them.
    pub(super) subject: &'a PolicySubject,
    pub(super) lifter: &'a PolicyLifter<'a>,
    /// The name of the objects, if the policy matches objects of some names alone.
    pub(super) object_name: Option<&'a str>,
    /// The formulas of all expressions that have some.
    pub(super) formulas: &'a [(PolicyExpression, &'a LiftedExpression)],
}

impl FailureSearch<'_> {
    /// Finds a request that ends an expression in an error and that nothing else refuses.
    pub(super) fn find_failure(
        &self,
        expression: PolicyExpression,
        formulas: &LiftedExpression,
    ) -> Option<PolicyFailure> {
        let parts = NamedParts::of_formulas(formulas);
        let others = self.conditions_for(expression);
        let found = self.lifter.failing_requests(expression, formulas, &others);
        found.take(MOST_REQUESTS).find_map(|failing| {
            let cause = find_cause(&failing, &parts, self.subject)?;
            let has_other_errors = self.confirm(expression, &failing)?.has_other_errors;
            let operation = failing.request.operation.clone();
            Some(PolicyFailure { operation, cause, error: failing.error.clone(), has_other_errors })
        })
    }

    /// The conditions under which the error of an expression matters, none of which may be false.
    fn conditions_for(&self, expression: PolicyExpression) -> Vec<LiftedExpression> {
        let negation = |formula: &Formula| Formula::negation_of(formula.clone());
        let is_needed = |(other, formulas): &(PolicyExpression, &LiftedExpression)| {
            let LiftedExpression { holds, fails } = *formulas;
            let holding = || LiftedExpression { holds: holds.clone(), fails: negation(holds) };
            match (expression, *other) {
                (known, other) if known == other => None,
                (PolicyExpression::MatchCondition(_), PolicyExpression::MatchCondition(_)) => {
                    Some((*formulas).clone())
                }
                (PolicyExpression::MatchCondition(_), _) => None,
                (_, PolicyExpression::MatchCondition(_)) => Some(holding()),
                // A message is shown where its validation is false.
                (PolicyExpression::Message(index), PolicyExpression::Validation(of)) => {
                    (index == of).then(|| LiftedExpression { holds: fails.clone(), fails: negation(fails) })
                }
                (_, PolicyExpression::Validation(_)) => Some((*formulas).clone()),
                _ => None,
            }
        };
        let mut others: Vec<_> = self.formulas.iter().filter_map(is_needed).take(MOST_OTHERS).collect();
        if self.policy.param_kind.is_some() && self.subject.params.is_some() {
            // A binding with `paramRef` has parameters, or refuses the request by itself.
            let holds = Formula::is_defined(Term::Root("params".to_owned()));
            others.push(LiftedExpression { fails: negation(&holds), holds });
        }
        others
    }

    /// Returns the answer of a server that stores the objects of a request, if the error is what matters: the policy has no other
    /// reason to refuse the request than errors.
    // apiserver pkg/admission/plugin/policy/validating/validator.go, validator.Validate: each expression has a decision of its own
    fn confirm(&self, expression: PolicyExpression, failing: &FailingRequest) -> Option<ConfirmedFailure> {
        let report = self.report(failing)?;
        let is_of = |decision: &&Decision| match (expression, decision.origin) {
            (PolicyExpression::MatchCondition(index), DecisionOrigin::MatchConditions(of)) => {
                of.is_none_or(|of| of == index)
            }
            (
                PolicyExpression::Validation(index) | PolicyExpression::Message(index),
                DecisionOrigin::Validation(of),
            )
            | (PolicyExpression::AuditAnnotation(index), DecisionOrigin::Annotation(of)) => of == index,
            _ => false,
        };
        let (own, others): (Vec<&Decision>, Vec<_>) = report.decisions.iter().partition(is_of);
        let is_expected = match expression {
            PolicyExpression::Message(_) => own.iter().any(|it| !it.is_error),
            _ => !own.is_empty() && report.decisions.iter().all(|it| it.is_error),
        };
        let is_confirmed = is_expected && self.is_stored(&failing.request);
        // Expressions without formulas may read parameters, which a request has and this one lacks.
        let is_other_error = |it: &&Decision| it.is_error && self.is_lifted(it.origin);
        is_confirmed
            .then(|| ConfirmedFailure { has_other_errors: others.into_iter().any(|it| is_other_error(&it)) })
    }

    /// True if the expression that a decision comes from has formulas.
    fn is_lifted(&self, origin: DecisionOrigin) -> bool {
        let expression = match origin {
            DecisionOrigin::Validation(of) => PolicyExpression::Validation(of),
            DecisionOrigin::Annotation(of) => PolicyExpression::AuditAnnotation(of),
            DecisionOrigin::MatchConditions(Some(of)) => PolicyExpression::MatchCondition(of),
            _ => return false,
        };
        self.formulas.iter().any(|(known, _)| *known == expression)
    }

    /// The decisions about a request, if the policy matches it.
    fn report(&self, failing: &FailingRequest) -> Option<ParamReport> {
        let policy = self.policy;
        let mut request = failing.request.clone();
        request.authorizer = Some(Arc::new(AllPermissions));
        if let Some(name) = self.object_name {
            name.clone_into(&mut request.name);
            for object in [&mut request.object, &mut request.old_object] {
                if let Some(own) = object.pointer_mut("/metadata/name") {
                    *own = name.into();
                }
            }
        }
        let mut spec = json!({"policyName": policy.name, "validationActions": ["Deny"]});
        if let (Some(_), Some(fields), false) =
            (&policy.param_kind, spec.as_object_mut(), failing.params.is_null())
        {
            fields
                .insert("paramRef".to_owned(), json!({"name": "params", "parameterNotFoundAction": "Deny"}));
            request.params = vec![("params".to_owned(), failing.params.clone())];
        }
        let binding = Binding::from_json(&json!({"metadata": {"name": "all"}, "spec": spec}));
        let reports = report_request(std::slice::from_ref(policy), std::slice::from_ref(&binding), &request);
        let PolicyOutcome::Bound(bound) = reports.into_iter().next()?.outcome else { return None };
        let BindingOutcome::Evaluated(evaluated) = bound.into_iter().next()?.outcome else { return None };
        evaluated.into_iter().next()
    }

    /// True if the definition of the kind accepts the objects of a request, with all of its rules; for a built-in kind, what is known
    /// of its stored objects.
    fn is_stored(&self, request: &Request) -> bool {
        let server = ObjectSchema::new(&self.subject.object_schema()).without_metadata_checks();
        let (object, old) = (&request.object, &request.old_object);
        let is_accepted =
            |object: &Value, old: Option<&Value>| server.admit_object(object, old).is_accepted();
        match (object.is_null(), old.is_null()) {
            (false, true) => is_accepted(object, None),
            (true, false) => is_accepted(old, None),
            (false, false) => is_accepted(old, None) && is_accepted(object, Some(old)),
            (true, true) => false,
        }
    }
}
