//! Costs of the functions of Kubernetes' and cel-go's libraries.

use crate::ast::Literal;
use crate::kubernetes::CostRegime;
use crate::types::Type;

use super::call::{CallEstimate, CostArgument, CostCall, regex_match_cost};
use super::declared::DeclaredSizes;
use super::path::ValuePath;
use super::size::{REGEX, SizeRange, TRAVERSAL, UNKNOWN, ceil_quotient, scale_saturating};

/// The longest pattern of a named format.
// apiserver pkg/cel, MaxNameFormatRegexSize and MaxFormatSize
const FORMAT_PATTERN: f64 = 128.0;
/// Bytes of the largest named format.
const FORMAT_BYTES: u64 = 64;
/// Bytes of the longest address.
// apiserver cel/library/cost.go, EstimateCallCost for containsIP: four bytes or sixteen
const ADDRESS_BYTES: u64 = 16;
/// A call, and the list it makes.
// cel-go ext/lists.go, estimateListCall
const NEW_LIST: u64 = 1 + 10;

/// The estimate for a function of a library; `None` for those that cost 1 or belong to the language.
// cel-go libraries register estimators for single overloads, which take precedence over those of Kubernetes.
pub(super) fn estimate_library_call(
    call: &CostCall<'_>,
    overload: &str,
    declared: DeclaredSizes<'_>,
    regime: CostRegime,
) -> Option<CallEstimate> {
    estimate_list_function(call, overload)
        .or_else(|| estimate_set_function(call, overload))
        .or_else(|| estimate_string_function(call, declared, regime))
        .or_else(|| estimate_address_function(call, overload))
        .or_else(|| estimate_type_equality(call).filter(|_| regime.sizes_library_values))
}

/// cel-go's list functions.
// ext/lists.go, estimateListSlice, estimateListsRange, estimateListReverse, estimateListFlatten and estimateListDistinct
fn estimate_list_function(call: &CostCall<'_>, overload: &str) -> Option<CallEstimate> {
    let made = |factor, size: SizeRange| {
        Some(CallEstimate::with_size(size.pass_cost(factor).saturating_add(NEW_LIST), size))
    };
    let args = call.args.as_slice();
    match (overload, call.target.as_ref(), args) {
        ("list_slice", Some(list), [from, to]) => {
            let end = literal_integer(to).unwrap_or(list.size().max);
            // A start behind the end wraps around in the server too.
            made(1.0, SizeRange::exact_size(end.wrapping_sub(literal_integer(from).unwrap_or(0))))
        }
        ("lists_range", None, [count]) => {
            made(1.0, SizeRange::exact_size(literal_integer(count).unwrap_or(UNKNOWN)))
        }
        ("list_reverse" | "list_flatten", Some(list), []) => made(1.0, list.size()),
        ("list_flatten_int", Some(list), [depth]) => {
            made(to_float(literal_integer(depth).unwrap_or(UNKNOWN)), list.size())
        }
        ("list_distinct", Some(list), []) => made(2.0, list.size().times(list.size())),
        (sort, Some(list), []) if sort.ends_with("_sort") => made(sort_factor(sort), squared_size(list)),
        (sort, Some(_), [keys]) if sort.ends_with("_sortByAssociatedKeys") => {
            made(sort_factor(sort), squared_size(keys))
        }
        _ => None,
    }
}

// ext/lists.go, estimateListSortCost: sorting is taken for quadratic.
fn squared_size(list: &CostArgument) -> SizeRange {
    list.size().times(list.size())
}

fn sort_factor(overload: &str) -> f64 {
    let of_text = overload.starts_with("list_string") || overload.starts_with("list_bytes");
    if of_text { 2.0 + TRAVERSAL } else { 2.0 }
}

#[expect(clippy::cast_precision_loss, reason = "the server computes in floats")]
fn to_float(number: u64) -> f64 {
    number as f64
}

// ext/lists.go, nodeAsIntValue: a negative number counts as 0.
fn literal_integer(argument: &CostArgument) -> Option<u64> {
    match argument.literal {
        Some(Literal::Int(number)) => Some(u64::try_from(number).unwrap_or(0)),
        _ => None,
    }
}

