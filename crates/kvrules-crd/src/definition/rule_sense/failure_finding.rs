//! The finding about a rule that ends in an error.

use kvrules_cel::types::unescape_property;
use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_lift::RuleFailure;
use serde_json::Value;

use super::short;
use crate::failure_cause::{FailureCause, describe_unknown_type, type_in_words, values_of_two_types};
use crate::guards::GuardedExpression;
use crate::lints;

/// Reports a failure of a rule of a schema.
pub(super) fn failing_rule(
    failure: &RuleFailure,
    guarded: Option<&GuardedExpression>,
    schema: &Value,
    span: Span,
) -> Diagnostic {
    let (what, remedy) = describe_cause(failure, guarded, schema);
    let example = match &failure.old {
        None => format!("`{}`", short(&failure.value.to_string())),
        Some(old) => {
            format!("the update of `{}` to `{}`", short(&old.to_string()), short(&failure.value.to_string()))
        }
    };
    let error = failure.error.as_str();
    let help = format!("{remedy}; the server refuses {example} with `{error}`");
    lints::FAILING_RULE.diagnostic_at(span, format!("the rule ends in an error {what}")).with_help(help)
}

/// When the rule ends in an error, and what to do.
fn describe_cause(
    failure: &RuleFailure,
    guarded: Option<&GuardedExpression>,
    schema: &Value,
) -> (String, String) {
    let Some(cause) = FailureCause::of_error(&failure.error) else {
        return ("for some values".to_owned(), "test them first".to_owned());
    };
    let (condition, keywords) = match cause {
        FailureCause::NoValue if failure.old.is_none() => {
            let what = "at creations, where `oldSelf` has no value".to_owned();
            let advice = guarded.map(GuardedExpression::to_advice);
            return (
                what,
                advice.unwrap_or_else(|| {
                    "test it with `oldSelf.hasValue()` first, or use `orValue`".to_owned()
                }),
            );
        }
        FailureCause::NoValue => {
            return (cause.condition().unwrap_or_default(), cause.remedy().to_owned());
        }
        FailureCause::MissingKey(key) => {
            let name = unescape_property(key);
            let is_field =
                guarded.is_none_or(|guarded| guarded.tests.iter().all(|test| test.starts_with("has(")));
            let keywords = if is_field { ", or make it required or give it a default" } else { "" };
            (format!("where `{}` is absent", name.as_deref().unwrap_or(key)), keywords)
        }
        FailureCause::OtherType(function) => {
            (format!("where {}", describe_type(failure, schema, function)), "")
        }
        FailureCause::MissingItem(_) => (cause.condition().unwrap_or_default(), ", or set `minItems`"),
        FailureCause::ZeroDivisor => (cause.condition().unwrap_or_default(), ", or set `minimum`"),
        FailureCause::Unreadable(reading) => (format!("where a text is not {}", reading.what), ""),
    };
    let remedy = guarded.map_or_else(|| cause.remedy().to_owned(), GuardedExpression::to_advice);
    (format!("{condition}, although the schema accepts that"), format!("{remedy}{keywords}"))
}

/// The type that a function does not take, with the field if it is certain.
fn describe_type(failure: &RuleFailure, schema: &Value, function: Option<&str>) -> String {
    match values_of_two_types(&failure.value, schema, "self").as_slice() {
        // The error of an update may be about the stored value.
        [(path, value)] if failure.old.is_none() => format!("`{path}` is {}", type_in_words(value)),
        _ => describe_unknown_type(function),
    }
}
