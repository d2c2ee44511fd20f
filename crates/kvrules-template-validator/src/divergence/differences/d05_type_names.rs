//! Values that are not strings, rendered as the name of their type.

use kvrules_eval::EvaluatedValue;

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use crate::divergence::text_tests::TextTests;
use kvrules_ir::ValueType;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D5",
    name: "type-names",
    summary: "a number, a boolean or a quantity is compared as the name of its type, such as <uint32 Value>",
    applies,
    in_rule: Some(in_rule),
};

/// A value of the machine is not a string, and with the name of its type in place of its text it passes or fails otherwise.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let Some((read, seen)) = rule.evaluated_values() else { return false };
    if rule.written.kind == "integer" || seen.is_reference() || !seen.has_type_names() {
        return false;
    }
    let values = &read.explanation.values;
    if values.is_empty() {
        return false;
    }
    if rule.has_arguments() && rule.written.kind == "string" {
        if rule.arguments.iter().any(|argument| argument.integers.is_empty()) {
            return false;
        }
        // The bounds are elsewhere in the object; only the validator's lengths are changed.
        return rule.spec_satisfied()
            != seen.result_texts().iter().all(|text| rule.has_length_in_bounds(text.len()));
    }
    values.iter().all(EvaluatedValue::passes_tests)
        != TextTests::from_rule(read).all_pass(seen.result_texts().iter().map(String::as_str))
}

/// The values are numbers, booleans or quantities, and the rule asks for their texts. A type's name is not a member of an
/// enumeration.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    use ValueType::{Boolean, IntOrString, Integer, Number, Quantity};
    let value_type = rule.evaluated_values()?.subject.leaf.value_type;
    let has_no_text = matches!(value_type, Integer | Quantity | Boolean | IntOrString | Number);
    if rule.written.kind == "integer" || !has_no_text {
        return None;
    }
    let is_name = |value: &String| value.starts_with('<') || value.starts_with("jsonpath::");
    let never = rule.written.kind == "enum" && !rule.written.values.iter().any(is_name);
    let effect = if never { rule.unsatisfied_effect() } else { DifferenceEffect::Differs };
    let because = format!("it compares a value of type {} as the name of its type", value_type.as_str());
    Some(DifferenceSign::new(effect, "path", because))
}
