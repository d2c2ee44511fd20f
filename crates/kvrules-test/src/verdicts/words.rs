//! Objects and documents, each evaluated by the meaning of the words of RuleSets.

use std::collections::HashSet;

use kvrules_diagnostics::{SourceFile, quote_names};
use kvrules_eval::Outcome;
use kvrules_rule_set::{AuthoredRule, FailingValue, RuleSet, RuleSeverity};
use kvrules_syntax::kubernetes::{TypedObject, find_objects};
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Document, Node, SyntaxKind};
use serde_json::Value;

use crate::verdicts::answer::{Evaluation, EvaluationFault, FoundValue, RuleAnswer, SpecAnswer, SpecVerdict};
use crate::verdicts::find::name_of;
use crate::verdicts::policy::KnownResources;
use crate::verdicts::{Options, unnamed_evaluation};

/// Number of locations that a reason names.
const MOST_LOCATIONS: usize = 3;

/// Evaluates each object of a document by the RuleSets about it. A document is one object of those about documents of a schema.
pub(crate) fn evaluate_objects(
    source: &SourceFile,
    document: &Document<'_>,
    sets: &[RuleSet],
    options: &Options,
) -> Vec<Evaluation> {
    let Some(root) = document.root().filter(|root| root.kind() != SyntaxKind::Null) else {
        return Vec::new();
    };
    if sets.iter().all(|set| set.subject.is_of_documents()) {
        return vec![evaluate_value(source, root, &sets.iter().collect::<Vec<_>>(), options)];
    }
    let resources = KnownResources::shared();
    let evaluate = |object: &TypedObject<'_>| {
        let about = sets.iter().filter(|set| set.subject.is_for(object.api_version, object.kind));
        let about: Vec<&RuleSet> = about.collect();
        let own: Vec<&RuleSet> =
            about.iter().copied().filter(|set| selects_object(set, object, resources)).collect();
        if own.is_empty() {
            let message = if about.is_empty() {
                format!("no RuleSet is about `{}` in `{}`", object.kind, object.api_version)
            } else {
                "`match` of the RuleSets about the object does not select its creation".to_owned()
            };
            let fault = EvaluationFault {
                is_other_kind: true,
                ..EvaluationFault::new(source, object.node.span(), message)
            };
            return Evaluation { fault: Some(fault), ..unnamed_evaluation(source, object.node, None) };
        }
        evaluate_value(source, object.node, &own, options)
    };
    find_objects(root).iter().map(evaluate).collect()
}

/// False if `match` cannot select the creation of an object: by its labels, its resource or the operation. Namespaces and users are not
/// known, and nor are the resources of kinds that Kubernetes does not serve.
fn selects_object(set: &RuleSet, object: &TypedObject<'_>, resources: &KnownResources) -> bool {
    let Some(selection) = &set.selection else { return true };
    let labels = object.node.get("metadata").and_then(|metadata| metadata.get("labels"));
    let label = |name: &str| labels.and_then(|labels| labels.get(name)?.as_str());
    let group = object.api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let plural = resources.find_resource(object.api_version, object.kind).map(|(plural, _)| plural);
    let is_own = |(of, name): &(String, String)| {
        of == group && (name == "*" || plural.as_ref().is_none_or(|plural| plural == name))
    };
    selection.selects_operation("CREATE")
        && selection.selects_labels(label)
        && (selection.resources.is_empty() || selection.resources.iter().any(is_own))
}

fn evaluate_value(source: &SourceFile, node: Node<'_>, sets: &[&RuleSet], options: &Options) -> Evaluation {
    let evaluation = unnamed_evaluation(source, node, None);
    let value = match ValueReader::for_kubernetes().read_value(node) {
        Ok(value) => value,
        Err(error) => {
            let fault = Some(EvaluationFault::new(source, error.span, error.message));
            return Evaluation { fault, ..evaluation };
        }
    };
    let mut rules = Vec::new();
    let mut verdict = SpecVerdict::Satisfied;
    for set in sets {
        let violated = set.find_violations(&value, None);
        let violated: HashSet<&str> = violated.iter().map(|found| found.name.as_str()).collect();
        for rule in &set.rules {
            let is_violated = violated.contains(rule.name.as_str());
            verdict = match (is_violated, rule.severity) {
                (true, RuleSeverity::Error) => SpecVerdict::Rejected,
                (true, RuleSeverity::Warn) if verdict == SpecVerdict::Satisfied => SpecVerdict::Warned,
                _ => verdict,
            };
            rules.push(to_answer(set, rule, &value, (is_violated, options.trace)));
        }
    }
    Evaluation {
        name: name_of(node).map(str::to_owned),
        spec: Some(SpecAnswer { verdict, rules }),
        ..evaluation
    }
}

fn to_answer(
    set: &RuleSet,
    rule: &AuthoredRule,
    value: &Value,
    (is_violated, trace): (bool, bool),
) -> RuleAnswer {
    let failing = if is_violated { set.find_failing_values(rule, value) } else { Vec::new() };
    let is_scalar = |found: &&FailingValue| !found.value.is_object() && !found.value.is_array();
    let found = |found: &FailingValue| FoundValue {
        location: found.location.clone(),
        value: found.value.clone(),
        origin: "object",
        failures: vec![set.describe_at_place(rule).replace('`', "")],
    };
    let reason = (is_violated || trace).then(|| match locations(&failing) {
        Some(at) => format!("at {at}"),
        None => format!("required: {}", rule.requirement),
    });
    RuleAnswer {
        name: rule.name.clone(),
        outcome: if is_violated { Outcome::Violated } else { Outcome::Satisfied }.as_str(),
        severity: Some(match rule.severity {
            RuleSeverity::Error => "error",
            RuleSeverity::Warn => "warning",
            RuleSeverity::Audit => "audit",
        }),
        message: rule.message_for(failing.first().map(|found| &found.value)),
        reason,
        guard: None,
        values: failing.iter().filter(is_scalar).map(found).collect(),
    }
}

/// The first locations of values; `None` if the object itself is the only one.
fn locations(failing: &[FailingValue]) -> Option<String> {
    let named: Vec<_> =
        failing.iter().map(|found| found.location.as_str()).filter(|it| !it.is_empty()).collect();
    (!named.is_empty()).then(|| quote_names(&named, MOST_LOCATIONS))
}