// cel-go ext/sets.go, estimateSetsCost; equivalence looks in both directions.
fn estimate_set_function(call: &CostCall<'_>, overload: &str) -> Option<CallEstimate> {
    let factor = match overload {
        "list_sets_contains_list" | "list_sets_intersects_list" => 1.0,
        "list_sets_equivalent_list" => 2.0,
        _ => return None,
    };
    let [first, second] = call.args.as_slice() else { return None };
    Some(CallEstimate::from_cost(first.size().times(second.size()).pass_cost(factor).saturating_add(1)))
}

/// Functions that read strings or lists from one end to the other.
// apiserver cel/library/cost.go, CostEstimator.EstimateCallCost
fn estimate_string_function(
    call: &CostCall<'_>,
    declared: DeclaredSizes<'_>,
    regime: CostRegime,
) -> Option<CallEstimate> {
    let target = call.target.as_ref();
    Some(match (call.function, target, call.args.as_slice()) {
        ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", Some(target), _) => {
            match element_size(target, declared) {
                Some((size, is_text)) => {
                    let each = if is_text { size.pass_cost(TRAVERSAL).saturating_add(1) } else { 1 };
                    CallEstimate::from_cost(target.size().max.saturating_mul(each))
                }
                None => CallEstimate::from_cost(target.size().pass_cost(TRAVERSAL)),
            }
        }
        ("url", None, [text]) if !regime.sizes_library_values => {
            CallEstimate::from_cost(text.size().pass_cost(TRAVERSAL))
        }
        ("url", None, [text]) => CallEstimate::with_size(text.size().pass_cost(TRAVERSAL), text.size()),
        ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(text), _) => {
            CallEstimate::with_size(text.size().pass_cost(TRAVERSAL), text.size())
        }
        ("replace", Some(text), [from, to, ..]) => CallEstimate::with_size(
            text.size().pass_cost(2.0 * TRAVERSAL),
            replaced_size(text.size(), from.size(), to.size()),
        ),
        ("split", Some(text), args) => {
            let parts = args.get(1).and_then(split_limit).unwrap_or(text.size().max);
            CallEstimate::with_size(text.size().pass_cost(2.0 * TRAVERSAL), SizeRange::up_to(parts))
        }
        ("join", Some(list), args) => {
            let size = joined_size(list, args.first(), declared);
            CallEstimate::with_size(size.pass_cost(TRAVERSAL), size)
        }
        ("find" | "findAll", Some(text), [pattern, ..]) => {
            CallEstimate::with_size(regex_match_cost(text, pattern), SizeRange::up_to(text.size().max))
        }
        ("quantity" | "isQuantity", None, _) if !regime.reads_quantities => CallEstimate::from_cost(1),
        ("quantity" | "isQuantity" | "semver" | "isSemver", None, [text, ..]) => {
            CallEstimate::from_cost(text.size().pass_cost(TRAVERSAL))
        }
        ("validate", Some(_), [text]) => CallEstimate::from_cost(scale_saturating(
            text.size().pass_cost(TRAVERSAL),
            FORMAT_PATTERN * REGEX,
        )),
        _ => return None,
    })
}

/// The number of parts that a literal limit allows; a negative number sets no limit.
// The same function converts with `uint64(i)`.
#[expect(clippy::cast_sign_loss, reason = "the server converts a negative limit to a great number")]
fn split_limit(limit: &CostArgument) -> Option<u64> {
    match limit.literal {
        Some(Literal::Int(number)) => Some(number as u64),
        _ => None,
    }
}

/// The size of an element and whether it is text; `None` when the value has no element type.
// apiserver cel/library/cost.go, listElementNode, which copies the path before it adds to it (see `path`)
fn element_size(list: &CostArgument, declared: DeclaredSizes<'_>) -> Option<(SizeRange, bool)> {
    let element = list.ty.type_parameters().first().copied()?.clone();
    let path = if list.path.is_empty() { ValuePath::default() } else { list.path.step_apart("@items") };
    let size = declared.size_at(&path).unwrap_or(SizeRange::UNKNOWN);
    Some((size, matches!(element, Type::String | Type::Bytes)))
}

