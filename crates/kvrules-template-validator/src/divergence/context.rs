//! Context for the predicates of differences: one annotation and one VirtualMachine, and in it one rule.

use std::fmt;

use crate::{RuleStatus, ValidatorAnswer};
use kvrules_eval::Outcome;
use kvrules_ir::OmissionKind;
use serde_json::Value;

use crate::divergence::probe::ValidatorResults;
use crate::divergence::spec_result::{EvaluatedRule, SpecResult};
use crate::divergence::written_rule::WrittenRule;

/// Context of a difference: the whole annotation, or one rule.
#[derive(Clone, Copy, Debug)]
pub struct DifferenceContext<'c> {
    /// Answer of the validator to the whole annotation.
    pub answer: &'c ValidatorAnswer,
    /// True if some rule rejects the VirtualMachine by its meaning.
    pub spec_denies: bool,
    /// The VirtualMachine.
    pub object: &'c Value,
    /// The rule; none if the question is about the whole.
    pub rule: Option<&'c RuleContext>,
}

/// Results of both models for one rule.
#[derive(Clone, Debug)]
pub struct RuleContext {
    /// The rule as it is written.
    pub written: WrittenRule,
    /// Result by its meaning for the object.
    pub spec: SpecResult,
    /// Outcome in the validator.
    pub ssp: SspOutcome,
    /// True if an earlier rule has the same name.
    pub is_name_taken: bool,
    /// Results of the validator at `path`; `None` if there is no path.
    pub subject: Option<ValidatorResults>,
    /// Results at `valid`, if the rule has one.
    pub guard: Option<ValidatorResults>,
    /// Results at each argument that is a path.
    pub arguments: Vec<ValidatorResults>,
    /// Result with the keys spelled as the validator accepts them; `None` if they already are.
    pub respelled: Option<SpecResult>,
    /// The bounds as the validator has them, where both are numbers or absent.
    pub rounded: Option<[Option<i64>; 2]>,
}

/// Outcome of a rule in the validator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SspOutcome {
    /// Every value passes.
    Satisfied,
    /// Some value fails.
    Unsatisfied,
    /// The guard finds nothing.
    Skipped,
    /// The rule is in error, with the words; the VirtualMachine is denied even if the rule only warns.
    Error(String),
}

impl RuleContext {
    /// The rule, if it can be read.
    pub fn readable_rule(&self) -> Option<&EvaluatedRule> {
        match &self.spec {
            SpecResult::Read(read) => Some(read),
            SpecResult::LeftOut(_) => None,
        }
    }

    /// Returns the cause for which the rule is left out, if it is.
    pub fn left_out(&self) -> Option<OmissionKind> {
        match &self.spec {
            SpecResult::Read(_) => None,
            SpecResult::LeftOut(cause) => Some(cause.kind),
        }
    }

    /// True if the two outcomes have the same effect. An error is a violation, unless the rule only warns: then it
    /// denies, and a violation does not. A rule that is left out asks nothing, as one that is skipped.
    pub fn outcomes_agree(&self) -> bool {
        effects_agree(self.spec.outcome(), self.spec.rejects_object(), self.written.just_warning, &self.ssp)
    }

    /// True if kind, message and name pass, so that the validator checks more.
    pub fn is_sound(&self) -> bool {
        self.is_known_kind() && !self.written.message.is_empty() && !self.is_name_taken
    }

    /// True if the rule has an argument that is a path.
    pub fn has_arguments(&self) -> bool {
        !self.arguments.is_empty()
    }

    /// The bounds that the validator compares with: rounded numbers, or what it reads at the arguments.
    pub fn ssp_bounds(&self) -> [Option<i64>; 2] {
        let [min, max] = self.rounded.unwrap_or_default();
        let [min_is_path, max_is_path] = self.written.bounds_are_paths;
        let mut arguments = self.arguments.iter().map(|seen| seen.integers.first().copied());
        let min = if min_is_path { arguments.next().flatten() } else { min };
        [min, if max_is_path { arguments.next().flatten() } else { max }]
    }

    /// True if a length is within the bounds that the validator compares with.
    pub fn has_length_in_bounds(&self, length: usize) -> bool {
        let [min, max] = self.ssp_bounds();
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)
    }

    /// True if every value passes in the validator.
    pub fn ssp_satisfied(&self) -> bool {
        self.ssp == SspOutcome::Satisfied
    }

    /// True if every value passes by the rule's meaning.
    pub fn spec_satisfied(&self) -> bool {
        self.spec.outcome() == Some(Outcome::Satisfied)
    }

    /// Returns the cause for which the rule is left out, if the validator finds it sound and does not skip it.
    pub fn left_out_alone(&self) -> Option<OmissionKind> {
        self.left_out().filter(|_| self.is_sound() && self.ssp != SspOutcome::Skipped)
    }

    /// True if the kind is one of the four.
    pub fn is_known_kind(&self) -> bool {
        self.written.is_known_kind()
    }

    /// True if both models apply the rule, so that values are evaluated.
    pub fn both_apply(&self) -> bool {
        let applies =
            self.readable_rule().is_some_and(|read| read.explanation.verdict.outcome != Outcome::Skipped);
        applies && self.is_sound() && self.guard.as_ref().is_none_or(|guard| guard.on_machine)
    }

    /// True if an error of this rule changes the result compared with its meaning.
    pub fn error_matters(&self) -> bool {
        !self.spec.rejects_object()
    }

    /// Returns the results of the validator at `path`, if both models evaluate values.
    pub fn evaluated_values(&self) -> Option<(&EvaluatedRule, &ValidatorResults)> {
        self.both_apply().then_some(self.readable_rule()?).zip(self.subject.as_ref())
    }
}

/// True if an outcome and the validator's have the same effect: see [`RuleContext::outcomes_agree`]. `rejects` is true if the
/// rule rejects by its meaning, and `only_warns` is `justWarning` as the validator reads it.
pub fn effects_agree(spec: Option<Outcome>, rejects: bool, only_warns: bool, ssp: &SspOutcome) -> bool {
    match (spec, ssp) {
        (Some(Outcome::Violated), SspOutcome::Unsatisfied) => rejects != only_warns,
        (Some(Outcome::Satisfied), SspOutcome::Satisfied)
        | (Some(Outcome::Skipped) | None, SspOutcome::Skipped) => true,
        (Some(Outcome::Violated), SspOutcome::Error(_)) => rejects,
        _ => false,
    }
}

impl SspOutcome {
    /// Creates the outcome for a status.
    pub fn new(status: &RuleStatus) -> Self {
        match &status.error {
            Some(error) => Self::Error(error.clone()),
            None if status.skipped => Self::Skipped,
            None if status.satisfied => Self::Satisfied,
            None => Self::Unsatisfied,
        }
    }
}

impl fmt::Display for SspOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Satisfied => formatter.write_str("satisfied"),
            Self::Unsatisfied => formatter.write_str("unsatisfied"),
            Self::Skipped => formatter.write_str("skipped"),
            Self::Error(error) => write!(formatter, "error: {error}"),
        }
    }
}
