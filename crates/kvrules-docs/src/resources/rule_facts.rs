//! The facts about a rule of a schema.

use kvrules_apiserver::policy::{Policy, PolicyExpression};
use kvrules_ir::{Formula, Term, TermRelation};
use kvrules_lift::{
    DefinitionRule, LiftOfKinds, LiftedExpression, PolicyLifter, PolicySubject, SentencePart,
    describe_formula, is_implied, lift_for_kinds, require_decided_selections,
};
use kvrules_pages::AuthorNotation;
use kvrules_pages::document::{Source, Text};
use kvrules_pages::fact::{Fact, Piece};

use serde_json::Value as Json;

use crate::samples::{PlaceServer, RuleSample, TRIES, allowed_changes, rule_samples};

use super::states::states_fact;
use super::values::{code_fact, line_fact, text_pieces, words_piece};

/// A rule of a schema as its page describes it.
#[derive(Clone, Copy)]
pub(super) struct DescribedRule<'a> {
    pub(super) definition: &'a DefinitionRule<'a>,
    /// The name of the field that has the value.
    pub(super) name: &'a str,
    /// True if the value is an item or a value of a map.
    pub(super) is_item: bool,
    /// True if an update can remove the value.
    pub(super) is_optional: bool,
    /// The server for its values.
    pub(super) server: &'a PlaceServer,
    /// Its formulas, which targets rely on too, if it has some.
    pub(super) formulas: Option<&'a LiftedExpression>,
}

/// The facts about a rule, apart from its location.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleFacts {
    /// Those for readers.
    meaning: Vec<Fact>,
    /// The expressions.
    expressions: Vec<Fact>,
}

impl RuleFacts {
    /// Returns the facts about a rule at a location, the most important first.
    pub(super) fn at_location(&self, source: Option<&Source>) -> Vec<Fact> {
        let meaning = self.meaning.iter().cloned();
        meaning.chain(source_fact(source)).chain(self.expressions.iter().cloned()).collect()
    }
}

/// Returns the facts about an entry of `x-kubernetes-validations`.
pub(super) fn rule_facts(described: &DescribedRule<'_>, notation: AuthorNotation) -> RuleFacts {
    let rule = &described.definition.source;
    let mut facts = Vec::new();
    if !rule.message.trim().is_empty() {
        let message = Text::of_author(rule.message.trim(), notation);
        facts.push(line_fact("message", "Message", vec![Piece::Text(message)]));
    }
    let formulas = described.formulas;
    let unchanging = formulas.and_then(|formulas| immutable_fact(&formulas.holds, described));
    if unchanging.is_none() {
        facts.extend(transition_fact(rule));
        let changes = allowed_changes(described.definition);
        facts.extend(changes.and_then(|it| states_fact(&it.changes, it.may_stay)));
    }
    if let Some(formulas) = formulas {
        let samples = sample_facts(described, formulas);
        // An update that changes nothing shows nothing.
        let is_shown = |fact: &Fact| unchanging.is_none() || fact.kind != "passes";
        let samples: Vec<Fact> = samples.into_iter().filter(is_shown).collect();
        facts.extend(unchanging.or_else(|| meaning_fact(&formulas.holds, described.definition)));
        facts.extend(samples);
    }
    if !rule.reason.is_empty() {
        facts.push(line_fact("reason", "Reason", vec![Piece::of_code(&rule.reason)]));
    }
    if !rule.field_path.is_empty() {
        facts.push(line_fact("reported-at", "Reported at", vec![Piece::of_code(&rule.field_path)]));
    }
    let mut expressions = vec![code_fact("cel", "CEL", rule.rule.trim())];
    if !rule.message_expression.trim().is_empty() {
        expressions.push(code_fact("message-expression", "Message (CEL)", rule.message_expression.trim()));
    }
    RuleFacts { meaning: facts, expressions }
}

/// Number of objects on which the sentence about a rule is confirmed.
pub(super) const CONFIRMED_ON: usize = 24;

/// The longest sentence, in characters; longer ones are harder to read than the expression.
const LONGEST_SENTENCE: usize = 360;

