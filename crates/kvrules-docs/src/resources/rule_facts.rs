//! The facts about a rule of a schema.

use kvrules_lift::{DefinitionRule, SentencePart, describe_formula, lift_rule};
use kvrules_pages::AuthorNotation;
use kvrules_pages::document::{Source, Text};
use kvrules_pages::fact::{Fact, Piece};

use super::values::{code_fact, line_fact, words_piece};

/// Returns the facts about an entry of `x-kubernetes-validations`, the most important first.
pub(super) fn rule_facts(
    definition: &DefinitionRule,
    source: Option<&Source>,
    notation: AuthorNotation,
) -> Vec<Fact> {
    let rule = &definition.source;
    let mut facts = Vec::new();
    if !rule.message.trim().is_empty() {
        let message = Text::of_author(rule.message.trim(), notation);
        facts.push(line_fact("message", "Message", vec![Piece::Text(message)]));
    }
    facts.extend(transition_fact(rule));
    facts.extend(meaning_fact(definition));
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

/// Number of objects on which the sentence about a rule is confirmed.
const CONFIRMED_ON: usize = 24;

/// The longest sentence, in characters; longer ones are harder to read than the expression.
const LONGEST_SENTENCE: usize = 360;

/// The condition under which the rule is true, if it can be expressed in one sentence.
fn meaning_fact(rule: &DefinitionRule) -> Option<Fact> {
    let lifted = lift_rule(rule, CONFIRMED_ON).ok()?;
    let parts = describe_formula(&lifted.formulas.holds);
    let length: usize = parts
        .iter()
        .map(|part| match part {
            SentencePart::Words(text) | SentencePart::Code(text) => text.chars().count(),
        })
        .sum();
    if length > LONGEST_SENTENCE {
        return None;
    }
    let piece = |part: SentencePart| match part {
        SentencePart::Words(words) => words_piece(words),
        SentencePart::Code(code) => Piece::Code(code),
    };
    Some(line_fact("accepted", "Accepted if", parts.into_iter().map(piece).collect()))
}

/// The location of a definition or a rule.
pub(super) fn source_fact(source: Option<&Source>) -> Option<Fact> {
    source.map(|source| line_fact("source", "Defined in", vec![Piece::of_source(source)]))
}

fn transition_fact(rule: &kvrules_apiserver::crd::RuleSource) -> Option<Fact> {
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
