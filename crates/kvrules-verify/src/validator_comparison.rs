//! Compares the compiled targets with the deployed template validator: for each rule the named differences between its
//! meaning and the validator, each with the smallest object that shows it.

use std::collections::BTreeSet;

use kvrules_elaborate::{annotation, catalog::Catalog, elaborate_rule_set};
use kvrules_syntax::Document;
use kvrules_template_validator::divergence::{ModelComparison, PreparedAnnotation};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use crate::synthesise::{SizeLimits, synthesise_objects};

/// Departures of the rules of a file from the deployed validator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SspReport {
    /// Number of rules examined; equal annotations count once.
    pub rules: usize,
    /// Number of objects evaluated by both.
    pub objects: usize,
    /// The departures, in the order of the rules.
    pub departures: Vec<ValidatorDeparture>,
}

/// One way in which a rule is evaluated otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValidatorDeparture {
    /// The rule set.
    pub set: String,
    /// The rule's name.
    pub rule: String,
    /// The ids of the differences that explain it, such as `D1`.
    pub differences: Vec<&'static str>,
    /// Outcome by the rule's meaning: `satisfied`, `violated`, `skipped`, or `left out`.
    pub means: String,
    /// Outcome in the validator.
    pub validator: String,
    /// Change if targets replace the validator; `None` if both have the same effect.
    pub change: Option<VerdictChange>,
    /// The smallest object that shows it.
    pub object: Value,
}

/// Change for an object, by the rule alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictChange {
    /// It is denied today, and allowed by the meaning.
    Allowed,
    /// It is allowed today, and denied by the meaning.
    Denied,
}

impl SspReport {
    /// Adds what was found in another file.
    pub fn extend_with(&mut self, other: Self) {
        self.rules += other.rules;
        self.objects += other.objects;
        for departure in other.departures {
            if !self.departures.contains(&departure) {
                self.departures.push(departure);
            }
        }
    }
}

/// One annotation: the name of its set, its key and its text.
type WrittenAnnotation = (String, String, String);

