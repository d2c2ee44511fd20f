//! The answers of what enforces the sides, which confirm each example.

use kvrules_apiserver::policy::{
    Binding, BindingOutcome, Policy, PolicyOutcome, Request, answer_from_reports, report_request,
};
use kvrules_eval::{Outcome, Program};
use kvrules_ir::{ElaboratedSet, Severity};
use kvrules_rule_set::{RuleSet, RuleSeverity};
use serde_json::Value;

use super::super::rule_sets::rule_changes::joined_direction;
use super::super::{ComparableUnit, UnitContent};
use super::subject::SubjectKind;
use crate::json_schema::SchemaValidator;
use crate::report::{Change, EffectAnswer, Witness, WriteKind};
use crate::schema::{SchemaEvaluator, Version};

/// A side, ready to evaluate objects.
pub(super) enum SideEngine<'s> {
    Definition(SchemaEvaluator),
    Policy(Box<PolicyEngine>),
    /// Rules, and the definition that the objects satisfy.
    RuleSet(&'s RuleSet, Option<SchemaEvaluator>),
    Rules(RulePrograms),
    JsonSchema(SchemaValidator),
}

/// The rules of a template.
pub(super) struct RulePrograms {
    programs: Vec<Program>,
    /// True if some rules cannot be evaluated.
    is_partial: bool,
}

/// A policy with its bindings, and the resource that it matches.
pub(super) struct PolicyEngine {
    policy: Policy,
    bindings: Vec<Binding>,
    kind: SubjectKind,
}

impl<'s> SideEngine<'s> {
    /// The engine of a unit about objects of a kind; `bindings` are those of a policy. An error is the reason why no validator takes a JSON
    /// Schema.
    pub(super) fn new(
        unit: &'s ComparableUnit,
        kind: &SubjectKind,
        bindings: &[&Value],
    ) -> Result<Self, String> {
        Ok(match &unit.content {
            UnitContent::Schema(definition) => {
                Self::Definition(SchemaEvaluator::new(definition.compared_version()))
            }
            UnitContent::Policy(policy) => {
                let own = Policy::from_json(&policy.value);
                let mut bindings: Vec<Binding> = bindings.iter().map(|it| Binding::from_json(it)).collect();
                if bindings.is_empty() {
                    bindings.push(Binding::for_policy(&own.name, &own.name));
                }
                Self::Policy(Box::new(PolicyEngine { policy: own, bindings, kind: kind.clone() }))
            }
            UnitContent::RuleSet(set) => {
                let version = &set.subject.version;
                let defined = Version { schema: &version.schema, has_status: version.has_status() };
                Self::RuleSet(set, set.subject.definition.is_some().then(|| SchemaEvaluator::new(defined)))
            }
            UnitContent::Rules(set) => Self::Rules(RulePrograms::new(set)),
            UnitContent::JsonSchema(schema) => {
                Self::JsonSchema(schema.source.build_validator().map_err(|invalid| invalid.message)?)
            }
            UnitContent::ExtraSpecs(_) => return Err("extra specs are pairs of a flavor".to_owned()),
        })
    }

    /// True if it accepts the write of an object; `None` if that cannot be evaluated.
    fn accepts_write(&self, witness: &Witness) -> Option<bool> {
        let (object, stored) = (&witness.object, witness.previous.as_ref());
        match self {
            Self::Definition(evaluator) => Some(match (witness.write, stored) {
                (WriteKind::Status, Some(stored)) => evaluator.write_status(object, stored).is_accepted(),
                (_, Some(stored)) => evaluator.evaluate_update(object, stored).is_accepted(),
                (_, None) => evaluator.evaluate_create(object).is_accepted(),
            }),
            _ if witness.write == WriteKind::Status => None,
            Self::Policy(engine) => engine.admits(object, stored),
            Self::RuleSet(set, definition) => {
                let is_error = |rule: &kvrules_rule_set::AuthoredRule| rule.severity == RuleSeverity::Error;
                let is_valid = definition.as_ref().is_none_or(|it| it.evaluate_create(object).is_accepted());
                Some(is_valid && set.find_violation(object, stored, is_error).is_none())
            }
            Self::Rules(programs) => programs.accept(object),
            Self::JsonSchema(validator) => Some(validator.accepts_value(object)),
        }
    }
}

impl RulePrograms {
    fn new(set: &ElaboratedSet) -> Self {
        let programs: Vec<Program> = set.rules.iter().filter_map(|rule| Program::new(rule).ok()).collect();
        let is_partial = programs.len() < set.rules.len() || !set.left_out.is_empty();
        Self { programs, is_partial }
    }

    fn accept(&self, object: &Value) -> Option<bool> {
        let is_violated = |program: &Program| {
            let verdict = program.evaluate_object(object);
            verdict.outcome == Outcome::Violated && verdict.severity == Severity::Error
        };
        if self.programs.iter().any(is_violated) {
            return Some(false);
        }
        (!self.is_partial).then_some(true)
    }
}

impl PolicyEngine {
    fn admits(&self, object: &Value, stored: Option<&Value>) -> Option<bool> {
        let (group, plural) = (&self.kind.group, &self.kind.plural);
        let mut request = match stored {
            Some(stored) => Request::for_update(group, plural, object.clone(), stored.clone()),
            None => Request::for_creation(group, plural, object.clone()),
        };
        request.version.clone_from(&self.kind.version);
        let policies = std::slice::from_ref(&self.policy);
        let reports = report_request(policies, &self.bindings, &request);
        let is_unknown = |outcome: &PolicyOutcome| match outcome {
            PolicyOutcome::Bound(bound) => {
                bound.iter().any(|one| matches!(one.outcome, BindingOutcome::Unsupported(_)))
            }
            PolicyOutcome::Unsupported(_) => true,
            _ => false,
        };
        if reports.iter().any(|report| is_unknown(&report.outcome)) {
            return None;
        }
        Some(answer_from_reports(policies, &self.bindings, &request, &reports).denial.is_none())
    }
}

/// Takes examples out of a change that the engines of the sides, the old one first, do not confirm.
pub(super) fn confirm_examples(change: &mut Change, engines: [&SideEngine<'_>; 2]) {
    let [old, new] = engines;
    let is_shown = |witness: &Option<Witness>, accepting: &SideEngine<'_>, rejecting: &SideEngine<'_>| {
        witness.as_ref().is_none_or(|witness| {
            accepting.accepts_write(witness) == Some(true) && rejecting.accepts_write(witness) == Some(false)
        })
    };
    let (refused, accepted) = (is_shown(&change.refused, old, new), is_shown(&change.accepted, new, old));
    if refused && accepted {
        return;
    }
    // A direction that was shown is open now.
    let lower =
        |answer: EffectAnswer, is_confirmed: bool| if is_confirmed { answer } else { EffectAnswer::Unknown };
    let (tightens, loosens) = (lower(change.tightens(), refused), lower(change.loosens(), accepted));
    if !refused {
        change.refused = None;
    }
    if !accepted {
        change.accepted = None;
    }
    (change.direction, change.at_most) = joined_direction(tightens, loosens, false);
    change.proved = tightens != EffectAnswer::Unknown && loosens != EffectAnswer::Unknown;
    change
        .notes
        .push("an example was found, but `kvrules eval` does not confirm it for both sides".to_owned());
}
