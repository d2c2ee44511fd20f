//! The facts about a rule of a schema.

use kvrules_apiserver::crd::RuleSource;
use kvrules_pages::AuthorNotation;
use kvrules_pages::document::{Source, Text};
use kvrules_pages::fact::{Fact, Piece};

use super::values::{code_fact, line_fact, words_piece};

/// Returns the facts about an entry of `x-kubernetes-validations`, the most important first.
pub(super) fn rule_facts(rule: &RuleSource, source: Option<&Source>, notation: AuthorNotation) -> Vec<Fact> {
    let mut facts = Vec::new();
    if !rule.message.trim().is_empty() {
        let message = Text::of_author(rule.message.trim(), notation);
        facts.push(line_fact("message", "Message", vec![Piece::Text(message)]));
    }
    facts.extend(transition_fact(rule));
    if !rule.reason.is_empty() {
        facts.push(line_fact("reason", "Reason", vec![Piece::of_code(&rule.reason)]));
    }
    if !rule.field_path.is_empty() {
        facts.push(line_fact("reported-at", "Reported at", vec![Piece::of_code(&rule.field_path)]));
    }
    facts.extend(source_fact(source));
    facts.push(code_fact("cel", "CEL", rule.rule.trim()));
    if !rule.message_expression.trim().is_empty() {
        facts.push(code_fact("message-expression", "Message (CEL)", rule.message_expression.trim()));
    }
    facts
}

/// The location of a definition or a rule.
pub(super) fn source_fact(source: Option<&Source>) -> Option<Fact> {
    source.map(|source| line_fact("source", "Defined in", vec![Piece::of_source(source)]))
}

fn transition_fact(rule: &RuleSource) -> Option<Fact> {
    if !rule.is_transition_rule() {
        return None;
    }
    let old = Piece::of_code("oldSelf");
    let line = if rule.optional_old_self {
        vec![words_piece("also without an old value; "), old, words_piece(" is then empty")]
    } else {
        vec![words_piece("only with an old value, "), old]
    };
    Some(line_fact("transition", "Evaluated", line))
}
