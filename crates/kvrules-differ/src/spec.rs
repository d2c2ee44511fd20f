//! What each rule of an annotation means for an object, by the reference evaluator.

use kvrules_diagnostics::{FileId, Span};
use kvrules_elaborate::{annotation, catalog::Catalog, elaborate};
use kvrules_eval::{Explanation, Outcome, explain};
use kvrules_ir::{Cause, CauseKind, Constraint, ElaboratedRule, Rule, Severity};
use kvrules_syntax::{Node, parse_json};
use serde_json::{Value, json};

use crate::written::Written;

/// What a rule means for an object.
#[derive(Clone, Debug)]
pub enum Spec {
    /// The rule can be read.
    Read(Box<Read>),
    /// It cannot, or cannot be said as a predicate; so it asks nothing. With the cause.
    LeftOut(Cause),
}

/// A rule that can be read, and its verdict.
#[derive(Clone, Debug)]
pub struct Read {
    /// The rule as it was read.
    pub constraint: Constraint,
    /// The rule with its meaning decided.
    pub rule: ElaboratedRule,
    /// How its verdict came about.
    pub explanation: Explanation,
}

impl Spec {
    /// The outcome; none of a rule that is left out.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Read(read) => Some(read.explanation.verdict.outcome),
            Self::LeftOut(_) => None,
        }
    }

    /// Whether the rule rejects the object.
    pub fn rejects(&self) -> bool {
        matches!(self, Self::Read(read) if read.explanation.verdict.rejects())
    }
}

/// Each rule of an annotation, as written and as it is meant; a member of the list that is no rule counts as one.
pub(crate) fn judge(annotation: &str, object: &Value) -> Vec<(Written, Spec)> {
    let holder = json!({
        "kind": "VirtualMachine",
        "metadata": {"annotations": {annotation::VM_ANNOTATION: annotation}}
    });
    let text = holder.to_string();
    let document = parse_json(FileId(0), &text);
    let Some(found) = annotation::find(&document).into_iter().next() else { return Vec::new() };
    let set = annotation::read(&found, "rules");
    let mut verdicts: Vec<(Option<Span>, Spec)> = Vec::new();
    for rule in &set.rules {
        verdicts.push((rule.origin.span(), one(rule, &set, object)));
    }
    for left_out in &set.unread {
        verdicts.push((left_out.origin.span(), Spec::LeftOut(left_out.cause.clone())));
    }
    let items = found.root().into_iter().flat_map(Node::items);
    let judged = items.map(|item| {
        let spec = verdicts.iter().find(|(span, _)| *span == Some(item.span()));
        let spec = spec
            .map_or_else(|| Spec::LeftOut(Cause::unreadable("this is no object")), |(_, spec)| spec.clone());
        (Written::new(item), spec)
    });
    judged.collect()
}

fn one(rule: &Rule, set: &kvrules_ir::RuleSet, object: &Value) -> Spec {
    let alone = kvrules_ir::RuleSet { rules: vec![rule.clone()], unread: Vec::new(), ..set.clone() };
    let elaboration = elaborate(&alone, Catalog::kubevirt_vm());
    let Some(elaborated) = elaboration.rules.into_iter().next() else {
        let cause = elaboration.left_out.into_iter().next().map(|left_out| left_out.cause);
        return Spec::LeftOut(cause.unwrap_or_else(|| Cause::unreadable("")));
    };
    match explain(&elaborated, object) {
        Ok(explanation) => {
            Spec::Read(Box::new(Read { constraint: rule.constraint.clone(), rule: elaborated, explanation }))
        }
        Err(error) => Spec::LeftOut(Cause::new(CauseKind::Regex, error.to_string())),
    }
}

impl Read {
    /// Whether the rule only warns.
    pub fn is_warning(&self) -> bool {
        self.rule.severity == Severity::Warning
    }
}
