//! Quantities.
//!
//! A quantity is an integer or a string in JSON. `string()` reads both, and `quantity()` reads that: it costs the same
//! as distinguishing the two, and reads better.
//!
//! Left out is the demand that the value be a whole number of base units. The server's `isInteger()` answers no to
//! `2.5Gi`, which is whole; a regular expression over the spelling is far longer than the rule, and cannot determine
//! `1.5Gi` from `1.3Gi` in any case; a way through floating point is exact for some sizes only. A rule that a person can
//! check at a glance, and that lets `2147483648.5` through, serves better. Where the bounds allow one value only, that
//! value is whole, and nothing is let in.

use kvrules_ir::Interval;
use kvrules_kubernetes::quantity::shortest_binary;
use num_bigint::{BigInt, Sign};

use super::context::{Deviation, NegationContext};
use super::expr::{Expr, Operator};

/// Returns the quantities that a comparison wrongly accepts: those between bounds with a fraction of a base unit.
pub(super) fn accepted_fractions(interval: &Interval) -> String {
    let (negative, whole) = match (&interval.min, &interval.max) {
        (Some(min), _) if min.sign() == Sign::Minus => (true, BigInt::from(-1) - min),
        (Some(min), _) => (false, min.clone()),
        (None, Some(max)) if max.sign() == Sign::Plus => (false, max - 1),
        (None, Some(max)) => (true, -max),
        (None, None) => (false, BigInt::ZERO),
    };
    let sign = if negative { "-" } else { "" };
    format!("quantities with a fraction of a base unit, such as `{sign}{whole}.5`")
}

/// `quantity(string(value))`
pub(super) fn quantity_of(value: Expr) -> Expr {
    Expr::call_function("quantity", Expr::call_function("string", value))
}

/// `left.compareTo(right) operator 0`
pub(super) fn compare_quantities(left: Expr, operator: Operator, right: Expr) -> Expr {
    left.call_method("compareTo", right).apply_operator(operator, Expr::Int(0))
}

/// The value is a quantity between bounds.
pub(super) fn between_bounds(
    value: &Expr,
    interval: &Interval,
    standing: NegationContext,
    deviation: &mut Deviation,
) -> Expr {
    let bound = |bound: &BigInt, operator| {
        compare_quantities(quantity_of(value.clone()), operator, quantity_literal(bound))
    };
    let comparisons = match (&interval.min, &interval.max) {
        (Some(min), Some(max)) if min == max => {
            return guard_comparisons(value, [bound(min, Operator::Equal)], standing);
        }
        (min, max) => {
            let min = min.as_ref().map(|min| bound(min, Operator::AtLeast));
            min.into_iter().chain(max.as_ref().map(|max| bound(max, Operator::AtMost)))
        }
    };
    deviation.lets_in(standing, &accepted_fractions(interval));
    guard_comparisons(value, comparisons, standing)
}

/// Comparisons, with the question whether the value is a quantity at all where an error would not do as an answer.
///
/// The schema's pattern lets no text reach a rule that is not a quantity, except for exponents such as `1e1.5`. On those
/// `quantity()` fails, and a rule that fails refuses, as it should. Asking first would double the cost that the server
/// estimates, since it sees no bound on the text's length.
fn guard_comparisons(
    value: &Expr,
    comparisons: impl IntoIterator<Item = Expr>,
    standing: NegationContext,
) -> Expr {
    let guard = (standing == NegationContext::Negated).then(|| is_quantity(value));
    Expr::all_of(guard.into_iter().chain(comparisons))
}

/// `isQuantity(string(value))`
pub(super) fn is_quantity(value: &Expr) -> Expr {
    Expr::call_function("isQuantity", Expr::call_function("string", value.clone()))
}

/// A number as people write it. The server caps binary suffixes at 2⁶³−1, so what is larger stays in digits.
pub(super) fn quantity_literal(number: &BigInt) -> Expr {
    let text = if number.bits() < 63 { shortest_binary(number) } else { number.to_string() };
    Expr::call_function("quantity", Expr::from_text(text))
}
