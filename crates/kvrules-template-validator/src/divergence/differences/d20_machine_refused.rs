//! Objects that do not decode.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D20",
    name: "machine-refused",
    summary: "the validator denies an object with a wrong type anywhere, whatever the rules require",
    applies,
    in_rule: None,
};

/// The object does not decode into the types of the API, and no rule rejects it.
fn applies(context: &DifferenceContext<'_>) -> bool {
    context.rule.is_none() && context.answer.vm_error.is_some() && !context.spec_denies
}
