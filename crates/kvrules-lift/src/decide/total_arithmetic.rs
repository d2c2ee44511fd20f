//! Arithmetic that has a value whenever its operands have.

use kvrules_cel::types::keyword_value;
use kvrules_ir::{Constant, Term};
use kvrules_kubernetes::keywords::LIST_TYPE;
use serde_json::Value as Json;

use super::ordered_kinds::{OrderedKind, kind_of_values};
use super::terms::{KnownTerm, TermId, TermTable};

/// The most entries or characters that a value of JSON can have, and more.
const LONGEST: i128 = 1 << 53;

/// True for arithmetic that ends in no error if its operands have values: on integers whose bounds show that the result is one, on
/// texts and on lists.
pub(super) fn is_total_arithmetic(id: TermId, terms: &TermTable<'_>) -> bool {
    cannot_overflow(id, terms) || is_joined(id, terms)
}

fn cannot_overflow(id: TermId, terms: &TermTable<'_>) -> bool {
    let is_arithmetic = |known: &KnownTerm<'_>| matches!(known.term, Term::Call(call) if matches!(call.function.as_str(), "+" | "-" | "*" | "neg"));
    terms.get(id).is_some_and(is_arithmetic) && bounds_of(id, terms).is_some()
}

/// The least and the greatest value of an integer that certainly is one.
fn bounds_of(id: TermId, terms: &TermTable<'_>) -> Option<[i128; 2]> {
    let known = terms.get(id)?;
    let part = |at: usize| bounds_of(*known.parts.get(at)?, terms);
    let bounds = match known.term {
        Term::Constant(Constant::Integer(number)) => [i128::from(*number); 2],
        Term::Call(call) => match call.function.as_str() {
            "size" => {
                let [least, most] = known.range?.whole_ends();
                [least.unwrap_or(0), most.unwrap_or(LONGEST)]
            }
            "+" => {
                let ([least, most], [other_least, other_most]) = (part(0)?, part(1)?);
                [least + other_least, most + other_most]
            }
            "-" => {
                let ([least, most], [other_least, other_most]) = (part(0)?, part(1)?);
                [least - other_most, most - other_least]
            }
            "*" => {
                let (one, other) = (part(0)?, part(1)?);
                let products = one.iter().flat_map(|one| other.iter().map(move |other| one * other));
                [products.clone().min()?, products.max()?]
            }
            "neg" => {
                let [least, most] = part(0)?;
                [-most, -least]
            }
            _ => return None,
        },
        _ if kind_of_values(known)? == OrderedKind::Integer => {
            let [least, most] = known.range?.whole_ends();
            [least?, most?]
        }
        _ => return None,
    };
    // All parts are integers too, so that products are small enough.
    let [least, most] = bounds;
    (least >= i64::MIN.into() && most <= i64::MAX.into()).then_some(bounds)
}

/// True for the sum of texts, or of lists that keep all items in their order.
pub(super) fn is_joined(id: TermId, terms: &TermTable<'_>) -> bool {
    let is_sum = terms.get(id).is_some_and(|known| matches!(known.term, Term::Call(_)));
    is_sum && (is_made_of(id, terms, is_text) || is_made_of(id, terms, is_plain_list))
}

fn is_made_of(id: TermId, terms: &TermTable<'_>, is_operand: fn(&KnownTerm<'_>) -> bool) -> bool {
    let Some(known) = terms.get(id) else { return false };
    match known.term {
        Term::Call(call) if call.function == "+" => {
            known.parts.iter().all(|part| is_made_of(*part, terms, is_operand))
        }
        _ => is_operand(known),
    }
}

fn is_text(known: &KnownTerm<'_>) -> bool {
    match known.term {
        Term::Constant(constant) => matches!(constant, Constant::Text(_)),
        Term::Call(_) => false,
        _ => kind_of_values(known) == Some(OrderedKind::Text),
    }
}

/// A list without a type keeps equal items apart.
fn is_plain_list(known: &KnownTerm<'_>) -> bool {
    let is_array = |node: &Json| {
        let list_type = keyword_value(node, LIST_TYPE).and_then(Json::as_str);
        keyword_value(node, "type").is_some_and(|it| it == "array")
            && list_type.is_none_or(|it| it == "atomic")
    };
    match known.term {
        Term::List(_) => true,
        Term::Root(_) | Term::Field(..) => !known.may_be_null && known.node.is_some_and(is_array),
        _ => false,
    }
}
