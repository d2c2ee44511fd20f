//! Proof that rules of the annotation say the same as a rule of a RuleSet.
//!
//! The rules are read back as users of the annotation read them, so that their meaning is decided where that of all annotations is. Its
//! form in CEL and the expression of the RuleSet's rule are compared as formulas over the schema of the subject.

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_diagnostics::FileId;
use kvrules_elaborate::catalog::Catalog;
use kvrules_elaborate::{annotation, elaborate_rule_set};
use kvrules_ir::{ElaboratedRule, Formula, Place, Presence, Selector};
use kvrules_lift::{DefinitionRule, PlacedFormula, is_implied, lift_expression};
use kvrules_rule_set::{AuthoredRule, RuleSubject};
use serde_json::json;

use crate::Fidelity;
use crate::cel::{Dialect, lower_predicate};

/// Cause for which rules of the annotation are not written.
const UNPROVED: &str = "no rules of the annotation are proved to say the same";

/// Compares the text of an annotation with a rule. `is_covering` if the annotation applies wherever the rule does.
///
/// # Errors
///
/// The cause for which the annotation does not express the rule.
pub(super) fn compare_with_rule(
    text: &str,
    rule: &AuthoredRule,
    subject: &RuleSubject,
    is_covering: bool,
) -> Result<Fidelity, String> {
    let unproved = || UNPROVED.to_owned();
    let read = read_back(text)?;
    let wanted =
        rule.to_definition_rule(subject).and_then(|own| placed_formula(&own)).ok_or_else(unproved)?;
    let mut parts = Vec::new();
    let mut fractions = None;
    for own in &read {
        let tested = &own.requirement.subject;
        if !tested.leaf.value_type.is_scalar() {
            return Err(format!(
                "rules of the annotation test values with a text, and `{}` has none",
                tested.text
            ));
        }
        let lowered = lower_predicate(&own.predicate, Dialect::VIRTUAL_MACHINE_SCHEMA)
            .map_err(|unsupported| unsupported.cause)?;
        match &lowered.fidelity {
            Fidelity::Exact => {}
            // The expression accepts more than the annotation, which therefore rejects more.
            Fidelity::Wider(cause) => fractions = cause.strip_prefix("accepts ").map(str::to_owned),
            _ => return Err(unproved()),
        }
        let at_root = object_rule(subject, &lowered.expression.to_string());
        parts.push(placed_formula(&at_root).ok_or_else(unproved)?);
    }
    let seen = |formula: &PlacedFormula| formula.seen_from(0, false, &subject.schema).ok_or_else(unproved);
    let (wanted, all) =
        (seen(&wanted)?, Formula::all_of(parts.iter().map(seen).collect::<Result<Vec<_>, _>>()?));
    if !is_implied(&[&all], &wanted, &subject.schema) {
        let counted = read.iter().find_map(counted_cause);
        return Err(counted.unwrap_or_else(unproved));
    }
    let mut rejected: Vec<String> = fractions.into_iter().collect();
    if !is_implied(&[&wanted], &all, &subject.schema) {
        let absent = read.iter().find_map(absent_cause).filter(|_| is_covering || compares_values(&read));
        rejected.insert(0, absent.ok_or_else(unproved)?);
    }
    if rejected.is_empty() {
        return Ok(Fidelity::Exact);
    }
    Ok(Fidelity::Narrower(format!("rejects {}", rejected.join(", and "))))
}

/// The rules of a text, as kvrules reads every annotation.
fn read_back(text: &str) -> Result<Vec<ElaboratedRule>, String> {
    let stream = kvrules_syntax::parse_stream(FileId(0), text);
    let mut rules = Vec::new();
    for found in stream.documents.iter().flat_map(annotation::find_annotations) {
        let set = annotation::read_rule_set(&found, "");
        let elaboration = elaborate_rule_set(&set, Catalog::kubevirt_vm());
        if let Some(left_out) = elaboration.left_out.first() {
            return Err(format!("the annotation cannot have the rule: {}", left_out.cause.text));
        }
        rules.extend(elaboration.rules);
    }
    if rules.is_empty() { Err(UNPROVED.to_owned()) } else { Ok(rules) }
}

fn object_rule(subject: &RuleSubject, expression: &str) -> DefinitionRule<'static> {
    DefinitionRule {
        place: Vec::new(),
        schema: with_object_meta(&subject.version.schema).into(),
        index: 0,
        source: RuleSource::from_json(&json!({ "rule": expression })),
        constant_fields: Vec::new(),
    }
}

fn placed_formula(rule: &DefinitionRule) -> Option<PlacedFormula> {
    let (expression, checked) = rule.check_types().ok()?;
    let formulas = lift_expression(&expression, &checked, &[]).ok()?;
    Some(PlacedFormula::of_rule(rule, formulas.holds, String::new()))
}

/// Objects that a rule of the annotation rejects because a field is absent: it has a default there, or must be set.
fn absent_cause(rule: &ElaboratedRule) -> Option<String> {
    if let Some(other) = rule.requirement.compared_with.first() {
        return Some(format!("objects without `{other}`, with which it compares"));
    }
    let subject = &rule.requirement.subject;
    is_defaulted(subject).then(|| {
        let counted =
            subject.leaf.implicit_value().map(|value| format!(", which counts as {}", scalar_text(&value)));
        format!("objects without `{}`{}", subject.text, counted.unwrap_or_default())
    })
}

/// The reason for which a rule of the annotation accepts more: an absent value counts as one.
fn counted_cause(rule: &ElaboratedRule) -> Option<String> {
    let subject = &rule.requirement.subject;
    let counted = subject.leaf.implicit_value().filter(|_| is_defaulted(subject))?;
    Some(format!(
        "to the annotation, `{}` counts as {} where it is absent",
        subject.text,
        scalar_text(&counted)
    ))
}

/// True if a value at a path counts as present where the object does not have it.
fn is_defaulted(selector: &Selector) -> bool {
    let is_defaulted = |place: &Place| place.steps.iter().any(|step| step.presence() == Presence::Defaulted);
    selector.lists.iter().chain([&selector.leaf]).any(is_defaulted)
}

fn scalar_text(value: &kvrules_ir::Scalar) -> String {
    match value {
        kvrules_ir::Scalar::Integer(number) => number.to_string(),
        kvrules_ir::Scalar::Text(text) if text.is_empty() => "the empty text".to_owned(),
        kvrules_ir::Scalar::Text(text) => format!("`{text}`"),
        kvrules_ir::Scalar::Boolean(value) => value.to_string(),
    }
}

fn compares_values(rules: &[ElaboratedRule]) -> bool {
    rules.iter().any(|rule| !rule.requirement.compared_with.is_empty())
}
