//! Evaluates each rule of an annotation for an object with the reference evaluator.

use std::collections::HashMap;
use std::sync::Arc;

use kvrules_diagnostics::{FileId, Span};
use kvrules_elaborate::annotation::{self, TEMPLATE_ANNOTATIONS, VM_ANNOTATION};
use kvrules_elaborate::{catalog::Catalog, elaborate_rule_set};
use kvrules_eval::{Explanation, Outcome, explain_rule};
use kvrules_ir::{Constraint, ElaboratedRule, OmissionCause, OmissionKind, Rule, Severity};
use kvrules_syntax::{Node, parse_json};
use serde_json::{Value, json};

use crate::divergence::written_rule::{self, WrittenRule};

/// Result of a rule by its meaning for an object.
#[derive(Clone, Debug)]
pub enum SpecResult {
    /// The rule can be read.
    Read(Box<EvaluatedRule>),
    /// The rule cannot be read or expressed as a predicate, so it requires nothing. With the cause.
    LeftOut(OmissionCause),
}

/// A rule that can be read, and its verdict.
#[derive(Clone, Debug)]
pub struct EvaluatedRule {
    /// The rule as it was read.
    pub constraint: Constraint,
    /// The rule with its meaning decided.
    pub rule: ElaboratedRule,
    /// Explanation of its verdict.
    pub explanation: Explanation,
}

impl SpecResult {
    /// The outcome; none of a rule that is left out.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Read(read) => Some(read.explanation.verdict.outcome),
            Self::LeftOut(_) => None,
        }
    }

    /// True if the rule rejects the object.
    pub fn rejects_object(&self) -> bool {
        matches!(self, Self::Read(read) if read.explanation.verdict.rejects_object())
    }
}

/// A rule of an annotation before it is evaluated on an object: as it is written, and its meaning.
#[derive(Clone, Debug)]
pub(crate) struct AnnotationRule {
    pub(crate) written: WrittenRule,
    meaning: RuleMeaning,
    /// Meaning with the keys spelled as the validator accepts them; `None` if they already are.
    respelled: Option<RuleMeaning>,
}

/// A rule with its meaning decided, or why it is left out.
type RuleMeaning = Result<(Constraint, ElaboratedRule), OmissionCause>;

impl AnnotationRule {
    /// Evaluates the rule for an object.
    pub(crate) fn evaluate_rule(&self, object: &Value) -> SpecResult {
        evaluate_meaning(&self.meaning, object)
    }

    /// Evaluates the rule with its keys spelled as the validator accepts them; `None` if they already are.
    pub(crate) fn evaluate_respelled(&self, object: &Value) -> Option<SpecResult> {
        self.respelled.as_ref().map(|meaning| evaluate_meaning(meaning, object))
    }
}

fn evaluate_meaning(meaning: &RuleMeaning, object: &Value) -> SpecResult {
    match meaning {
        Err(cause) => SpecResult::LeftOut(cause.clone()),
        Ok((constraint, rule)) => match explain_rule(rule, object) {
            Ok(explanation) => {
                let (constraint, rule) = (constraint.clone(), rule.clone());
                SpecResult::Read(Box::new(EvaluatedRule { constraint, rule, explanation }))
            }
            Err(error) => SpecResult::LeftOut(OmissionCause::new(OmissionKind::Regex, error.to_string())),
        },
    }
}

/// Each member of the list of rules that the annotation with this key has for its text; one that is not a rule is left out.
pub(crate) fn read_annotation_rules(key: &str, text: &str) -> Vec<AnnotationRule> {
    let mut rules = serde_json::from_str::<Vec<Value>>(text).unwrap_or_default().into_iter();
    let item = |(written, meaning): (WrittenRule, RuleMeaning)| {
        let rule = rules.next().filter(|_| written.keys_differ);
        let respelled = rule.and_then(|rule| {
            let rules = Value::from(vec![Value::from(written_rule::respell_rule(rule.as_object()?))]);
            read_meanings(VM_ANNOTATION, &rules.to_string()).into_iter().next().map(|(_, meaning)| meaning)
        });
        AnnotationRule { written, meaning, respelled }
    };
    read_meanings(key, text).into_iter().map(item).collect()
}

fn read_meanings(key: &str, text: &str) -> Vec<(WrittenRule, RuleMeaning)> {
    let kind = if TEMPLATE_ANNOTATIONS.contains(&key) { "Template" } else { "VirtualMachine" };
    let key = if kind == "Template" { key } else { VM_ANNOTATION };
    let holder = json!({"kind": kind, "metadata": {"annotations": {key: text}}}).to_string();
    let document = parse_json(FileId(0), &holder);
    let Some(found) = annotation::find_annotations(&document).into_iter().next() else { return Vec::new() };
    let set = annotation::read_rule_set(&found, "rules");
    let read = set.rules.iter().map(|rule| (rule.origin.span(), elaborate_rule(rule, &set)));
    let unread = set.unread.iter().map(|left_out| (left_out.origin.span(), Err(left_out.cause.clone())));
    let meanings: HashMap<Option<Span>, RuleMeaning> = read.chain(unread).collect();
    let items = found.root().into_iter().flat_map(Node::items);
    let rules = items.map(|item| {
        let meaning = meanings.get(&Some(item.span())).cloned();
        (
            WrittenRule::new(item),
            meaning.unwrap_or_else(|| Err(OmissionCause::unreadable_rule("not an object"))),
        )
    });
    rules.collect()
}

fn elaborate_rule(rule: &Rule, set: &kvrules_ir::RuleSet) -> RuleMeaning {
    let alone =
        kvrules_ir::RuleSet { rules: vec![Arc::new(rule.clone())], unread: Vec::new(), ..set.clone() };
    let elaboration = elaborate_rule_set(&alone, Catalog::kubevirt_vm());
    if let Some(elaborated) = elaboration.rules.into_iter().next() {
        return Ok((rule.constraint.clone(), elaborated));
    }
    let cause = elaboration.left_out.into_iter().next().map(|left_out| left_out.cause);
    Err(cause.unwrap_or_else(|| OmissionCause::unreadable_rule("")))
}

impl EvaluatedRule {
    /// True if the rule only warns.
    pub fn is_warning(&self) -> bool {
        self.rule.severity == Severity::Warning
    }
}
