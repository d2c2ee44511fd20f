//! Cost of a call without its operands, and the size of its result.

use super::call::{CallEstimate, CostCall, regex_match_cost};
use super::declared::DeclaredSizes;
use super::libraries;
use super::size::{SizeRange, TRAVERSAL};
use crate::kubernetes::CostRegime;

/// The estimate for one overload: libraries first, then the language.
// cel-go checker/cost.go, functionCost: estimators of single overloads and of Kubernetes come first, and what none of them
// knows takes constant time.
pub(super) fn estimate_call(
    call: &CostCall<'_>,
    overload: &str,
    declared: DeclaredSizes<'_>,
    regime: CostRegime,
) -> CallEstimate {
    let estimate = libraries::estimate_library_call(call, overload, declared, regime)
        .or_else(|| estimate_language_function(call, overload))
        .unwrap_or(CallEstimate::from_cost(1));
    let sized = regime.sizes_string_results || !is_string_result(call.function, overload);
    CallEstimate { size: estimate.size.filter(|_| sized), ..estimate }
}

/// True if the result is a string, or made of one, whose size the first estimators did not know.
// apiserver v0.25 pkg/cel/library/cost.go and cel-go v0.12.0 checker/cost.go
fn is_string_result(function: &str, overload: &str) -> bool {
    matches!(
        function,
        "lowerAscii"
            | "upperAscii"
            | "substring"
            | "trim"
            | "replace"
            | "split"
            | "join"
            | "find"
            | "findAll"
    ) || matches!(overload, "string_to_bytes" | "bytes_to_string")
}

fn estimate_language_function(call: &CostCall<'_>, overload: &str) -> Option<CallEstimate> {
    let args = call.args.as_slice();
    Some(match (overload, call.target.as_ref(), args) {
        ("string_format", Some(target), _) => CallEstimate::from_cost(target.size().pass_cost(TRAVERSAL)),
        ("string_to_bytes", None, [text]) => {
            let size = text.size();
            CallEstimate::with_size(
                size.pass_cost(TRAVERSAL),
                // `sz.Max * 4` of the server has no guard against overflow, so an unknown size wraps around.
                SizeRange { min: size.min, max: size.max.wrapping_mul(4) },
            )
        }
        ("bytes_to_string", None, [bytes]) => {
            let size = bytes.size();
            CallEstimate::with_size(size.pass_cost(TRAVERSAL), SizeRange { min: size.min / 4, max: size.max })
        }
        ("strings_quote", None, [text]) => {
            let size = text.size();
            let quoted =
                SizeRange { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
            CallEstimate::with_size(size.pass_cost(TRAVERSAL), quoted)
        }
        ("starts_with_string" | "ends_with_string", Some(_), [part]) => {
            CallEstimate::from_cost(part.size().pass_cost(TRAVERSAL))
        }
        // A list of constants would take constant time, but the server does not distinguish it.
        ("in_list", None, [_, list]) => CallEstimate::from_cost(list.size().max),
        ("matches_string", Some(text), [pattern]) => CallEstimate::from_cost(regex_match_cost(text, pattern)),
        ("contains_string", Some(text), [part]) => CallEstimate::from_cost(
            text.size().pass_cost(TRAVERSAL).saturating_mul(part.size().pass_cost(TRAVERSAL)),
        ),
        // Short circuits lower only the minimum, which no limit looks at.
        ("logical_and" | "logical_or", None, _) => CallEstimate::from_cost(0),
        ("conditional", None, [_, first, second]) => {
            CallEstimate::with_size(0, first.size().union(second.size()))
        }
        // Concatenation does not copy; the case exists to keep the size.
        ("add_list", None, [first, second]) => CallEstimate::with_size(1, first.size().plus(second.size())),
        ("add_string" | "add_bytes", None, [first, second]) => {
            let size = first.size().plus(second.size());
            CallEstimate::with_size(size.pass_cost(TRAVERSAL), size)
        }
        (comparison, None, [first, second]) if is_comparison_by_size(comparison) => {
            let smaller = first.size().max.min(second.size().max);
            CallEstimate::from_cost(SizeRange::up_to(smaller).pass_cost(TRAVERSAL))
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
