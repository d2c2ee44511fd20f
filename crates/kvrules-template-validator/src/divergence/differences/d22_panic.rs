//! Rules on which the validator panics.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::json;
use crate::divergence::paths::optional_end;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use kvrules_ir::ValueType;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D22",
    name: "panic",
    summary: "the validator panics on a rule without a path, an object without a template, and an absent quantity read as an integer",
    applies,
    in_rule: Some(in_rule),
};

/// Evaluation panics, and no rule rejects the object.
fn applies(context: &DifferenceContext<'_>) -> bool {
    context.rule.is_none() && context.answer.panic.is_some() && !context.spec_denies
}

/// Returns the sign of a rule without a path, or with optional quantities, which crash if only their parent is present.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    if rule.written.path.is_none() && rule.is_sound() && !json::has_parameters(rule.node) {
        let because = "it crashes on a rule without a path";
        // An argument that is a path is read before, and may be in error.
        let effect = if rule.written.arguments.is_empty() {
            DifferenceEffect::Panics
        } else {
            DifferenceEffect::Denies
        };
        return Some(DifferenceSign { effect, key: None, because: because.to_owned() });
    }
    let subject = &rule.evaluated_values().filter(|_| rule.written.kind == "integer")?.subject;
    let name = optional_end(subject).filter(|_| subject.leaf.value_type == ValueType::Quantity)?;
    let because = format!("it crashes if `{name}` is absent and its parent is present");
    Some(DifferenceSign::new(DifferenceEffect::Differs, "path", because))
}
