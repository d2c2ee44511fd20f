//! The finding about an expression of a policy that ends in an error.

use kvrules_apiserver::policy::{FailurePolicy, Policy, PolicyExpression};
use kvrules_diagnostics::{Diagnostic, Level, Span};

use super::error_cause::ErrorCause;
use super::failing_requests::PolicyFailure;
use crate::guards::GuardedExpression;
use crate::lints;

/// The server shows the error of the first expression that has one.
// apiserver pkg/admission/plugin/policy/validating/dispatcher.go, dispatcher.Dispatch
const OR_OTHER_ERROR: &str = ", or the error of another expression";

/// Reports the failure of an expression for objects of a kind.
pub(super) fn failing_expression(
    policy: &Policy,
    (expression, kind): (PolicyExpression, &str),
    failure: &PolicyFailure,
    guarded: Option<&GuardedExpression>,
    span: Span,
) -> Diagnostic {
    let operation = &failure.operation;
    let is_message = matches!(expression, PolicyExpression::Message(_));
    let (condition, remedy) = match &failure.cause {
        ErrorCause::NullRoot(root) => (
            format!("at {operation}, where `{root}` is null"),
            format!("test `{root} != null` first, or leave {operation} out of `operations`"),
        ),
        ErrorCause::MissingField(path) => {
            (format!("for a `{kind}` without `{path}`"), "test it with `has` first".to_owned())
        }
        ErrorCause::MissingKey(map) => (
            format!("for a `{kind}` whose `{map}` does not have the key"),
            "test it with `in` first".to_owned(),
        ),
        ErrorCause::Other(condition, remedy) | ErrorCause::Unreadable(condition, remedy) => {
            (format!("for a `{kind}` {condition}"), (*remedy).to_owned())
        }
    };
    let remedy = guarded.map_or(remedy, |guarded| {
        let advice = match expression {
            PolicyExpression::MatchCondition(_) => guarded.to_condition_advice(),
            _ => guarded.to_advice(),
        };
        match &failure.cause {
            ErrorCause::NullRoot(_) => format!("{advice}, or leave {operation} out of `operations`"),
            _ => advice,
        }
    });
    let what = if is_message { "the expression of the message" } else { "the expression" };
    let result = consequence(policy, expression);
    let is_refused = policy.failure_policy == FailurePolicy::Fail && !is_message;
    let or_other = if failure.has_other_errors && is_refused { OR_OTHER_ERROR } else { "" };
    let help = format!("{remedy}; {result} `{}`{or_other}", failure.error);
    let message = format!("{what} ends in an error {condition}");
    let mut finding = lints::FAILING_RULE.diagnostic_at(span, message).with_help(help);
    if is_refusal_of_unreadable(policy, expression, &failure.cause) {
        finding.level = Level::Info;
    }
    finding
}

/// The server's answer to the error.
fn consequence(policy: &Policy, expression: PolicyExpression) -> &'static str {
    match (expression, policy.failure_policy) {
        (PolicyExpression::Message(index), _) => {
            let has_message = policy.validations.get(index).is_some_and(|it| !it.message.is_empty());
            if has_message {
                "the server shows `message` in its place after"
            } else {
                "the server shows the failed expression in place of a message after"
            }
        }
        (_, FailurePolicy::Fail) => "the server refuses the request with",
        (_, FailurePolicy::Ignore) => "`failurePolicy: Ignore` lets the request through after",
    }
}

/// True if the error only refuses a text that a validation needs to read, which may be on purpose.
fn is_refusal_of_unreadable(policy: &Policy, expression: PolicyExpression, cause: &ErrorCause) -> bool {
    matches!(cause, ErrorCause::Unreadable(..))
        && matches!(expression, PolicyExpression::Validation(_))
        && policy.failure_policy == FailurePolicy::Fail
}
