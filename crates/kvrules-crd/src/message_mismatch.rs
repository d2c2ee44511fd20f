//! Messages that say something else than their rules.

use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_ir::Formula;
use kvrules_lift::{MessageContradiction, find_message_contradiction};

use crate::lints;

/// The finding that a message contradicts the formula of its rule; `find_span` finds the place of the message.
pub(crate) fn find_mismatch(
    formula: &Formula,
    message: &str,
    find_span: impl FnOnce() -> Option<Span>,
) -> Option<Diagnostic> {
    Some(mismatch_finding(&find_message_contradiction(formula, message)?, find_span()?))
}

/// The finding that a message at a place says something else than its rule.
pub(crate) fn mismatch_finding(contradiction: &MessageContradiction, span: Span) -> Diagnostic {
    let (message, help) = match contradiction {
        MessageContradiction::Number { stated, bound } => (
            format!("the message says {stated}, but the bound of the rule is {bound}"),
            "correct one of the two".to_owned(),
        ),
        MessageContradiction::Order { stated } => {
            let message = format!("the message says `{stated}`, but the rule is the opposite");
            (message, "correct one of the two".to_owned())
        }
        MessageContradiction::Value { stated, allowed } => {
            let allowed: Vec<String> = allowed.iter().map(|value| format!("`{value}`")).collect();
            let message = format!("the message lists `{stated}`, which the rule does not");
            (message, format!("the rule has {}", allowed.join(", ")))
        }
    };
    lints::MESSAGE_MISMATCH.diagnostic_at(span, message).with_help(help)
}