/// Compares the meaning of the rules in the documents of a file with the validator; `fallback` is the name of a set without a name.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_syntax::parse_stream;
///
/// let text = r#"vm.kubevirt.io/validations: '[{"name": "r", "message": "m", "rule": "integer",
///     "path": "jsonpath::.spec.domain.memory.guest", "min": 1073741824}]'"#;
/// let stream = parse_stream(FileId(0), text);
/// let documents: Vec<_> = stream.documents.iter().collect();
/// let report = kvrules_verify::compare_with_validator(&documents, "r");
/// assert!(report.departures.iter().any(|departure| departure.differences == ["D1"]));
/// ```
pub fn compare_with_validator(documents: &[&Document<'_>], fallback: &str) -> SspReport {
    let mut seen = BTreeSet::new();
    let mut rules: Vec<WrittenAnnotation> = Vec::new();
    for (set, key, text) in written_annotations(documents, fallback) {
        if !seen.insert((key.clone(), text.clone())) {
            continue;
        }
        let list = serde_json::from_str::<Vec<Value>>(&text).unwrap_or_default();
        let alone = |rule| (set.clone(), key.clone(), Value::from(vec![rule]).to_string());
        rules.extend(list.into_iter().map(alone));
    }
    let mut distinct = BTreeSet::new();
    rules.retain(|(_, key, text)| distinct.insert((key.clone(), text.clone())));
    let parts: Vec<SspReport> = rules.par_iter().map(compare_rule).collect();
    let mut report = SspReport::default();
    for part in parts {
        report.extend_with(part);
    }
    report
}

fn written_annotations(documents: &[&Document<'_>], fallback: &str) -> Vec<WrittenAnnotation> {
    let found = documents.iter().flat_map(|document| annotation::find_annotations(document));
    let written = found.filter_map(|found| {
        let text = found.value.as_str()?.to_owned();
        let name = found.name.clone().unwrap_or_else(|| fallback.to_owned());
        Some((name, found.key.map_or(annotation::VM_ANNOTATION, |key| key.text()).to_owned(), text))
    });
    written.collect()
}

/// One rule, in a list of its own.
fn compare_rule((set, key, text): &WrittenAnnotation) -> SspReport {
    let prepared = PreparedAnnotation::new(key, text);
    let mut report = SspReport { rules: 1, ..SspReport::default() };
    let mut shown = BTreeSet::new();
    for machine in machines_of_rule(key, text) {
        let json = machine.to_string();
        let answer = kvrules_template_validator::evaluate_annotation(text, &json);
        // The API server rejects numbers beyond a field's type before any rule applies.
        if answer.vm_error.is_some() {
            continue;
        }
        let comparison = prepared.compare_differing_rules(&answer, &json, &machine);
        report.objects += 1;
        for departure in to_departures(set, &comparison, &machine, text) {
            let way = (departure.differences.clone(), departure.change);
            if shown.insert(way) {
                report.departures.push(departure);
            }
        }
    }
    report
}

/// The objects of a rule as machines. A rule without a meaning is tested with the smallest.
fn machines_of_rule(key: &str, text: &str) -> Vec<Value> {
    let holder = json!({"kind": "VirtualMachine", "metadata": {"annotations": {key: text}}}).to_string();
    let document = kvrules_syntax::parse_json(kvrules_diagnostics::FileId(0), &holder);
    let found = annotation::find_annotations(&document);
    let sets = found.iter().map(|found| annotation::read_rule_set(found, "rules"));
    let elaborated: Vec<_> = sets.map(|set| elaborate_rule_set(&set, Catalog::kubevirt_vm())).collect();
    let rules: Vec<_> = elaborated.iter().flat_map(|elaboration| &elaboration.rules).collect();
    let least = json!({"spec": {"template": {"spec": {"domain": {}}}}});
    let made =
        synthesise_objects(&rules, &SizeLimits::default()).objects.into_iter().filter(|object| object.served);
    let made: Vec<Value> =
        made.map(|object| object.value).filter(|object| object.get("spec").is_some()).collect();
    if made.is_empty() { vec![least] } else { made }
}

fn to_departures(
    set: &str,
    comparison: &ModelComparison,
    machine: &Value,
    text: &str,
) -> Vec<ValidatorDeparture> {
    let change = match (comparison.spec_allows, comparison.ssp_allows) {
        (true, false) => Some(VerdictChange::Allowed),
        (false, true) => Some(VerdictChange::Denied),
        _ => None,
    };
    let departure =
        |rule: String, differences: Vec<&'static str>, means: &str, validator: String| ValidatorDeparture {
            set: set.to_owned(),
            rule,
            differences,
            means: means.to_owned(),
            validator,
            change,
            object: machine.clone(),
        };
    if !comparison.is_by_rule() {
        let rules = serde_json::from_str::<Value>(text).unwrap_or_default();
        let name = rules.pointer("/0/name").and_then(Value::as_str).unwrap_or_default();
        let means = if comparison.spec_allows { "allowed" } else { "denied" };
        let differs = change.is_some();
        let whole =
            || departure(name.to_owned(), comparison.whole.clone(), means, refusal_message(comparison));
        return differs.then(whole).into_iter().collect();
    }
    let differing = comparison.rules.iter().filter(|rule| !rule.agree);
    let of_rule = |rule: &kvrules_template_validator::divergence::RuleComparison| {
        let means = rule.context.spec.outcome().map_or("left out", kvrules_eval::Outcome::as_str);
        departure(rule.context.written.name.clone(), rule.named.clone(), means, rule.context.ssp.to_string())
    };
    differing.map(of_rule).collect()
}

fn refusal_message(comparison: &ModelComparison) -> String {
    let answer = &comparison.answer;
    let error = answer.vm_error.as_ref().or(answer.parse_error.as_ref()).or(answer.panic.as_ref());
    format!("denied: {}", error.map_or("", String::as_str))
}
