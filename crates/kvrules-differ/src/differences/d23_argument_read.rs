//! Arguments that the two models read differently.

use super::Difference;
use crate::context::Context;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D23",
    name: "argument-read",
    summary: "an argument that is a path is read by the validator with its own quirks: from the reference object, as the name of its type, or not at all",
    applies,
};

/// An argument cannot be read as an integer, and the error denies what the meaning does not reject; or it comes from the
/// reference or has the name of its type for its text, and the values pass where by their meaning they do not, or the
/// reverse.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| rule.both_apply()) else { return false };
    let is_enum = rule.written.kind == "enum";
    let decides = rule.spec_satisfied() != rule.ssp_satisfied();
    rule.arguments.iter().any(|argument| {
        let unreadable = !is_enum && argument.no_integer.is_some() && rule.error_matters();
        let misread = argument.is_reference() || (is_enum && argument.has_type_names());
        unreadable || (misread && decides)
    })
}
