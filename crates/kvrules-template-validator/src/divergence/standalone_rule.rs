//! A rule without any object: what follows from its text and its meaning alone.

use std::cell::OnceCell;

use crate::Rules;
use kvrules_ir::{ElaboratedRule, OmissionKind, Requirement, Rule};
use kvrules_syntax::Node;

use crate::divergence::json;
use crate::divergence::paths::{KeyedPath, rule_paths};
use crate::divergence::written_rule::WrittenRule;

/// Effect of a difference, on objects for which the validator does not skip the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceEffect {
    /// The validator denies every object.
    Denies,
    /// The validator crashes over every object, which denies it too.
    Panics,
    /// On some objects the validator's outcome is another than the rule's meaning.
    Differs,
}

/// Sign of a difference in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceSign {
    /// Effect of the difference.
    pub effect: DifferenceEffect,
    /// The key of the rule that shows it.
    pub key: Option<&'static str>,
    /// Reason, in one clause that begins in lower case. Its `it` is the deployed validator.
    pub because: String,
}

/// A rule with the results of the stages.
#[derive(Clone, Debug)]
pub struct StandaloneRule<'r> {
    /// The rule in its tree.
    pub node: Node<'r>,
    /// As the validator takes its keys.
    pub written: WrittenRule,
    /// As it is read; none if it cannot be.
    pub read: Option<&'r Rule>,
    /// Meaning of the rule; `None` if it cannot be expressed.
    pub meaning: Option<&'r ElaboratedRule>,
    /// Cause for which it is left out, if it is.
    pub left_out: Option<OmissionKind>,
    /// True if an earlier rule has the same name.
    pub is_name_taken: bool,
    refusal: OnceCell<Option<DecodeRefusal>>,
}

/// Reason why the validator does not decode an annotation with the rule in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecodeRefusal {
    /// The key at fault.
    pub(crate) key: Option<&'static str>,
    /// The validator's words.
    pub(crate) words: String,
}

impl DifferenceSign {
    pub(crate) fn new(effect: DifferenceEffect, key: &'static str, because: impl Into<String>) -> Self {
        Self { effect, key: Some(key), because: because.into() }
    }
}

impl<'r> StandaloneRule<'r> {
    /// A rule of an annotation. `read` and `meaning` are the results of the reader and of elaboration, `left_out` is why
    /// there is no meaning, and `is_name_taken` is whether a rule before it has the same name, where none is one too.
    pub fn new(
        node: Node<'r>,
        read: Option<&'r Rule>,
        meaning: Option<&'r ElaboratedRule>,
        left_out: Option<OmissionKind>,
        is_name_taken: bool,
    ) -> Self {
        let written = WrittenRule::new(node);
        Self { node, written, read, meaning, left_out, is_name_taken, refusal: OnceCell::new() }
    }

    /// Returns the reason why the validator refuses the whole annotation for this rule, if it does.
    pub(crate) fn decode_refusal(&self) -> Option<&DecodeRefusal> {
        self.refusal.get_or_init(|| self.compute_refusal()).as_ref()
    }

    fn compute_refusal(&self) -> Option<DecodeRefusal> {
        let broken = matches!(self.left_out, Some(OmissionKind::PathSyntax | OmissionKind::Unreadable));
        if !(self.written.is_odd || broken) || json::has_parameters(self.node) {
            return None;
        }
        let error = Rules::decode_annotation(&format!("[{}]", json::to_json_text(self.node)?)).err()?;
        let refused = |key: &&&str| {
            let alone = json::text_of(self.node, key);
            alone.is_some_and(|alone| Rules::decode_annotation(&format!("[{alone}]")).is_err())
        };
        let key = crate::divergence::written_rule::KEYS.iter().find(refused).copied();
        Some(DecodeRefusal { key, words: error.go_text().to_owned() })
    }

    /// True if the validator reaches the rule's guard and values: the annotation decodes, and kind, name and message
    /// are as it requires.
    pub(crate) fn is_sound(&self) -> bool {
        let written = &self.written;
        !self.is_name_taken
            && written.is_known_kind()
            && !written.message.is_empty()
            && self.decode_refusal().is_none()
    }

    /// Returns the values that the rule evaluates by its meaning, with their guard, if the validator comes to evaluate
    /// values by the rule.
    pub(crate) fn evaluated_values(&self) -> Option<&'r Requirement> {
        let meaning = self.meaning.filter(|_| self.is_sound() && self.written.path.is_some());
        meaning.map(|meaning| &meaning.requirement)
    }

    /// True if the rule is left out for this cause, and the validator evaluates it.
    pub(crate) fn is_left_out(&self, cause: OmissionKind) -> bool {
        self.left_out == Some(cause) && self.is_sound() && !json::has_parameters(self.node)
    }

    /// The path, or else the argument, that has this fault; a guard that has it is never found, and so skips.
    pub(crate) fn path_with_fault(&self, fault: OmissionKind) -> Option<KeyedPath<'_>> {
        let mut paths = rule_paths(&self.written).filter(|path| path.key != "valid");
        paths.find(|path| path.resolve_path().err() == Some(fault))
    }

    /// Returns the effect of an unsatisfied rule whose meaning may be satisfied.
    pub(crate) fn unsatisfied_effect(&self) -> DifferenceEffect {
        if self.written.just_warning { DifferenceEffect::Differs } else { DifferenceEffect::Denies }
    }
}
