//! Quantities that the validator cannot read as a 64-bit integer.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D1",
    name: "unreadable-quantity",
    summary: "an integer rule cannot read a fractional or large quantity, such as 1.5Gi or 100Ti",
    applies,
    in_rule: None,
};

/// An integer rule evaluates a quantity of the machine that is not an int64 by the validator's arithmetic, and the error denies
/// what the meaning does not reject.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let Some((_, seen)) = rule.evaluated_values() else { return false };
    let is_quantity = seen.no_integer.as_deref().is_some_and(|name| name.ends_with("resource.Quantity"));
    rule.written.kind == "integer" && is_quantity && rule.error_matters()
}
