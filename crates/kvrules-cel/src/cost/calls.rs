//! Cost of a call without its operands, and the size of its result.

use super::call::{Call, Estimate, matching};
use super::declared::DeclaredSizes;
use super::libraries;
use super::size::{Size, TRAVERSAL};

/// The estimate for one overload: libraries first, then the language.
pub(super) fn estimate(call: &Call<'_>, overload: &str, declared: DeclaredSizes<'_>) -> Estimate {
    libraries::estimate(call, overload, declared)
        .or_else(|| language(call, overload))
        .unwrap_or(Estimate::cost(1))
}

fn language(call: &Call<'_>, overload: &str) -> Option<Estimate> {
    let args = call.args.as_slice();
    Some(match (overload, call.target.as_ref(), args) {
        ("string_format", Some(target), _) => Estimate::cost(target.size().cost(TRAVERSAL)),
        ("string_to_bytes", None, [text]) => {
            let size = text.size();
            Estimate::sized(size.cost(TRAVERSAL), Size { min: size.min, max: size.max.wrapping_mul(4) })
        }
        ("bytes_to_string", None, [bytes]) => {
            let size = bytes.size();
            Estimate::sized(size.cost(TRAVERSAL), Size { min: size.min / 4, max: size.max })
        }
        ("strings_quote", None, [text]) => {
            let size = text.size();
            let quoted =
                Size { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
            Estimate::sized(size.cost(TRAVERSAL), quoted)
        }
        ("starts_with_string" | "ends_with_string", Some(_), [part]) => {
            Estimate::cost(part.size().cost(TRAVERSAL))
        }
        ("in_list", None, [_, list]) => Estimate::cost(list.size().max),
        ("matches_string", Some(text), [pattern]) => Estimate::cost(matching(text, pattern)),
        ("contains_string", Some(text), [part]) => {
            Estimate::cost(text.size().cost(TRAVERSAL).saturating_mul(part.size().cost(TRAVERSAL)))
        }
        ("logical_and" | "logical_or", None, _) => Estimate::cost(0),
        ("conditional", None, [_, first, second]) => Estimate::sized(0, first.size().union(second.size())),
        ("add_list", None, [first, second]) => Estimate::sized(1, first.size().plus(second.size())),
        ("add_string" | "add_bytes", None, [first, second]) => {
            let size = first.size().plus(second.size());
            Estimate::sized(size.cost(TRAVERSAL), size)
        }
        (comparison, None, [first, second]) if is_comparison_by_size(comparison) => {
            let smaller = first.size().max.min(second.size().max);
            Estimate::cost(Size::up_to(smaller).cost(TRAVERSAL))
        }
        _ => return None,
    })
}

fn is_comparison_by_size(overload: &str) -> bool {
    matches!(
        overload,
        "equals"
            | "not_equals"
            | "less_string"
            | "less_equals_string"
            | "greater_string"
            | "greater_equals_string"
            | "less_bytes"
            | "less_equals_bytes"
            | "greater_bytes"
            | "greater_equals_bytes"
    )
}
