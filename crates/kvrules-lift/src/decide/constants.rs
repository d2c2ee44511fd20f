//! Values and orders of constants.

use std::cmp::Ordering;

use kvrules_ir::{Constant, Term, TermCall};

use crate::evaluate::FormulaScope;
use crate::facts::divisor_of;

/// True for a function of constants that has a value, such as `duration('1h')`.
pub(super) fn has_constant_value(term: &Term) -> bool {
    fn is_constant(term: &Term) -> bool {
        match term {
            Term::Constant(_) => true,
            Term::Call(call) => call.arguments.iter().all(is_constant),
            _ => false,
        }
    }
    is_constant(term) && FormulaScope::new().value_of(term).is_some()
}

/// True for a division by a number that is written out and not zero.
pub(super) fn has_constant_divisor(call: &TermCall) -> bool {
    match divisor_of(call) {
        Some(Term::Constant(Constant::Integer(number))) => *number != 0,
        Some(Term::Constant(Constant::Unsigned(number))) => *number != 0,
        Some(Term::Constant(Constant::Float(_))) => true,
        _ => false,
    }
}

/// The order of two constants of one type, as the language has it.
pub(super) fn order_constants(one: &Constant, other: &Constant) -> Option<Ordering> {
    match (one, other) {
        (Constant::Integer(one), Constant::Integer(other)) => Some(one.cmp(other)),
        (Constant::Unsigned(one), Constant::Unsigned(other)) => Some(one.cmp(other)),
        (Constant::Text(one), Constant::Text(other)) => Some(one.cmp(other)),
        (Constant::Boolean(one), Constant::Boolean(other)) => Some(one.cmp(other)),
        _ => None,
    }
}
