//! Lists: slices, order, sums, positions.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::{EvalResult, Native, int_value, no_such_overload};
use crate::value::{ErrorKind, EvalError, Key, List, Value};

pub(super) fn find_list_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("lists.range", false) => range,
        ("slice", true) => slice,
        ("flatten", true) => flatten,
        ("distinct", true) => distinct,
        ("reverse", true) => |args| with_list(args, |list| Ok(list.items.iter().rev().cloned().collect())),
        ("sort", true) => |args| with_list(args, |list| sorted(&list.items, &list.items)),
        ("isSorted", true) => is_sorted,
        ("sum", true) => sum,
        ("min", true) => |args| extreme(args, Ordering::Less, "min"),
        ("max", true) => |args| extreme(args, Ordering::Greater, "max"),
        ("first", true) => |args| end(args, <[Value]>::first),
        ("last", true) => |args| end(args, <[Value]>::last),
        _ => return None,
    })
}

/// The server's cost tracker fails on these functions when the list is an error.
// cel-go ext/lists.go, trackListDistinct and trackListSort: they assert that the argument is a list
pub(in crate::eval) fn check_arguments(name: &str, args: &[EvalResult]) -> Result<(), EvalError> {
    match args.first() {
        Some(Err(_)) if matches!(name, "sort" | "distinct") => Err(not_a_list()),
        _ => Ok(()),
    }
}

/// Returns the server's error when its cost tracker fails.
pub(in crate::eval) fn not_a_list() -> EvalError {
    EvalError::internal_error("interface conversion: *types.Err is not traits.Lister: missing method Add")
}

/// The cost of comparing all elements with each other; text costs a tenth more.
// cel-go ext/lists.go, trackListSelfCompare: the first element decides if all of them count as text
pub(in crate::eval) fn compare_cost(list: &Value) -> u64 {
    let Value::List(list) = list else { return 1 };
    let size = list.items.len() as u64;
    let pairs = size.saturating_mul(size);
    let text = matches!(list.items.first(), Some(Value::String(_) | Value::Bytes(_)));
    let compared = pairs.saturating_mul(2).saturating_add(if text { pairs / 10 } else { 0 });
    compared.saturating_add(11)
}

/// The elements in the order of their keys.
pub(in crate::eval) fn sort_by_keys(list: &Value, keys: &[Value]) -> EvalResult {
    let Value::List(list) = list else { return no_such_overload() };
    sorted(&list.items, keys).map(Value::from_items)
}

fn with_list(args: &[Value], work: fn(&List) -> Result<Vec<Value>, EvalError>) -> EvalResult {
    match args {
        [Value::List(list)] => work(list).map(Value::from_items),
        _ => no_such_overload(),
    }
}

// cel-go ext/lists.go, sortListByAssociatedKeys
fn sorted(items: &[Value], keys: &[Value]) -> Result<Vec<Value>, EvalError> {
    let Some(first) = keys.first() else { return Ok(Vec::new()) };
    if keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Err(EvalError::new("list elements must have the same type"));
    }
    if first.try_compare(first).is_err() {
        return Err(EvalError::new("list elements must be comparable"));
    }
    let mut pairs: Vec<(&Value, &Value)> = keys.iter().zip(items).collect();
    pairs.sort_by(|(a, _), (b, _)| a.try_compare(b).ok().flatten().unwrap_or(Ordering::Equal));
    Ok(pairs.into_iter().map(|(_, item)| item.clone()).collect())
}

/// More elements than these would pass any cost limit.
const RANGE_LIMIT: i64 = 10_000_000;

// cel-go ext/lists.go, genRange
fn range(args: &[Value]) -> EvalResult {
    match args {
        [Value::Int(count)] if *count > RANGE_LIMIT => Err(EvalError::operation_cancelled()),
        [Value::Int(count)] => Ok(Value::from_items((0..*count).map(Value::Int).collect())),
        _ => no_such_overload(),
    }
}

// cel-go ext/lists.go, slice
fn slice(args: &[Value]) -> EvalResult {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = args else { return no_such_overload() };
    let length = list.items.len();
    if *start < 0 || *end < 0 {
        let message = format!("cannot slice({start}, {end}), negative indexes not supported");
        return Err(EvalError::new(message));
    }
    if start > end {
        let message =
            format!("cannot slice({start}, {end}), start index must be less than or equal to end index");
        return Err(EvalError::new(message));
    }
    let bounds = usize::try_from(*start).ok().zip(usize::try_from(*end).ok());
    match bounds.and_then(|(start, end)| list.items.get(start..end)) {
        Some(items) => Ok(Value::from_items(items.to_vec())),
        None => Err(EvalError::new(format!("cannot slice({start}, {end}), list is length {length}"))),
    }
}

// cel-go ext/lists.go, flatten
fn flatten(args: &[Value]) -> EvalResult {
    let (list, depth) = match args {
        [Value::List(list)] => (list, 1),
        [Value::List(list), Value::Int(depth)] if *depth >= 0 => (list, *depth),
        [Value::List(_), Value::Int(_)] => return Err(EvalError::new("level must be non-negative")),
        _ => return no_such_overload(),
    };
    let mut flat = Vec::new();
    flatten_into(list, depth, &mut flat);
    Ok(Value::from_items(flat))
}

