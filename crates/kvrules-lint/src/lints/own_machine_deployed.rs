//! KV911 `own_machine_deployed`: a VirtualMachine that keeps the rules next to it, and that the deployed validator denies.

use std::collections::HashMap;

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint, SourceFile, Span};
use kvrules_eval::explain_rule;
use kvrules_ir::{AnnotationDialect, ElaboratedRule};
use kvrules_kubernetes::quantity::{Quantity, shortest_binary};
use kvrules_syntax::Node;
use kvrules_template_validator::divergence::{RuleComparison, compare_annotation};
use serde_json::Value;

use crate::{
    LintCheck, LintedAnnotation, LintedFile,
    machines::{OwnMachine, deployed_machine, location_span},
    message_text::{code, rule_title},
};

pub static LINT: Lint = Lint {
    code: "KV911",
    name: "own_machine_deployed",
    level: Level::Warning,
    summary: "the deployed validator denies a template's own VirtualMachine, which satisfies its rules",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

/// A rule by which the validator denies what its meaning lets pass.
struct ValidatorDenial {
    /// Index of the rule among those of the annotation.
    index: usize,
    /// The validator's words.
    words: String,
    /// The named differences that explain it.
    named: Vec<&'static str>,
}

/// Answers of the validator by rules and by the fields that they name; most machines of a file share both, so each
/// pair is evaluated once.
type ValidatorAnswers = HashMap<(String, String), Vec<ValidatorDenial>>;

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    let mut answers = ValidatorAnswers::new();
    for annotated in file.annotations {
        // The validator cannot resolve paths of the older form, and only reads annotations in JSON.
        let annotation = &annotated.annotation;
        if annotation.form().dialect == AnnotationDialect::Annotation201901 || annotation.json().is_none() {
            continue;
        }
        for own in annotated.own_machines().iter().filter(|own| !own.is_rejected) {
            check_machine(file.source, annotated, own, &mut answers, found);
        }
    }
}

fn check_machine(
    source: &SourceFile,
    annotated: &LintedAnnotation<'_>,
    own: &OwnMachine,
    answers: &mut ValidatorAnswers,
    found: &mut Vec<Diagnostic>,
) {
    let annotation = &annotated.annotation;
    let Ok(text) = annotation.parameters.fill_text(annotation.value.text()) else { return };
    let Some(machine) = own.node(annotated) else { return };
    let ask = || {
        deployed_machine(annotated, own, machine)
            .map_or_else(Vec::new, |machine| find_denials(&text, &machine))
    };
    let denials = answers.entry((text.to_string(), own.object.to_string())).or_insert_with(ask);
    for denial in denials {
        let node = annotation.rules().nth(denial.index);
        let place = node.map(Node::span);
        let rule = annotated.elaboration.rules.iter().find(|rule| rule.origin.span() == place);
        if let Some(rule) = rule {
            found.push(denial_diagnostic(source, machine, &own.object, rule, denial));
        }
    }
}

/// The rules by which the validator denies a machine that keeps them.
fn find_denials(annotation: &str, machine: &Value) -> Vec<ValidatorDenial> {
    let machine = machine.to_string();
    if kvrules_template_validator::evaluate_annotation(annotation, &machine).is_allowed() {
        return Vec::new();
    }
    let Ok(comparison) = compare_annotation(annotation, &machine) else { return Vec::new() };
    let differing = comparison.rules.into_iter().enumerate().filter(|(_, rule)| !rule.agree);
    let denial = |(index, rule): (usize, RuleComparison)| ValidatorDenial {
        index,
        words: rule.context.ssp.to_string(),
        named: rule.named,
    };
    differing.map(denial).collect()
}

fn denial_diagnostic(
    source: &SourceFile,
    machine: Node<'_>,
    object: &Value,
    rule: &ElaboratedRule,
    denial: &ValidatorDenial,
) -> Diagnostic {
    let values = explain_rule(rule, object).map_or_else(|_| Vec::new(), |explanation| explanation.values);
    let first = values.first().map(|evaluated| &evaluated.finding);
    let location = first.map_or(".spec.template", |finding| finding.location.as_str());
    let message = format!(
        "the deployed validator denies the VirtualMachine next to its rules by {}: {}",
        rule_title(&rule.name),
        denial.words
    );
    let finding = LINT.diagnostic_at(location_span(machine, location), message);
    let value = first.and_then(|finding| finding.value.as_str());
    let fix = readable_value(denial, value)
        .zip(value)
        .and_then(|(readable, value)| respell_fix(source, finding.primary.span, value, &readable));
    let finding = finding.fix_if(fix);
    let finding = match help(denial, value) {
        Some(help) => finding.with_help(help),
        None => finding,
    };
    match rule.origin.span() {
        Some(rule) => {
            finding.with_secondary_label(rule.first_byte(), "the rule, which it satisfies by its meaning")
        }
        None => finding,
    }
}

/// Returns what to write instead, if that is certain; else where to read on.
fn help(denial: &ValidatorDenial, value: Option<&str>) -> Option<String> {
    let id = denial.named.first()?;
    if let Some(repaired) = readable_value(denial, value) {
        return Some(format!("write {}, an equal value that it can read", code(&repaired)));
    }
    let difference =
        kvrules_template_validator::divergence::DIFFERENCES.iter().find(|difference| difference.id == *id)?;
    Some(format!("this is difference {id}, {}: {}", difference.name, difference.summary))
}

/// The value as the validator can read it, where it cannot read the quantity.
fn readable_value(denial: &ValidatorDenial, value: Option<&str>) -> Option<String> {
    value.filter(|_| denial.named.first() == Some(&"D1")).and_then(whole_units)
}

/// The value of a machine spelled in another way, within its quotation marks.
fn respell_fix(source: &SourceFile, place: Span, value: &str, spelled: &str) -> Option<Fix> {
    let at = source.span_text(place).find(value)?;
    let start = place.start + u32::try_from(at).ok()?;
    let end = start + u32::try_from(value.len()).ok()?;
    let alone = (start - place.start, place.end - end);
    let edit = Edit { span: Span { start, end, ..place }, replacement: spelled.to_owned() };
    // Replace the scalar only if it is the value itself, with or without quotation marks.
    matches!(alone, (0, 0) | (1, 1))
        .then(|| Fix::safe_fix(format!("write `{spelled}`, an equal value"), [edit]))
}

/// A quantity without a fraction.
fn whole_units(text: &str) -> Option<String> {
    let integer = Quantity::parse(text).ok()?.to_integer()?;
    Some(shortest_binary(&integer)).filter(|spelled| spelled != text)
}