// cost.go, EstimateCallCost for join; without elements of a known type only separators count.
fn joined_size(
    list: &CostArgument,
    separator: Option<&CostArgument>,
    declared: DeclaredSizes<'_>,
) -> SizeRange {
    let count = list.size();
    let elements = match element_size(list, declared) {
        Some((element, _)) => count.times(element),
        None => SizeRange::exact_size(0),
    };
    let gaps = SizeRange { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
    match separator {
        Some(separator) => elements.plus(separator.size().times(gaps)),
        None => elements,
    }
}

/// The sizes a text can have after `from` was replaced by `to`.
// cost.go, EstimateCallCost for replace: an empty `from` matches around each character, else the longest result has the
// shortest `from` everywhere.
fn replaced_size(text: SizeRange, from: SizeRange, to: SizeRange) -> SizeRange {
    let (count, kept) = if from.min == 0 {
        (text.max.saturating_add(1), text.max)
    } else if to.max <= from.min {
        (0, text.max)
    } else {
        (ceil_quotient(text.max, from.min), 0)
    };
    let max = count.saturating_mul(to.max).saturating_add(kept);
    let (count, kept) = if from.max == 0 {
        (text.min.saturating_add(1), text.min)
    } else if from.max <= to.min {
        (0, text.min)
    } else {
        (ceil_quotient(text.min, from.max), 0)
    };
    SizeRange { min: count.saturating_mul(to.min).saturating_add(kept), max }
}

// apiserver cel/library/cost.go, EstimateCallCost
fn estimate_address_function(call: &CostCall<'_>, overload: &str) -> Option<CallEstimate> {
    let parse = |text: &CostArgument| text.size().pass_cost(TRAVERSAL);
    let compare = || SizeRange::up_to(2 * ADDRESS_BYTES).pass_cost(TRAVERSAL);
    let mask = || SizeRange::up_to(ADDRESS_BYTES).pass_cost(TRAVERSAL).saturating_add(1);
    let cost = match (call.function, call.target.as_ref(), call.args.as_slice()) {
        ("cidr" | "isIP" | "isCIDR" | "ip", None, [text]) => parse(text),
        ("ip.isCanonical", None, [text]) => text.size().pass_cost(2.0 * TRAVERSAL),
        ("containsIP", Some(_), [text]) if overload == "cidr_contains_ip_string" => {
            compare().saturating_add(parse(text))
        }
        ("containsIP", Some(_), [_]) => compare(),
        ("containsCIDR", Some(_), [text]) if overload == "cidr_contains_cidr_string" => {
            compare().saturating_add(mask()).saturating_add(parse(text))
        }
        ("containsCIDR", Some(_), [_]) => compare().saturating_add(mask()),
        _ => return None,
    };
    Some(CallEstimate::from_cost(cost))
}

/// Equality of the libraries' own types, whose values have no size.
// cost.go, EstimateCallCost for `_==_`. The size of a URL is read from the right operand alone (`lhSize := rhs.ComputedSize()`).
fn estimate_type_equality(call: &CostCall<'_>) -> Option<CallEstimate> {
    let ("_==_", [first, second]) = (call.function, call.args.as_slice()) else { return None };
    let (Type::Opaque(name) | Type::Object(name)) = &first.ty else { return None };
    if first.ty != second.ty {
        return None;
    }
    Some(CallEstimate::from_cost(match name.as_ref() {
        "net.IP" | "net.CIDR" | "kubernetes.Quantity" | "kubernetes.Semver" => 1,
        "kubernetes.NamedFormat" => SizeRange::up_to(FORMAT_BYTES).pass_cost(TRAVERSAL),
        "kubernetes.URL" => second.size.unwrap_or(SizeRange::exact_size(1)).pass_cost(TRAVERSAL),
        _ => return None,
    }))
}
