//! Arguments that the two models read differently.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::paths::{argument_paths, is_unreadable, unguarded_way};
use crate::divergence::standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
use kvrules_ir::ValueType;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D23",
    name: "argument-read",
    summary: "the validator reads an argument that is a path differently: from the reference object, as the name of its type, or not at all",
    applies,
    in_rule: Some(in_rule),
};

/// An argument cannot be read as an integer, and the error denies what the meaning does not reject; or it comes from the
/// reference or has the name of its type for its text, and the values pass where by their meaning they do not, or the
/// reverse.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| rule.both_apply()) else { return false };
    let is_enum = rule.written.kind == "enum";
    let decides = rule.spec_satisfied() != rule.ssp_satisfied();
    rule.arguments.iter().any(|argument| {
        let unreadable = !is_enum && argument.no_integer.is_some() && rule.error_matters();
        let misread = argument.is_reference() || (is_enum && argument.has_type_names());
        unreadable || (misread && decides)
    })
}

/// An argument of a length or an integer that cannot be read, or is a blank where it is absent, which is not a bound; or a
/// member of an enumeration that has no text.
fn in_rule(rule: &StandaloneRule<'_>) -> Option<DifferenceSign> {
    let requirement = rule.evaluated_values().filter(|_| !rule.written.arguments.is_empty())?;
    let is_enum = rule.written.kind == "enum";
    argument_paths(&rule.written).find_map(|path| {
        let selector = path.resolve_path().ok()?;
        let has_text = matches!(selector.leaf.value_type, ValueType::String | ValueType::Time);
        if is_enum {
            let because = "it compares this argument as the name of its type";
            return (!has_text).then(|| DifferenceSign::new(DifferenceEffect::Differs, path.key, because));
        }
        if is_unreadable(&selector) {
            let because = "it cannot read this argument as an integer";
            return Some(DifferenceSign::new(DifferenceEffect::Denies, path.key, because));
        }
        let name = unguarded_way(&selector, requirement).filter(|_| path.key.starts_with("min"))?;
        let because = format!("if `{name}` is absent, it uses 0 for this argument");
        Some(DifferenceSign::new(DifferenceEffect::Differs, path.key, because))
    })
}
