//! The two models side by side.

use std::collections::HashSet;

use kvrules_ssp::{Answer, Machine, Status};
use serde_json::Value;

use crate::context::{Context, RuleContext, SspOutcome};
use crate::differences::DIFFERENCES;
use crate::probe::{Seen, rounded};
use crate::spec::{Spec, judge};
use crate::written::{self, Written};

/// Both models' answers to one annotation and one VirtualMachine.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Whether the rules, by their meaning, allow the VirtualMachine.
    pub spec_allows: bool,
    /// Whether the validator allows it.
    pub ssp_allows: bool,
    /// What the validator answers.
    pub answer: Answer,
    /// Each rule. Where the validator told nothing of single rules, see `whole`, this is empty.
    pub rules: Vec<RuleComparison>,
    /// The ids of the differences that apply to the whole: the validator refused to decode, or panicked.
    pub whole: Vec<&'static str>,
}

/// Both models' outcomes of one rule.
#[derive(Clone, Debug)]
pub struct RuleComparison {
    /// What both know of it.
    pub context: RuleContext,
    /// Whether the outcomes have the same effect.
    pub agree: bool,
    /// The ids of the differences whose predicates hold.
    pub named: Vec<&'static str>,
}

impl Comparison {
    /// Whether the validator came to judge each rule.
    pub fn is_by_rule(&self) -> bool {
        self.answer.status.is_some()
    }
}

/// Compares the models on an annotation and the JSON of a VirtualMachine. This fails where the latter is no JSON.
pub fn compare(annotation: &str, machine: &str) -> Result<Comparison, serde_json::Error> {
    let object: Value = serde_json::from_str(machine)?;
    let judged = judge(annotation, &object);
    let answer = kvrules_ssp::evaluate(annotation, machine);
    let spec_denies = judged.iter().any(|(_, spec)| spec.rejects());
    let whole = Context { answer: &answer, spec_denies, object: &object, rule: None };
    let named = |context: &Context<'_>| {
        DIFFERENCES
            .iter()
            .filter(|difference| (difference.applies)(context))
            .map(|difference| difference.id)
            .collect()
    };
    let rules =
        contexts(judged, &answer, (annotation, machine), &object).into_iter().map(|context| RuleComparison {
            agree: context.agree(),
            named: named(&Context { rule: Some(&context), ..whole }),
            context,
        });
    Ok(Comparison {
        spec_allows: !spec_denies,
        ssp_allows: answer.is_allowed(),
        rules: rules.collect(),
        whole: named(&whole),
        answer: answer.clone(),
    })
}

/// The rules of which the validator told an outcome.
fn contexts(
    judged: Vec<(Written, Spec)>,
    answer: &Answer,
    (annotation, machine): (&str, &str),
    object: &Value,
) -> Vec<RuleContext> {
    let (Some(statuses), Ok(machine)) = (&answer.status, Machine::decode(machine)) else { return Vec::new() };
    let values: Vec<Value> = serde_json::from_str(annotation).unwrap_or_default();
    let mut values = values.iter();
    let mut names = HashSet::new();
    let rules = judged.into_iter().zip(statuses).map(|((written, spec), status)| RuleContext {
        is_name_taken: !names.insert(written.name.clone()),
        subject: written.path.as_ref().map(|path| Seen::new(path, &machine)),
        guard: written.valid.as_ref().map(|path| Seen::new(path, &machine)),
        arguments: written.arguments.iter().map(|path| Seen::new(path, &machine)).collect(),
        respelled: values.next().filter(|_| written.keys_differ).and_then(|rule| respelled(rule, object)),
        rounded: rounded(&written.bounds, &machine),
        ssp: outcome(status),
        written,
        spec,
    });
    rules.collect()
}

/// What a rule means with its keys respelled.
fn respelled(rule: &Value, object: &Value) -> Option<Spec> {
    let rules = Value::from(vec![Value::from(written::respelled(rule.as_object()?))]);
    judge(&rules.to_string(), object).into_iter().next().map(|(_, spec)| spec)
}

fn outcome(status: &Status) -> SspOutcome {
    match &status.error {
        Some(error) => SspOutcome::Error(error.clone()),
        None if status.skipped => SspOutcome::Skipped,
        None if status.satisfied => SspOutcome::Satisfied,
        None => SspOutcome::Unsatisfied,
    }
}
