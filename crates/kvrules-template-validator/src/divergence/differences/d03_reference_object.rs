//! Values evaluated from the reference object.

use kvrules_eval::EvaluatedValue;

use crate::divergence::context::{DifferenceContext, SspOutcome};
use crate::divergence::difference::Difference;
use crate::divergence::paths::unguarded_way;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use crate::divergence::text_tests::TextTests;
use crate::divergence::text_tests::passes_tests;
use kvrules_ir::{Place, ValueType};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D3",
    name: "reference-object",
    summary: "if a path fails on the object, the validator evaluates the zero values of a reference object",
    applies,
    in_rule: Some(in_rule),
};

/// The walk of the path is an error on the machine, and the blanks that are evaluated in its place pass where the values
/// of the object do not, or the reverse.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let Some((read, seen)) = rule.evaluated_values() else { return false };
    if !seen.is_reference() {
        return false;
    }
    let own = !read.explanation.values.is_empty()
        && read.explanation.values.iter().all(EvaluatedValue::passes_tests);
    let blanks = match rule.written.kind.as_str() {
        "integer" | "string" => rule.ssp == SspOutcome::Satisfied,
        _ => TextTests::from_rule(read).all_pass(seen.result_texts().iter().map(String::as_str)),
    };
    own != blanks
}

/// Nothing guards the way, and the blank that is evaluated where it ends passes; by its meaning nothing violates the rule.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let requirement = rule.evaluated_values().filter(|requirement| requirement.compared_with.is_empty())?;
    let subject = &requirement.subject;
    let name = unguarded_way(subject, requirement)?;
    let is_text = matches!(subject.leaf.value_type, ValueType::String | ValueType::Time);
    if !is_text && rule.written.kind != "integer" {
        return None;
    }
    let blank = Place { default: None, ..subject.leaf.clone() }.implicit_value()?;
    passes_tests(&blank, &requirement.tests).then(|| {
        let because = format!("if `{name}` is absent, it evaluates a zero value instead, which passes");
        DifferenceSign::new(DifferenceEffect::Differs, "path", because)
    })
}
