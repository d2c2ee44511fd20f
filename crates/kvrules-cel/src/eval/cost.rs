//! Cost of a call at run time.
//!
//! Numbers and rules are facts of cel-go's cost tracker and of Kubernetes' estimator; the recorded costs of
//! `crd-cases.jsonl` hold them.

use super::{EvalResult, Evaluator, lib};
use crate::ast::{Expr, operators};
use crate::kubernetes::RuntimeRegime;
use crate::types::escape_property;
use crate::value::Value;

/// The limit of one evaluation on the server.
// apiserver pkg/apis/cel/config.go, PerCallLimit
pub const CALL_LIMIT: u64 = 1_000_000;

/// A list literal.
pub(super) const LIST: u64 = 10;
/// A map literal.
pub(super) const MAP: u64 = 30;

/// A message.
pub(super) const MESSAGE: u64 = 40;

/// A tenth of a size, rounded up: what it costs to read a string.
fn tenth_rounded_up(size: u64) -> u64 {
    size.div_ceil(10)
}

/// A quarter of a pattern's length, rounded up.
fn quarter_rounded_up(size: u64) -> u64 {
    size.div_ceil(4)
}

/// The cost of a check of authorization, so that an expression can make two of them.
// apiserver pkg/cel/library/cost.go, CostEstimator.CallCost
const AUTHORIZATION: u64 = 350_000;
/// The cost of one requirement of a selector: a list and a struct.
// apiserver pkg/cel/library/cost.go, costPerRequirement
const REQUIREMENT: u64 = 50;

/// The cost of a call, of which arguments and result are known. `ambiguous`: the compiler could not determine which
/// overload it is, so that the server charges the least.
// cel-go interpreter/runtimecost.go, CostTracker.costCall; apiserver pkg/cel/library/cost.go, CostEstimator.CallCost
pub(super) fn call_cost(
    name: &str,
    args: &[EvalResult],
    result: &EvalResult,
    ambiguous: bool,
    costs: RuntimeRegime,
) -> u64 {
    let size = |index: usize| args.get(index).map_or(0, actual_size);
    let first = || args.first().and_then(|arg| arg.as_ref().ok());
    if !costs.charges_libraries && is_library_function(name) {
        return 1;
    }
    match name {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            args.first().map_or(0, |arg| arg.as_ref().map_or(1, traversal_cost))
        }
        "ip" if matches!(first(), Some(Value::Cidr(..))) => 1,
        "quantity" | "isQuantity" if !costs.reads_quantities => 1,
        "ip" | "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR"
        | "quantity" | "isQuantity" | "semver" | "isSemver" => tenth_rounded_up(size(0)),
        "replace" | "split" | "ip.isCanonical" => tenth_rounded_up(2 * size(0)),
        "join" => tenth_rounded_up(2 * actual_size(result)),
        "find" | "findAll" | "matches" => tenth_rounded_up(size(0) + 1) * quarter_rounded_up(size(1)),
        "check" => AUTHORIZATION,
        // library/cost.go, selectorCostEstimate
        "fieldSelector" | "labelSelector" => {
            LIST + tenth_rounded_up(size(1)) + size(1).div_ceil(2).saturating_mul(REQUIREMENT)
        }
        "containsIP" | "containsCIDR" => network_cost(name, args, ambiguous),
        "validate" => match first() {
            Some(Value::Format(format)) => {
                tenth_rounded_up(size(1) + 1) * quarter_rounded_up(lib::format::pattern_size(format))
            }
            _ => 1,
        },
        // cel-go ext/sets.go, trackSetsCost
        "sets.contains" | "sets.intersects" => 1 + size(0) * size(1),
        "sets.equivalent" => 1 + 2 * size(0) * size(1),
        // cel-go ext/lists.go, trackListOutputSize
        "slice" | "reverse" | "lists.range" => 1 + LIST + actual_size(result),
        // cel-go ext/lists.go, trackListFlatten
        "flatten" => 1 + LIST + size(0) * argument_depth(args),
        "sort" if ambiguous => 1,
        // cel-go ext/lists.go, trackListDistinct and trackListSort
        "distinct" | "sort" => first().map_or(1, lib::lists::compare_cost),
        operators::EQUALS | operators::NOT_EQUALS => equality_cost(name, first(), size(0).min(size(1))),
        "startsWith" | "endsWith" => tenth_rounded_up(size(0)),
        "contains" => tenth_rounded_up(size(0)) * tenth_rounded_up(size(1)),
        _ if ambiguous => 1,
        "bytes" | "string" | "strings.quote" | "format" => text_conversion_cost(name, first(), size(0)),
        operators::IN if matches!(args.get(1), Some(Ok(Value::List(_)))) => size(1),
        operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS
            if of_text(args) =>
        {
            tenth_rounded_up(size(0).min(size(1)))
        }
        operators::ADD if of_text(args) => tenth_rounded_up(size(0) + size(1)),
        _ => 1,
    }
}

