//! The two models side by side.

use std::collections::HashSet;

use crate::{Machine, ValidatorAnswer};
use kvrules_elaborate::annotation::VM_ANNOTATION;
use serde_json::Value;

use crate::divergence::context::{DifferenceContext, RuleContext, SspOutcome, effects_agree};
use crate::divergence::differences::DIFFERENCES;
use crate::divergence::probe::{ValidatorResults, rounded_bounds};
use crate::divergence::spec_result::{AnnotationRule, SpecResult, read_annotation_rules};

/// Both models' answers to one annotation and one VirtualMachine.
#[derive(Clone, Debug)]
pub struct ModelComparison {
    /// True if the rules, by their meaning, allow the VirtualMachine.
    pub spec_allows: bool,
    /// True if the validator allows it.
    pub ssp_allows: bool,
    /// Answer of the validator.
    pub answer: ValidatorAnswer,
    /// Each rule. Empty if the validator reported nothing of single rules, see `whole`.
    pub rules: Vec<RuleComparison>,
    /// The ids of the differences that apply to the whole: the validator refused to decode, or panicked.
    pub whole: Vec<&'static str>,
}

/// Both models' outcomes of one rule.
#[derive(Clone, Debug)]
pub struct RuleComparison {
    /// Results of both models for it.
    pub context: RuleContext,
    /// True if the outcomes have the same effect.
    pub agree: bool,
    /// The ids of the differences whose predicates hold.
    pub named: Vec<&'static str>,
}

impl ModelComparison {
    /// True if the validator evaluated each rule.
    pub fn is_by_rule(&self) -> bool {
        self.answer.status.is_some()
    }
}

/// The rules of one annotation as both models take them, made once for many VirtualMachines.
#[derive(Clone, Debug)]
pub struct PreparedAnnotation {
    items: Vec<AnnotationRule>,
}

impl PreparedAnnotation {
    /// Reads an annotation: its key, which distinguishes the older forms from the newer, and its text.
    pub fn new(key: &str, text: &str) -> Self {
        Self { items: read_annotation_rules(key, text) }
    }

    /// Compares the models on a VirtualMachine: its JSON, as text and as a value, and what the validator answers to
    /// the same annotation.
    pub fn compare_models(&self, answer: &ValidatorAnswer, machine: &str, object: &Value) -> ModelComparison {
        self.compare_some(answer, machine, object, |_| true)
    }

    /// The same with no other rules than those whose outcomes differ, which is quicker.
    pub fn compare_differing_rules(
        &self,
        answer: &ValidatorAnswer,
        machine: &str,
        object: &Value,
    ) -> ModelComparison {
        self.compare_some(answer, machine, object, |agree| !agree)
    }

    fn compare_some(
        &self,
        answer: &ValidatorAnswer,
        machine: &str,
        object: &Value,
        wanted: fn(bool) -> bool,
    ) -> ModelComparison {
        let specs: Vec<SpecResult> = self.items.iter().map(|item| item.evaluate_rule(object)).collect();
        let spec_denies = specs.iter().any(SpecResult::rejects_object);
        let whole = DifferenceContext { answer, spec_denies, object, rule: None };
        let named = |context: &DifferenceContext<'_>| {
            let applying = DIFFERENCES.iter().filter(|difference| (difference.applies)(context));
            applying.map(|difference| difference.id).collect()
        };
        let contexts = self.rule_contexts(specs, whole, machine, wanted);
        let rules = contexts.into_iter().map(|context| RuleComparison {
            agree: context.outcomes_agree(),
            named: named(&DifferenceContext { rule: Some(&context), ..whole }),
            context,
        });
        ModelComparison {
            spec_allows: !spec_denies,
            ssp_allows: answer.is_allowed(),
            rules: rules.collect(),
            whole: named(&whole),
            answer: answer.clone(),
        }
    }

    /// The rules for which the validator reported an outcome, selected by whether they agree.
    fn rule_contexts(
        &self,
        specs: Vec<SpecResult>,
        DifferenceContext { answer, object, .. }: DifferenceContext<'_>,
        machine: &str,
        wanted: fn(bool) -> bool,
    ) -> Vec<RuleContext> {
        let (Some(statuses), Ok(machine)) = (&answer.status, Machine::decode_json(machine)) else {
            return Vec::new();
        };
        let mut names = HashSet::new();
        let rules = self.items.iter().zip(specs).zip(statuses).filter_map(|((item, spec), status)| {
            let is_name_taken = !names.insert(item.written.name.as_str());
            let ssp = SspOutcome::new(status);
            if !wanted(effects_agree(spec.outcome(), spec.rejects_object(), item.written.just_warning, &ssp))
            {
                return None;
            }
            let written = item.written.clone();
            Some(RuleContext {
                is_name_taken,
                subject: written.path.as_ref().map(|path| ValidatorResults::new(path, &machine)),
                guard: written.valid.as_ref().map(|path| ValidatorResults::new(path, &machine)),
                arguments: written
                    .arguments
                    .iter()
                    .map(|path| ValidatorResults::new(path, &machine))
                    .collect(),
                respelled: item.evaluate_respelled(object),
                rounded: rounded_bounds(&written.bounds, &machine),
                ssp,
                written,
                spec,
            })
        });
        rules.collect()
    }
}

/// Compares the models on the text of an annotation of VirtualMachines and the JSON of one. This fails if the latter is
/// not JSON.
pub fn compare_annotation(annotation: &str, machine: &str) -> Result<ModelComparison, serde_json::Error> {
    let object: Value = serde_json::from_str(machine)?;
    let answer = crate::evaluate_annotation(annotation, machine);
    Ok(PreparedAnnotation::new(VM_ANNOTATION, annotation).compare_models(&answer, machine, &object))
}
