//! Values that do not equal themselves: the number `NaN`, and lists with such items. Values of JSON always do.
//!
//! An order with such a value has neither answer but ends in an error (cel-go common/types/double.go, Compare), and every equality with
//! it is false.

use kvrules_cel::types::keyword_value;
use kvrules_cel::value::Value;
use kvrules_ir::{Constant, Term, TermCall};
use serde_json::Value as Json;

use crate::evaluate::value_of_constants;

/// The values that the type of a term leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SelfEquality {
    /// The value may be a number with a point.
    may_be_double: bool,
    /// The value may differ from itself, in a part of it at least.
    pub(super) may_differ: bool,
}

/// A term that another one is computed from, or the list that a variable stands for an entry of.
#[derive(Clone, Copy)]
pub(super) struct TermPart<'t> {
    pub(super) term: &'t Term,
    /// Its schema.
    pub(super) node: Option<&'t Json>,
    pub(super) self_equality: SelfEquality,
}

/// The equality of a term with itself, by its schema and its parts.
pub(super) fn self_equality(term: &Term, node: Option<&Json>, parts: &[TermPart<'_>]) -> SelfEquality {
    let may_differ = parts.iter().any(|part| part.self_equality.may_differ);
    let with = |may_be_double, may_differ| SelfEquality { may_be_double, may_differ };
    match term {
        Term::Constant(Constant::Float(number)) => with(true, number.is_nan()),
        Term::Constant(_) | Term::Tally(_) => SelfEquality::default(),
        Term::Root(_) | Term::Field(..) | Term::Index(..) => with(may_be_double(node), may_differ),
        Term::Variable(_) => {
            let lists_none = parts.iter().any(|range| lists_no_numbers(range.term));
            with(may_be_double(node) && !lists_none, may_differ)
        }
        Term::List(_) => with(false, may_differ),
        Term::Collect(it) => with(false, may_differ || computes_number(&it.result)),
        Term::Call(call) => of_call(call, term, parts, may_differ),
    }
}

/// True for a function whose list has no numbers with a point.
fn lists_no_numbers(term: &Term) -> bool {
    matches!(term, Term::Call(call) if matches!(call.function.as_str(), "lists.range" | "split" | "findAll"))
}

fn of_call(call: &TermCall, term: &Term, parts: &[TermPart<'_>], may_differ: bool) -> SelfEquality {
    let with = |may_be_double, may_differ| SelfEquality { may_be_double, may_differ };
    let are_double = parts.iter().all(|part| part.self_equality.may_be_double);
    let are_finite = || parts.iter().all(is_finite);
    match call.function.as_str() {
        // Both operands have one type. Finite numbers have a sum, a difference and a product, which may be infinite.
        "+" | "-" | "*" | "neg" => with(are_double, may_differ || are_double && !are_finite()),
        "/" => with(are_double, may_differ || are_double),
        "double" => {
            let is_plain = parts.first().is_some_and(|of| !may_be_text(of));
            let is_number =
                || matches!(value_of_constants(term), Some(Value::Double(number)) if !number.is_nan());
            with(true, may_differ || !is_plain && !is_number())
        }
        "sum" => with(true, may_differ || !are_finite()),
        "dyn" | "min" | "max" | "first" | "last" | "asApproximateFloat" => with(true, may_differ),
        name if name.starts_with("math.") => with(true, may_differ),
        _ => with(false, may_differ),
    }
}

/// True for values of JSON and constants.
fn is_finite(part: &TermPart<'_>) -> bool {
    match part.term {
        Term::Constant(Constant::Float(number)) => number.is_finite(),
        Term::Constant(_) => true,
        term => is_data(term),
    }
}

fn is_data(term: &Term) -> bool {
    match term {
        Term::Root(_) => true,
        Term::Field(of, _) | Term::Index(of, _) => is_data(of),
        _ => false,
    }
}

fn type_of_node(node: &Json) -> Option<&str> {
    keyword_value(node, "type").and_then(Json::as_str)
}

fn may_be_double(node: Option<&Json>) -> bool {
    let ty = node.and_then(type_of_node);
    !matches!(ty, Some("integer" | "string" | "boolean" | "array" | "object"))
}

fn may_be_text(part: &TermPart<'_>) -> bool {
    match part.term {
        Term::Constant(constant) => matches!(constant, Constant::Text(_)),
        Term::Call(call) => {
            !matches!(call.function.as_str(), "size" | "int" | "uint" | "neg" | "-" | "*" | "/" | "%")
        }
        _ => !matches!(part.node.and_then(type_of_node), Some("integer" | "number")),
    }
}

/// True if a result that is computed for each entry may be `NaN`.
fn computes_number(result: &Term) -> bool {
    let mut found = false;
    result.visit_terms(&mut |term| {
        found |= matches!(term, Term::Call(call)
            if matches!(call.function.as_str(), "+" | "-" | "*" | "/" | "neg" | "double" | "sum"));
    });
    found
}
