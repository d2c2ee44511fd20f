//! Messages that say something else than their rules.

use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_generate::PlaceStep;
use kvrules_ir::Formula;
use kvrules_lift::{MessageContradiction, find_message_contradiction};

use crate::lints;

/// The finding that a message contradicts the formula of its rule; `find_span` finds the place of the message.
pub(crate) fn find_mismatch(
    formula: &Formula,
    message: &str,
    find_span: impl FnOnce() -> Option<Span>,
) -> Option<Diagnostic> {
    Some(mismatch_finding(&find_contradiction(formula, message, &[])?, find_span()?))
}

/// Finds what a message says otherwise than the formula of its rule, which is about the value at a place.
pub(crate) fn find_contradiction(
    formula: &Formula,
    message: &str,
    place: &[PlaceStep],
) -> Option<MessageContradiction> {
    find_message_contradiction(formula, &without_paths(message, place))
}

/// A message without keys and indices of paths, and without the quoted name or path of the place itself: these are not values, and the
/// formula of a rule does not name its own place.
fn without_paths(message: &str, place: &[PlaceStep]) -> String {
    let mut plain = without_subscripts(message);
    let fields: Vec<&str> = place
        .iter()
        .filter_map(|step| match step {
            PlaceStep::Field(name) => Some(name.as_str()),
            PlaceStep::Any => None,
        })
        .collect();
    for first in 0..fields.len() {
        let path = fields.get(first..).unwrap_or_default().join(".");
        for mark in ['`', '\'', '"'] {
            plain = plain.replace(&format!("{mark}{path}{mark}"), "value");
        }
    }
    plain
}

/// A message without what stands in brackets behind a name, such as `["app.kubernetes.io/name"]`, `[*]` and `[0]`.
fn without_subscripts(message: &str) -> String {
    let (mut plain, mut rest) = (String::new(), message);
    while let Some(at) = rest.find('[') {
        let (before, behind) = rest.split_at(at);
        plain.push_str(before);
        let is_behind_name =
            plain.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | ']'));
        let closed =
            ["\"]", "']", "]"].into_iter().filter_map(|end| Some(behind.find(end)? + end.len())).min();
        let end = closed.filter(|_| is_behind_name);
        if end.is_none() {
            plain.push('[');
        }
        rest = behind.get(end.unwrap_or(1)..).unwrap_or_default();
    }
    plain + rest
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

#[cfg(test)]
mod tests {
    use kvrules_ir::{Constant, Term, TermRelation};

    use super::*;

    #[test]
    fn paths_in_messages_are_no_values() {
        let place = ["spec", "mode"].map(|name| PlaceStep::Field(name.to_owned()));
        for (message, plain) in [
            ("`spec.mode` must be `a` or `b`", "value must be `a` or `b`"),
            ("'mode' must be 'a'", "value must be 'a'"),
            ("`metadata.labels[\"app.example.com/tier\"]` is `a`", "`metadata.labels` is `a`"),
            ("`spec.parts[*].size` of [1, 2]", "`spec.parts.size` of [1, 2]"),
            ("`spec.parts[0]['k']` [", "`spec.parts` ["),
        ] {
            assert_eq!(without_paths(message, &place), plain);
        }
    }

    #[test]
    fn a_message_that_names_its_own_place_agrees_with_its_rule() {
        let equals = |value: &str| {
            let value = Term::Constant(Constant::Text(value.to_owned()));
            Formula::comparison_of(Term::Root("self".to_owned()), TermRelation::Equal, value)
        };
        let rule = Formula::any_of(["Fast", "Safe"].map(equals));
        let place = ["spec", "mode"].map(|name| PlaceStep::Field(name.to_owned()));
        assert_eq!(find_contradiction(&rule, "`spec.mode` must be `Fast` or `Safe`", &place), None);
        assert!(find_contradiction(&rule, "`spec.mode` must be `Fast` or `Slow`", &place).is_some());
    }
}
