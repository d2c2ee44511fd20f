//! Cost of a call at run time.
//!
//! Numbers and rules are facts of cel-go's cost tracker and of Kubernetes' estimator; the recorded costs of
//! `crd-cases.jsonl` hold them.

use super::{Machine, Result1, lib};
use crate::ast::{Expr, operators};
use crate::types::escape_property;
use crate::value::Value;

/// The limit of one evaluation on the server.
pub const CALL_LIMIT: u64 = 1_000_000;

/// A list literal.
pub(super) const LIST: u64 = 10;
/// A map literal.
pub(super) const MAP: u64 = 30;

/// A tenth of a size, rounded up: what it costs to read a string.
fn tenth(size: u64) -> u64 {
    size.div_ceil(10)
}

/// A quarter of a pattern's length, rounded up.
fn quarter(size: u64) -> u64 {
    size.div_ceil(4)
}

/// The cost of a call, of which arguments and result are known. `ambiguous`: the compiler could not tell which
/// overload it is, so that the server charges the least.
pub(super) fn call(name: &str, args: &[Result1], result: &Result1, ambiguous: bool) -> u64 {
    let size = |index: usize| args.get(index).map_or(0, actual_size);
    let first = || args.first().and_then(|arg| arg.as_ref().ok());
    match name {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            args.first().map_or(0, |arg| arg.as_ref().map_or(1, traversal))
        }
        "ip" if matches!(first(), Some(Value::Cidr(..))) => 1,
        "ip" | "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR"
        | "quantity" | "isQuantity" | "semver" | "isSemver" => tenth(size(0)),
        "replace" | "split" | "ip.isCanonical" => tenth(2 * size(0)),
        "join" => tenth(2 * actual_size(result)),
        "find" | "findAll" | "matches" => tenth(size(0) + 1) * quarter(size(1)),
        "containsIP" | "containsCIDR" => network(name, args, ambiguous),
        "validate" => match first() {
            Some(Value::Format(format)) => tenth(size(1) + 1) * quarter(lib::format::pattern_size(format)),
            _ => 1,
        },
        "sets.contains" | "sets.intersects" => 1 + size(0) * size(1),
        "sets.equivalent" => 1 + 2 * size(0) * size(1),
        "slice" | "reverse" | "lists.range" => 1 + LIST + actual_size(result),
        "flatten" => 1 + LIST + size(0) * depth(args),
        "sort" if ambiguous => 1,
        "distinct" | "sort" => first().map_or(1, lib::lists::compare_cost),
        operators::EQUALS | operators::NOT_EQUALS => equality(name, first(), size(0).min(size(1))),
        "startsWith" | "endsWith" => tenth(size(0)),
        "contains" => tenth(size(0)) * tenth(size(1)),
        _ if ambiguous => 1,
        "bytes" | "string" | "strings.quote" | "format" => text(name, first(), size(0)),
        operators::IN if matches!(args.get(1), Some(Ok(Value::List(_)))) => size(1),
        operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS
            if of_text(args) =>
        {
            tenth(size(0).min(size(1)))
        }
        operators::ADD if of_text(args) => tenth(size(0) + size(1)),
        _ => 1,
    }
}

/// The size the server takes an argument to have; 1 where there is none.
fn actual_size(value: &Result1) -> u64 {
    fn value_size(value: &Value) -> u64 {
        match value {
            Value::Optional(Some(inner)) => value_size(inner),
            value => value.cel_size().unwrap_or(1),
        }
    }
    value.as_ref().map_or(1, value_size)
}

/// True if the operands with a value are strings or bytes, and at least one has a value.
fn of_text(args: &[Result1]) -> bool {
    let mut known = args.iter().flatten().peekable();
    known.peek().is_some() && known.all(|value| matches!(value, Value::String(_) | Value::Bytes(_)))
}

/// Reading a value to the end; strings by their bytes, rounded down.
fn traversal(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64 / 10,
        Value::Bytes(bytes) => bytes.len() as u64 / 10,
        Value::List(list) => list.items.iter().map(traversal).sum(),
        Value::Map(map) => map.iter().map(|(key, value)| traversal(&key.to_value()) + traversal(value)).sum(),
        Value::Object(object) => {
            let name =
                |name: &str| escape_property(name).map_or(name.len(), |escaped| escaped.len()) as u64 / 10;
            object.fields.iter().map(|(field, value)| name(field) + traversal(value)).sum()
        }
        _ => 1,
    }
}

/// Values of Kubernetes' libraries on the left cost 1 to compare.
fn equality(name: &str, left: Option<&Value>, smaller: u64) -> u64 {
    let library = matches!(
        left,
        Some(
            Value::Quantity(_)
                | Value::Ip(_)
                | Value::Cidr(..)
                | Value::Url(_)
                | Value::Semver(_)
                | Value::Format(_)
        )
    );
    if library && name == operators::EQUALS { 1 } else { tenth(smaller) }
}

/// Conversions between text and bytes read it; others cost 1.
fn text(name: &str, first: Option<&Value>, size: u64) -> u64 {
    match (name, first) {
        ("bytes", Some(Value::String(_)))
        | ("string", Some(Value::Bytes(_)))
        | ("strings.quote" | "format", _) => tenth(size),
        _ => 1,
    }
}

fn depth(args: &[Result1]) -> u64 {
    match args.get(1) {
        Some(Ok(Value::Int(depth))) => u64::try_from(*depth).unwrap_or(0),
        _ => 1,
    }
}

fn network(name: &str, args: &[Result1], ambiguous: bool) -> u64 {
    let size = |index: usize| args.get(index).map_or(0, actual_size);
    let mut cost = tenth(2 * size(0));
    if name == "containsCIDR" {
        cost += tenth(size(0)) + 1;
    }
    let parsed = matches!(args.get(1), Some(Ok(Value::String(_)) | Err(_)));
    if parsed && !ambiguous {
        cost += tenth(size(1));
    }
    cost
}

impl<'a> Machine<'a> {
    /// True if the compiler could not choose one overload. One operand of known type is enough if strings
    /// only go with strings, and for `in` the right one alone.
    pub(super) fn is_ambiguous(&self, name: &str, operands: &[&'a Expr]) -> bool {
        let mut unknown = operands.iter().map(|operand| self.shape(operand).is_dyn());
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