fn flatten_into(list: &List, depth: i64, flat: &mut Vec<Value>) {
    for item in &list.items {
        match item {
            Value::List(inner) if depth > 0 => flatten_into(inner, depth - 1, flat),
            other => flat.push(other.clone()),
        }
    }
}

// cel-go ext/lists.go, distinctList, which compares all pairs; keys give the same result in less time
fn distinct(args: &[Value]) -> EvalResult {
    let [Value::List(list)] = args else { return no_such_overload() };
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let mut kept: Vec<Value> = Vec::new();
    for item in &list.items {
        let is_new = match equality_key(item) {
            Some(key) => seen.insert(key),
            None => !kept.iter().any(|other| item.try_equals(other).unwrap_or(false)),
        };
        if is_new {
            kept.push(item.clone());
        }
    }
    Ok(Value::from_items(kept))
}

/// Returns a key that is the same for equal values, also for equal numbers of several types.
fn equality_key(item: &Value) -> Option<Key> {
    let Some(integer) = item.integer() else { return item.to_key() };
    let int = i64::try_from(integer).map(Key::Int).ok();
    int.or_else(|| u64::try_from(integer).map(Key::Uint).ok()).or_else(|| item.to_key())
}

// apiserver pkg/cel/library/lists.go, isSorted: what cannot be compared with each other is not out of order
fn is_sorted(args: &[Value]) -> EvalResult {
    let items = of_types(args, &COMPARABLE)?;
    let mut before: Option<&Value> = None;
    for item in items {
        check_comparable(item)?;
        if before.is_some_and(|before| compares_as(before, item, Ordering::Greater)) {
            return Ok(Value::Bool(false));
        }
        before = Some(item);
    }
    Ok(Value::Bool(true))
}

// apiserver pkg/cel/library/lists.go, summableTypes and comparableTypes
const SUMMABLE: [&str; 4] = ["int", "uint", "double", "google.protobuf.Duration"];
const COMPARABLE: [&str; 8] = [
    "int",
    "uint",
    "double",
    "bool",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "string",
    "bytes",
];

/// The elements of a list of one of these types, which the first element decides.
// cel-go common/types/types.go, defaultIsAssignableRuntimeType
fn of_types<'a>(args: &'a [Value], types: &[&str]) -> Result<&'a [Value], EvalError> {
    let [Value::List(list)] = args else { return Err(EvalError::no_such_overload()) };
    if let Some(first) = list.items.first()
        && !types.contains(&first.clone().into_result()?.type_name())
    {
        return Err(EvalError::no_such_overload());
    }
    Ok(&list.items)
}

/// True if a comparison has a result and it is the wanted one.
fn compares_as(left: &Value, right: &Value, wanted: Ordering) -> bool {
    matches!(left.try_compare(right), Ok(Some(ordering)) if ordering == wanted)
}

fn check_comparable(item: &Value) -> Result<(), EvalError> {
    match item.clone().into_result()?.try_compare(item) {
        Ok(_) => Ok(()),
        Err(_) => Err(EvalError::argument_mismatch()),
    }
}

// apiserver pkg/cel/library/lists.go, sum
fn sum(args: &[Value]) -> EvalResult {
    let add = super::operators::find(crate::ast::operators::ADD).ok_or_else(EvalError::no_such_overload)?;
    let mut items = of_types(args, &SUMMABLE)?.iter();
    let Some(first) = items.next() else {
        return Ok(Value::Int(0)); // If the type of the elements is unknown; see `Evaluator::zero_of_sum`
    };
    let plus = |sum: Value, item: &Value| {
        add(&[sum, item.clone()]).map_err(|error| match error.kind {
            ErrorKind::Overload => EvalError::argument_mismatch(),
            _ => error,
        })
    };
    items.try_fold(first.clone(), plus)
}

// apiserver pkg/cel/library/lists.go, cmp
fn extreme(args: &[Value], wanted: Ordering, name: &str) -> EvalResult {
    let mut best: Option<&Value> = None;
    for item in of_types(args, &COMPARABLE)? {
        check_comparable(item)?;
        if best.is_none_or(|best| compares_as(item, best, wanted)) {
            best = Some(item);
        }
    }
    best.cloned().ok_or_else(|| EvalError::new(format!("{name} called on empty list")))
}

/// `indexOf` and `lastIndexOf` on a list.
pub(super) fn element_index(list: &List, item: &Value, from_end: bool) -> Value {
    let found = list.position(item, from_end);
    found.map_or(Value::Int(-1), int_value)
}

fn end(args: &[Value], pick: fn(&[Value]) -> Option<&Value>) -> EvalResult {
    match args {
        [Value::List(list)] => {
            Ok(pick(&list.items).cloned().map_or(Value::Optional(None), Value::optional_of))
        }
        _ => no_such_overload(),
    }
}
