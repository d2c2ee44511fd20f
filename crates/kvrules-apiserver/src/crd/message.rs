//! The message of a failed rule, when an expression computes it.

use kvrules_cel::eval::{CALL_LIMIT, Scope, evaluate_expression};
use kvrules_cel::value::{ErrorKind, Value};

use super::rule::Rule;
use crate::server::ServerFeatures;

/// Longer messages, in bytes, are not used.
// apiserver apis/cel/config.go, MaxEvaluatedMessageExpressionSizeBytes
const LONGEST: usize = 5120;

/// A message and what it cost.
pub(super) enum MessageOutcome {
    /// The text to use.
    Text(String, u64),
    /// The object's budget is used up, or one evaluation was too expensive; the text says which.
    Stop(String, u64),
}

/// The message of a failed rule; falls back to `message` and then to the rule.
// apiextensions schema/cel/validation.go, evalMessageExpression. Its cost counts even if the message is not used.
pub(super) fn evaluate_message(
    rule: &Rule,
    scope: &Scope<'_>,
    budget: u64,
    server: &ServerFeatures,
) -> MessageOutcome {
    let Some(expression) = rule.message() else {
        return MessageOutcome::Text(rule.source.message_or_default(server), 0);
    };
    let outcome = evaluate_expression(expression, scope, CALL_LIMIT);
    if outcome.cost > budget {
        let text = "messageExpression evaluation failed due to running out of cost budget, no further validation \
                    rules will be run";
        return MessageOutcome::Stop(text.to_owned(), outcome.cost);
    }
    match outcome.result {
        Err(error) if error.kind == ErrorKind::Cancelled => {
            let text = format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                rule.source.message_expression
            );
            MessageOutcome::Stop(text, outcome.cost)
        }
        Ok(Value::String(text)) if is_usable(&text) => {
            MessageOutcome::Text(text.trim().to_owned(), outcome.cost)
        }
        _ => MessageOutcome::Text(rule.source.message_or_default(server), outcome.cost),
    }
}

/// A `messageExpression` that gives the same for all objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantMessage {
    /// The message that the server shows.
    Shown(String),
    /// The server cannot use it and shows `message`.
    Unused,
}

/// Returns the result of a `messageExpression` that needs no variable; `None` for others, and for those that fail.
///
/// ```
/// use kvrules_apiserver::crd::{ConstantMessage, constant_message};
///
/// assert_eq!(constant_message("' '"), Some(ConstantMessage::Unused));
/// assert_eq!(constant_message("'a' + 'b'"), Some(ConstantMessage::Shown("ab".to_owned())));
/// assert_eq!(constant_message("self + 'b'"), None);
/// ```
pub fn constant_message(expression: &str) -> Option<ConstantMessage> {
    let parsed = kvrules_cel::parse(expression).ok()?;
    match evaluate_expression(&parsed, &Scope::default(), CALL_LIMIT).result.ok()? {
        Value::String(text) if is_usable(&text) => Some(ConstantMessage::Shown(text.trim().to_owned())),
        Value::String(_) => Some(ConstantMessage::Unused),
        _ => None,
    }
}

/// One line, not blank, not too long.
// schema/cel/validation.go, hasNewlines: unlike in `message`, a carriage return is allowed.
pub(crate) fn is_usable(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !text.contains('\n') && text.len() <= LONGEST
}
