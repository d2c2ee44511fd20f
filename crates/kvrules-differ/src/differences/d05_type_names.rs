//! Values that are no strings, rendered as the name of their type.

use kvrules_eval::Judged;

use super::Difference;
use crate::context::Context;
use crate::judge::Texts;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D5",
    name: "type-names",
    summary: "a number, a boolean or a quantity has the text of its type, such as <uint32 Value>",
    applies,
};

/// A value of the machine is no string, and with the name of its type in place of its text it passes or fails otherwise.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let Some((read, seen)) = rule.judged() else { return false };
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
            != seen.texts().iter().all(|text| rule.has_length_in_bounds(text.len()));
    }
    values.iter().all(Judged::passes) != Texts::of(read).all_pass(seen.texts().iter().map(String::as_str))
}
