//! The facts about a rule of a schema.

use kvrules_apiserver::policy::{Policy, PolicyExpression};
use kvrules_ir::Formula;
use kvrules_lift::{
    DefinitionRule, LiftOfKinds, PolicySubject, SentencePart, describe_formula, lift_for_kinds, lift_rule,
};
use kvrules_pages::AuthorNotation;
use kvrules_pages::document::{Source, Text};
use kvrules_pages::fact::{Fact, Piece};

use serde_json::Value as Json;

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
    Some(line_fact("accepted", "Accepted if", sentence_pieces(&lifted.formulas.holds)?))
}

/// A formula as a sentence, unless it is too long.
fn sentence_pieces(formula: &Formula) -> Option<Vec<Piece>> {
    let parts = describe_formula(formula);
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
    Some(parts.into_iter().map(piece).collect())
}

/// The condition under which an expression of a policy is true, if it is the same for all kinds of objects and can be expressed in
/// one sentence.
pub(super) fn policy_meaning_fact(
    document: &Json,
    policy: &Policy,
    subjects: &[PolicySubject],
    expression: PolicyExpression,
) -> Option<Fact> {
    let lifted = lift_for_kinds(document, policy, subjects, expression, CONFIRMED_ON);
    let [LiftOfKinds { lifted: Ok(lifted), .. }] = lifted.as_slice() else { return None };
    Some(line_fact("accepted", "Accepted if", sentence_pieces(&lifted.formulas.holds)?))
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
