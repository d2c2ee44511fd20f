//! Defaults that the validator does not fill in.

use kvrules_eval::{EvaluatedValue, ValueOrigin};

use crate::divergence::context::{DifferenceContext, SspOutcome};
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use crate::divergence::text_tests::passes_tests;
use kvrules_ir::Place;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D19",
    name: "defaults",
    summary: "an unset value is the default of the API by its meaning, and the zero value for the validator",
    applies,
    in_rule: Some(in_rule),
};

/// A value is a default that is not the zero of its type, and the zero passes or fails otherwise.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let Some((read, seen)) = rule.evaluated_values() else { return false };
    let values = &read.explanation.values;
    let has_default = values.iter().any(|value| value.finding.origin == ValueOrigin::Default);
    let passes = values.iter().all(EvaluatedValue::passes_tests);
    let is_cpu = values.iter().all(|value| value.finding.location.contains(".domain.cpu."));
    has_default && seen.on_machine && !is_cpu && passes != (rule.ssp == SspOutcome::Satisfied)
}

/// The field has a default that passes where the zero does not, or the reverse. The validator fills in those of CPUs.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let requirement = rule.evaluated_values().filter(|requirement| requirement.compared_with.is_empty())?;
    let subject = &requirement.subject;
    let default = subject.leaf.default.as_ref().filter(|_| !subject.text.contains(".domain.cpu."))?;
    let zero = Place { default: None, ..subject.leaf.clone() }.implicit_value()?;
    let pass = |value| passes_tests(value, &requirement.tests);
    (pass(default) != pass(&zero)).then(|| {
        let because = "if the value is unset, it evaluates zero and not the default";
        DifferenceSign::new(DifferenceEffect::Differs, "path", because)
    })
}