/// The functions that have an overload in Kubernetes' estimator.
#[rustfmt::skip]
const LIBRARY_FUNCTIONS: &[&str] = &[
    "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "ip", "url", "lowerAscii", "upperAscii", "substring",
    "trim", "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver", "replace", "split",
    "ip.isCanonical", "join", "find", "findAll", "check", "fieldSelector", "labelSelector", "containsIP",
    "containsCIDR", "validate",
];

/// True for functions whose costs are those of Kubernetes' estimator, and not of cel-go.
// apiserver pkg/cel/library/cost.go, CostEstimator.CallCost
fn is_library_function(name: &str) -> bool {
    LIBRARY_FUNCTIONS.contains(&name)
}

/// The size that the server assumes for an argument; 1 without one.
// cel-go interpreter/runtimecost.go, CostTracker.actualSize: the size of an error is 1 as well
fn actual_size(value: &EvalResult) -> u64 {
    fn value_size(value: &Value) -> u64 {
        match value {
            Value::Optional(Some(inner)) => value_size(inner),
            value => value.cel_size().unwrap_or(1),
        }
    }
    value.as_ref().map_or(1, value_size)
}

/// True if the operands with a value are strings or bytes, and at least one has a value.
fn of_text(args: &[EvalResult]) -> bool {
    let mut known = args.iter().flatten().peekable();
    known.peek().is_some() && known.all(|value| matches!(value, Value::String(_) | Value::Bytes(_)))
}

/// Reading a value to the end; strings by their bytes, rounded down.
// apiserver pkg/cel/library/cost.go, traversalCost: the fraction is dropped here, while other costs are rounded up
fn traversal_cost(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64 / 10,
        Value::Bytes(bytes) => bytes.len() as u64 / 10,
        Value::List(list) => list.items.iter().map(traversal_cost).sum(),
        Value::Map(map) => {
            map.iter().map(|(key, value)| traversal_cost(&key.to_value()) + traversal_cost(value)).sum()
        }
        Value::Object(object) => {
            let name =
                |name: &str| escape_property(name).map_or(name.len(), |escaped| escaped.len()) as u64 / 10;
            object.fields.iter().map(|(field, value)| name(field) + traversal_cost(value)).sum()
        }
        _ => 1,
    }
}

/// Values of Kubernetes' libraries on the left cost 1 to compare.
// apiserver pkg/cel/library/cost.go, CostEstimator.CallCost: `_==_` is listed there, and `_!=_` is not
fn equality_cost(name: &str, left: Option<&Value>, smaller: u64) -> u64 {
    if is_library_value(left) && name == operators::EQUALS { 1 } else { tenth_rounded_up(smaller) }
}

/// True for values of Kubernetes' libraries.
fn is_library_value(value: Option<&Value>) -> bool {
    matches!(
        value,
        Some(
            Value::Quantity(_)
                | Value::Ip(_)
                | Value::Cidr(..)
                | Value::Url(_)
                | Value::Semver(_)
                | Value::Format(_)
                | Value::Authorization(_)
        )
    )
}

/// Conversions between text and bytes read it; others cost 1.
// cel-go interpreter/runtimecost.go, CostTracker.costCall
fn text_conversion_cost(name: &str, first: Option<&Value>, size: u64) -> u64 {
    match (name, first) {
        ("bytes", Some(Value::String(_)))
        | ("string", Some(Value::Bytes(_)))
        | ("strings.quote" | "format", _) => tenth_rounded_up(size),
        _ => 1,
    }
}

fn argument_depth(args: &[EvalResult]) -> u64 {
    match args.get(1) {
        Some(Ok(Value::Int(depth))) => u64::try_from(*depth).unwrap_or(0),
        _ => 1,
    }
}

// apiserver pkg/cel/library/cost.go, CostEstimator.CallCost: the overload decides if a text has to be parsed
fn network_cost(name: &str, args: &[EvalResult], ambiguous: bool) -> u64 {
    let size = |index: usize| args.get(index).map_or(0, actual_size);
    let mut cost = tenth_rounded_up(2 * size(0));
    if name == "containsCIDR" {
        cost += tenth_rounded_up(size(0)) + 1;
    }
    let parsed = matches!(args.get(1), Some(Ok(Value::String(_)) | Err(_)));
    if parsed && !ambiguous {
        cost += tenth_rounded_up(size(1));
    }
    cost
}

impl<'a> Evaluator<'a> {
    /// True if the compiler could not choose one overload. One operand of known type is enough if strings
    /// only go with strings, and for `in` the right one alone.
    pub(super) fn is_ambiguous(&self, name: &str, operands: &[&'a Expr]) -> bool {
        let mut unknown = operands.iter().map(|operand| self.expression_shape(operand).is_dyn());
        match name {
            operators::IN => unknown.next_back().unwrap_or(false),
            operators::ADD
            | operators::LESS
            | operators::LESS_EQUALS
            | operators::GREATER
            | operators::GREATER_EQUALS => unknown.all(|unknown| unknown),
            "string" | "bytes" | "containsIP" | "containsCIDR" | "sort" => unknown.any(|unknown| unknown),
            _ => false,
        }
    }
}
