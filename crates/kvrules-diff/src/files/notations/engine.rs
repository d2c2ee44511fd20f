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
use crate::schema::{AdmissionVerdict, SchemaEvaluator, Version};

/// A side, ready to evaluate objects.
#[derive(Debug)]
pub(super) enum SideEngine {
    Definition(SchemaEvaluator),
    Policy(Box<PolicyEngine>),
    /// Rules, and the definition that the objects satisfy.
    RuleSet(Box<RuleSet>, Option<SchemaEvaluator>),
    Rules(RulePrograms),
    JsonSchema(SchemaValidator),
}

/// The rules of a template.
#[derive(Debug)]
pub(super) struct RulePrograms {
    programs: Vec<(Program, String)>,
    /// True if some rules cannot be evaluated.
    is_partial: bool,
}

/// A policy with its bindings, and the resource that it matches.
#[derive(Debug)]
pub(super) struct PolicyEngine {
    policy: Policy,
    bindings: Vec<Binding>,
    kind: SubjectKind,
}

impl SideEngine {
    /// The engine of a unit about objects of a kind; `bindings` are those of a policy. An error is the reason why no validator takes a JSON
    /// Schema.
    pub(super) fn new(
        unit: &ComparableUnit,
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
                let evaluator = set.subject.definition.is_some().then(|| SchemaEvaluator::new(defined));
                Self::RuleSet(set.clone(), evaluator)
            }
            UnitContent::Rules(set) => Self::Rules(RulePrograms::new(set)),
            UnitContent::JsonSchema(schema) => {
                Self::JsonSchema(schema.source.build_validator().map_err(|invalid| invalid.message)?)
            }
            UnitContent::ExtraSpecs(_) => return Err("extra specs are pairs of a flavor".to_owned()),
        })
    }

    /// The answer to the creation of an object, or to the update of a stored one.
    pub(super) fn evaluate_write(
        &self,
        object: &Value,
        stored: Option<&Value>,
        write: WriteKind,
    ) -> EngineVerdict {
        match self {
            Self::Definition(evaluator) => EngineVerdict::of_admission(&match (write, stored) {
                (WriteKind::Status, Some(stored)) => evaluator.write_status(object, stored),
                (_, Some(stored)) => evaluator.evaluate_update(object, stored),
                (_, None) => evaluator.evaluate_create(object),
            }),
            _ if write == WriteKind::Status => EngineVerdict::Unknown,
            Self::Policy(engine) => engine.evaluate_request(object, stored),
            Self::RuleSet(set, definition) => {
                let is_error = |rule: &kvrules_rule_set::AuthoredRule| rule.severity == RuleSeverity::Error;
                let admission =
                    definition.as_ref().map(|it| EngineVerdict::of_admission(&it.evaluate_create(object)));
                match (admission, set.find_violation(object, stored, is_error)) {
                    (Some(EngineVerdict::Rejected(reason)), _) => EngineVerdict::Rejected(reason),
                    (_, Some(rule)) => EngineVerdict::Rejected(rule.message.clone()),
                    (_, None) => EngineVerdict::Accepted,
                }
            }
            Self::Rules(programs) => programs.evaluate_object(object),
            Self::JsonSchema(validator) => match validator.find_refusals(object).first() {
                Some(refusal) => EngineVerdict::Rejected(refusal.to_message()),
                None => EngineVerdict::Accepted,
            },
        }
    }

    fn evaluate_witness(&self, witness: &Witness) -> EngineVerdict {
        self.evaluate_write(&witness.object, witness.previous.as_ref(), witness.write)
    }
}

/// The answer of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::files) enum EngineVerdict {
    Accepted,
    /// The reason of the rejection.
    Rejected(String),
    /// The engine cannot answer.
    Unknown,
}

impl EngineVerdict {
    fn of_admission(verdict: &AdmissionVerdict) -> Self {
        if verdict.is_accepted() { Self::Accepted } else { Self::Rejected(verdict.first_reason()) }
    }
}

impl RulePrograms {
    fn new(set: &ElaboratedSet) -> Self {
        let program =
            |rule: &kvrules_ir::ElaboratedRule| Some((Program::new(rule).ok()?, rule.message.clone()));
        let programs: Vec<(Program, String)> = set.rules.iter().filter_map(program).collect();
        let is_partial = programs.len() < set.rules.len() || !set.left_out.is_empty();
        Self { programs, is_partial }
    }

    fn evaluate_object(&self, object: &Value) -> EngineVerdict {
        let is_violated = |(program, _): &&(Program, String)| {
            let verdict = program.evaluate_object(object);
            verdict.outcome == Outcome::Violated && verdict.severity == Severity::Error
        };
        match self.programs.iter().find(is_violated) {
            Some((_, message)) => EngineVerdict::Rejected(message.clone()),
            None if self.is_partial => EngineVerdict::Unknown,
            None => EngineVerdict::Accepted,
        }
    }
}

impl PolicyEngine {
    fn evaluate_request(&self, object: &Value, stored: Option<&Value>) -> EngineVerdict {
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
            return EngineVerdict::Unknown;
        }
        match answer_from_reports(policies, &self.bindings, &request, &reports).denial {
            Some(denial) => EngineVerdict::Rejected(denial.cause),
            None => EngineVerdict::Accepted,
        }
    }
}

/// Takes examples out of a change that the engines of the sides, the old one first, do not confirm.
pub(super) fn confirm_examples(change: &mut Change, engines: [&SideEngine; 2]) {
    let [old, new] = engines;
    let is_shown = |witness: &Option<Witness>, accepting: &SideEngine, rejecting: &SideEngine| {
        witness.as_ref().is_none_or(|witness| {
            accepting.evaluate_witness(witness) == EngineVerdict::Accepted
                && matches!(rejecting.evaluate_witness(witness), EngineVerdict::Rejected(_))
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
    change.notes.push("an example was found, but the two sides do not answer it as they should".to_owned());
}
