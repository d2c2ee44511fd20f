//! Terms as sums of other terms with factors and a constant, where orders of sums are exact: integers, durations and points in time.

use kvrules_cel::value::Value;
use kvrules_ir::{Constant, Term, TermCall};

use super::ordered_kinds::{OrderedKind, kind_of_values};
use super::terms::{TermId, TermTable};
use super::total_arithmetic::is_joined;
use crate::evaluate::value_of_constants;

/// The most terms of a sum.
const MOST_SUMMANDS: usize = 8;

/// A sum. An expression with this value ends in an error where it overflows, and is taken to be greater than any value then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinearForm {
    pub(super) kind: OrderedKind,
    /// The terms with their factors, none of which is zero, in order.
    pub(super) summands: Vec<(TermId, i128)>,
    pub(super) constant: i128,
}

impl LinearForm {
    fn constant(kind: OrderedKind, constant: i128) -> Self {
        Self { kind, summands: Vec::new(), constant }
    }

    fn term(kind: OrderedKind, id: TermId) -> Self {
        Self { kind, summands: vec![(id, 1)], constant: 0 }
    }

    /// The sum of this and `factor` times another. `None` if it is too large.
    fn plus(mut self, other: &Self, factor: i128, kind: OrderedKind) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (id, count) in &other.summands {
            let count = count.checked_mul(factor)?;
            match self.summands.iter_mut().find(|(known, _)| known == id) {
                Some((_, known)) => *known = known.checked_add(count)?,
                None => self.summands.push((*id, count)),
            }
        }
        self.summands.retain(|(_, count)| *count != 0);
        self.summands.sort_unstable();
        self.kind = kind;
        (self.summands.len() <= MOST_SUMMANDS).then_some(self)
    }

    /// True for a constant, and for one term by itself.
    pub(super) fn is_simple(&self) -> bool {
        match self.summands.as_slice() {
            [] => true,
            [(_, factor)] => *factor == 1 && self.constant == 0,
            _ => false,
        }
    }

    /// This less another of its kind.
    pub(super) fn minus(self, other: &Self) -> Option<Self> {
        let kind = self.kind;
        self.plus(other, -1, kind)
    }
}

/// The sum that a term is. `None` for terms of other kinds.
pub(super) fn linear_form(id: TermId, terms: &TermTable<'_>) -> Option<LinearForm> {
    let known = terms.get(id)?;
    match known.term {
        Term::Constant(Constant::Integer(number)) => {
            Some(LinearForm::constant(OrderedKind::Integer, (*number).into()))
        }
        Term::Tally(_) => Some(LinearForm::term(OrderedKind::Integer, id)),
        Term::Call(call) => form_of_call(id, call, &known.parts, terms),
        Term::Field(..) | Term::Index(..) | Term::Variable(_) | Term::Root(_) => {
            let kind = kind_of_values(known)?;
            is_linear(kind).then(|| LinearForm::term(kind, id))
        }
        _ => None,
    }
}

fn is_linear(kind: OrderedKind) -> bool {
    matches!(kind, OrderedKind::Integer | OrderedKind::Duration | OrderedKind::Timestamp)
}

fn form_of_call(id: TermId, call: &TermCall, parts: &[TermId], terms: &TermTable<'_>) -> Option<LinearForm> {
    let form = |part: &TermId| linear_form(*part, terms);
    match (call.function.as_str(), parts) {
        ("+", [left, right]) => {
            let (left, right) = (form(left)?, form(right)?);
            let kind = sum_kind(left.kind, right.kind)?;
            left.plus(&right, 1, kind)
        }
        ("-", [left, right]) => {
            let (left, right) = (form(left)?, form(right)?);
            let kind = difference_kind(left.kind, right.kind)?;
            left.plus(&right, -1, kind)
        }
        ("*", [left, right]) => {
            let (left, right) = (form(left)?, form(right)?);
            let (factor, of) = if left.summands.is_empty() { (left, right) } else { (right, left) };
            let is_product = factor.summands.is_empty()
                && (factor.kind, of.kind) == (OrderedKind::Integer, OrderedKind::Integer);
            let nothing = LinearForm::constant(OrderedKind::Integer, 0);
            is_product.then(|| nothing.plus(&of, factor.constant, OrderedKind::Integer)).flatten()
        }
        ("neg", [of]) => {
            let of = form(of)?;
            let nothing = LinearForm::constant(of.kind, 0);
            (of.kind != OrderedKind::Timestamp).then(|| nothing.minus(&of)).flatten()
        }
        ("size", [of]) => {
            let of_sum = || size_of_sum(*of, terms);
            of_sum().or_else(|| Some(LinearForm::term(OrderedKind::Integer, id)))
        }
        ("int" | "indexOf" | "lastIndexOf", _) => Some(LinearForm::term(OrderedKind::Integer, id)),
        ("duration", [_]) => Some(time_form(id, OrderedKind::Duration, terms)),
        ("timestamp", [_]) => Some(time_form(id, OrderedKind::Timestamp, terms)),
        _ => None,
    }
}

/// The size of a text or list that is joined of two others, whose sizes are named or known.
fn size_of_sum(of: TermId, terms: &TermTable<'_>) -> Option<LinearForm> {
    let known = terms.get(of)?;
    match known.term {
        Term::Call(call) if call.function == "+" && is_joined(of, terms) => {
            let [left, right] = known.parts.as_slice() else { return None };
            let (left, right) = (size_of_sum(*left, terms)?, size_of_sum(*right, terms)?);
            left.plus(&right, 1, OrderedKind::Integer)
        }
        Term::List(items) => {
            Some(LinearForm::constant(OrderedKind::Integer, i128::try_from(items.len()).ok()?))
        }
        Term::Constant(Constant::Text(text)) => {
            Some(LinearForm::constant(OrderedKind::Integer, i128::try_from(text.chars().count()).ok()?))
        }
        _ => Some(LinearForm::term(OrderedKind::Integer, terms.size_of(of)?)),
    }
}

/// A time that is read from a text, or from a constant.
fn time_form(id: TermId, kind: OrderedKind, terms: &TermTable<'_>) -> LinearForm {
    let value = terms.get(id).and_then(|known| value_of_constants(known.term));
    let constant = match value {
        Some(Value::Duration(nanos)) => Some(nanos.into()),
        Some(Value::Timestamp(time)) => {
            Some(i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos))
        }
        _ => None,
    };
    constant.map_or_else(|| LinearForm::term(kind, id), |constant| LinearForm::constant(kind, constant))
}

fn sum_kind(left: OrderedKind, right: OrderedKind) -> Option<OrderedKind> {
    use OrderedKind::{Duration, Integer, Timestamp};
    match (left, right) {
        (Integer, Integer) => Some(Integer),
        (Duration, Duration) => Some(Duration),
        (Timestamp, Duration) | (Duration, Timestamp) => Some(Timestamp),
        _ => None,
    }
}

fn difference_kind(left: OrderedKind, right: OrderedKind) -> Option<OrderedKind> {
    use OrderedKind::{Duration, Integer, Timestamp};
    match (left, right) {
        (Integer, Integer) => Some(Integer),
        (Duration, Duration) | (Timestamp, Timestamp) => Some(Duration),
        (Timestamp, Duration) => Some(Timestamp),
        _ => None,
    }
}