/// The condition under which the rule is true, if it can be expressed in one sentence.
fn meaning_fact(holds: &Formula, rule: &DefinitionRule<'_>) -> Option<Fact> {
    let complete = require_decided_selections(holds, rule)?;
    Some(line_fact("accepted", "Accepted if", sentence_pieces(&complete)?))
}

/// The fact of a rule that only compares a value with the stored one.
fn immutable_fact(holds: &Formula, described: &DescribedRule<'_>) -> Option<Fact> {
    if described.definition.source.optional_old_self {
        return None;
    }
    let Formula::Compare { left, relation: TermRelation::Equal, right } = holds else {
        return None;
    };
    let (old, new) = if path_from(left, "oldSelf").is_some() { (left, right) } else { (right, left) };
    let path = path_from(new, "self")?;
    // A field that only one of the objects has ends the rule in an error: it cannot be set later either, nor removed.
    let is_there = Formula::is_defined(new.clone());
    let schema = &described.definition.schema;
    if path_from(old, "oldSelf")? != path || !is_implied(&[], &is_there, schema) {
        return None;
    }
    let mut line = match path.join(".") {
        path if path.is_empty() => vec![words_piece("the value")],
        path => vec![Piece::Code(path)],
    };
    // The server runs the rule only on values that both objects have.
    line.push(words_piece(if described.is_optional {
        " cannot be changed once set, only removed"
    } else {
        " cannot be changed once set"
    }));
    Some(line_fact("accepted", "Immutable", line))
}

/// The names that lead from a root to a term.
fn path_from<'t>(term: &'t Term, root: &str) -> Option<Vec<&'t str>> {
    match term {
        Term::Root(name) if name == root => Some(Vec::new()),
        Term::Field(of, name) => {
            let mut path = path_from(of, root)?;
            path.push(name);
            Some(path)
        }
        _ => None,
    }
}

/// A value that passes and one that the rule alone rejects.
fn sample_facts(described: &DescribedRule<'_>, formulas: &LiftedExpression) -> Vec<Fact> {
    let samples = rule_samples(described.definition, formulas, (described.name, TRIES), described.server);
    let fact = |kind: &str, label: &str, sample: Option<RuleSample>| {
        let sample = sample?;
        let shown = |value: Json| match described.name {
            name if name.is_empty() || described.is_item => value,
            name => Json::Object([(name.to_owned(), value)].into_iter().collect()),
        };
        let yaml = |value| kvrules_syntax::to_yaml(&shown(value)).ok().map(|text| text.trim_end().to_owned());
        let (value, old) = (yaml(sample.value)?, sample.old.and_then(yaml));
        let is_line = !value.contains('\n') && old.as_ref().is_none_or(|old| !old.contains('\n'));
        Some(match old {
            None if is_line => line_fact(kind, label, vec![Piece::Code(value)]),
            None => code_fact(kind, label, value),
            Some(old) if is_line => {
                let line = vec![Piece::Code(old), words_piece(" becomes "), Piece::Code(value)];
                line_fact(kind, label, line)
            }
            Some(old) => code_fact(kind, label, update_code(&old, &value)),
        })
    };
    let (passes, fails) = (fact("passes", "Passes", samples.passes), fact("fails", "Fails", samples.fails));
    passes.into_iter().chain(fails).collect()
}

/// A stored object and the one that replaces it.
pub(super) fn update_code(old: &str, new: &str) -> String {
    format!("# stored\n{old}\n# updated\n{new}")
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
    let pieces = |part: SentencePart| match part {
        SentencePart::Words(words) => text_pieces(&words),
        SentencePart::Code(code) => vec![Piece::Code(code)],
    };
    Some(parts.into_iter().flat_map(pieces).collect())
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
    let [LiftOfKinds { lifted: Ok(lifted), subjects }] = lifted.as_slice() else { return None };
    let first = PolicyLifter::new(document, policy, subjects.first()?);
    let complete = first.require_decided_selections(&lifted.formulas.holds)?;
    Some(line_fact("accepted", "Accepted if", sentence_pieces(&complete)?))
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
        vec![words_piece("on updates and on creation, when "), old, words_piece(" is empty")]
    } else {
        vec![words_piece("on updates only; "), old, words_piece(" is the stored value")]
    };
    Some(line_fact("transition", "Evaluated", line))
}
