//! Cells that order two values, as bounds on the difference of the values.

use std::cmp::Ordering;
use std::sync::Arc;

use kvrules_cel::value::Value;
use kvrules_cel::value::quantity::KubeQuantity;
use kvrules_ir::{Constant, Term, TermCall};

use super::cell_kinds::{Cell, CellKind};
use super::linear_forms::{LinearForm, linear_form};
use super::ordered_kinds::{OrderedKind, kind_of_values};
use super::terms::{TermId, TermTable};
use crate::evaluate::value_of_constants;
use crate::quick_hash::QuickMap;

/// The number of a value in differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ValueId(u32);

/// The bound of a difference: it is at most the number, and less than it by something if the second part is below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bound(pub(super) i128, pub(super) i64);

impl Bound {
    pub(super) const ZERO: Self = Self(0, 0);
    /// Less than zero, for values with others between any two.
    pub(super) const BELOW_ZERO: Self = Self(0, -1);

    fn at_most(number: i128) -> Self {
        Self(number, 0)
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        Some(Self(self.0.checked_add(other.0)?, self.1.checked_add(other.1)?))
    }
}

/// `more` - `less` is at most the bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct DifferenceBound {
    pub(super) more: ValueId,
    pub(super) less: ValueId,
    pub(super) bound: Bound,
}

/// The bounds of the difference of two values that a cell implies.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderRelation {
    pub(super) one: ValueId,
    pub(super) other: ValueId,
    /// The bounds of `one` - `other` and of `other` - `one`, if the cell is true.
    if_true: [Option<Bound>; 2],
    /// The same, if it is false.
    if_false: [Option<Bound>; 2],
    /// The difference `one` - `other` that is excluded if the cell is false.
    excluded: Option<i128>,
    /// False for comparisons with constants that are examined elsewhere.
    pub(super) relates_terms: bool,
}

impl OrderRelation {
    /// The bounds that follow from the value of the cell.
    pub(super) fn bounds(&self, value: bool) -> impl Iterator<Item = DifferenceBound> + use<> {
        let [first, second] = if value { self.if_true } else { self.if_false };
        let (one, other) = (self.one, self.other);
        let first = first.map(|bound| DifferenceBound { more: one, less: other, bound });
        let second = second.map(|bound| DifferenceBound { more: other, less: one, bound });
        first.into_iter().chain(second)
    }

    /// The difference of its values that is excluded.
    pub(super) fn excluded_difference(&self, value: bool) -> Option<i128> {
        self.excluded.filter(|_| !value)
    }
}

/// A constant of a kind of values with others between any two.
#[derive(Clone, Debug)]
pub(super) enum OrderedConstant<'a> {
    Number(f64),
    Text(&'a str),
    Boolean(bool),
    Quantity(Arc<KubeQuantity>),
}

impl OrderedConstant<'_> {
    /// The order of two constants of one kind.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.partial_cmp(other),
            (Self::Text(one), Self::Text(other)) => Some(one.as_bytes().cmp(other.as_bytes())),
            (Self::Boolean(one), Self::Boolean(other)) => Some(one.cmp(other)),
            (Self::Quantity(one), Self::Quantity(other)) => Some(one.compare_to(other)),
            _ => None,
        }
    }

    fn kind(&self) -> OrderedKind {
        match self {
            Self::Number(_) => OrderedKind::Number,
            Self::Text(_) => OrderedKind::Text,
            Self::Boolean(_) => OrderedKind::Boolean,
            Self::Quantity(_) => OrderedKind::Quantity,
        }
    }
}

/// A value of which differences are bounded.
pub(super) struct DifferenceValue<'a> {
    pub(super) constant: Option<OrderedConstant<'a>>,
    /// The summands of a sum, with their factors.
    pub(super) summands: Vec<(ValueId, i128)>,
    /// The bounds that its schema has.
    pub(super) facts: Vec<DifferenceBound>,
}

#[derive(PartialEq, Eq, Hash)]
enum ValueKey<'a> {
    /// Zero.
    Origin,
    Term(TermId),
    Sum(Vec<(TermId, i128)>),
    Number(u64),
    Text(&'a str),
    Boolean(bool),
    /// A constant that a function reads.
    Read(TermId),
}

/// The values of which cells bound differences.
#[derive(Default)]
pub(super) struct DifferenceValues<'a> {
    ids: QuickMap<ValueKey<'a>, ValueId>,
    known: Vec<DifferenceValue<'a>>,
}

/// One side of a comparison.
enum Side<'a> {
    Sum(LinearForm),
    Constant(OrderedConstant<'a>, ValueKey<'a>),
    Term(OrderedKind, TermId),
}

/// A relation between two sides, or its opposite.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Less,
    LessOrEqual,
}

impl<'a> DifferenceValues<'a> {
    pub(super) fn get(&self, id: ValueId) -> Option<&DifferenceValue<'a>> {
        self.known.get(usize::try_from(id.0).ok()?)
    }

    /// The number of zero.
    pub(super) fn origin(&mut self) -> ValueId {
        self.number_of(ValueKey::Origin, || (None, Vec::new()))
    }

    fn number_of(
        &mut self,
        key: ValueKey<'a>,
        make: impl FnOnce() -> (Option<OrderedConstant<'a>>, Vec<(ValueId, i128)>),
    ) -> ValueId {
        if let Some(known) = self.ids.get(&key) {
            return *known;
        }
        let id = ValueId(u32::try_from(self.known.len()).unwrap_or(u32::MAX));
        let (constant, summands) = make();
        self.ids.insert(key, id);
        self.known.push(DifferenceValue { constant, summands, facts: Vec::new() });
        id
    }

    /// The bounds of a difference that a cell implies, if any.
    pub(super) fn relation_of(&mut self, cell: Cell, terms: &TermTable<'a>) -> Option<OrderRelation> {
        match cell.kind {
            // That a value equals itself says that it is a number.
            CellKind::Equal if cell.left == cell.right => None,
            CellKind::Equal => self
                .compared_readings(cell, terms)
                .or_else(|| self.relate(cell.left, Relation::Equal, cell.right, terms)),
            CellKind::Less => self
                .compared_readings(cell, terms)
                .or_else(|| self.relate(cell.left, Relation::Less, cell.right, terms)),
            CellKind::There | CellKind::Comparable | CellKind::AllPass(_) => None,
        }
    }

    /// A comparison by a function whose result is compared with a constant.
    fn compared_readings(&mut self, cell: Cell, terms: &TermTable<'a>) -> Option<OrderRelation> {
        let comparison = |id| match terms.get(id)?.term {
            Term::Call(function) if is_comparison(function) => {
                Some((function.function.as_str(), &terms.get(id)?.parts))
            }
            _ => None,
        };
        let constant = |id| terms.get(id)?.constant();
        let (function, parts, constant, is_left) = match (comparison(cell.left), comparison(cell.right)) {
            (Some((function, parts)), _) => (function, parts, constant(cell.right)?, true),
            (_, Some((function, parts))) => (function, parts, constant(cell.left)?, false),
            _ => return None,
        };
        let [one, other] = parts.as_slice() else { return None };
        let (one, other) = (*one, *other);
        let (relation, is_swapped, is_opposite) = relation_of_result(function, cell.kind, constant, is_left)?;
        let (one, other) = if is_swapped { (other, one) } else { (one, other) };
        let mut found = self.relate(one, relation, other, terms)?;
        if is_opposite {
            found = found.opposite()?;
        }
        Some(found)
    }

    fn relate(
        &mut self,
        left: TermId,
        relation: Relation,
        right: TermId,
        terms: &TermTable<'a>,
    ) -> Option<OrderRelation> {
        match (side_of(left, terms)?, side_of(right, terms)?) {
            (Side::Sum(left), Side::Sum(right)) if left.kind == right.kind => {
                self.relate_sums(left, relation, &right, terms)
            }
            // Between a number and an integer there are constants alone: a server rounds other integers.
            (Side::Sum(form), Side::Constant(OrderedConstant::Number(number), _))
                if form.kind == OrderedKind::Integer =>
            {
                let whole = whole_bound(number, relation, true)?;
                self.relate_sums(form, relation, &constant_sum(whole), terms)
            }
            (Side::Constant(OrderedConstant::Number(number), _), Side::Sum(form))
                if form.kind == OrderedKind::Integer =>
            {
                let whole = whole_bound(number, relation, false)?;
                self.relate_sums(constant_sum(whole), relation, &form, terms)
            }
            (left, right) => {
                let (left, right) = (as_dense(left)?, as_dense(right)?);
                (left.kind() == right.kind()).then(|| self.relate_dense(left, relation, right, terms))
            }
        }
    }

    fn relate_sums(
        &mut self,
        left: LinearForm,
        relation: Relation,
        right: &LinearForm,
        terms: &TermTable<'a>,
    ) -> Option<OrderRelation> {
        let is_examined_elsewhere = left.kind == OrderedKind::Integer
            && left.is_simple()
            && right.is_simple()
            && left.summands.len() + right.summands.len() == 1;
        let difference = left.minus(right)?;
        let (one, other, factor) = self.difference_values(&difference.summands, terms)?;
        let constant = difference.constant;
        // factor × (one - other) + constant is less than zero, at most zero, or zero.
        let strict = i128::from(relation == Relation::Less);
        let most = constant.checked_neg()?.checked_sub(strict)?.div_euclid(factor);
        let least_opposite = constant.checked_sub(1)?.checked_add(strict)?.div_euclid(factor);
        let equal_most = constant.checked_neg()?.div_euclid(factor);
        let equal_least = constant.div_euclid(factor);
        let is_whole = constant.rem_euclid(factor) == 0;
        let relates_terms = !is_examined_elsewhere;
        let at_most = |bound| Some(Bound::at_most(bound));
        Some(match relation {
            Relation::Equal => OrderRelation {
                one,
                other,
                if_true: [at_most(equal_most), at_most(equal_least)],
                if_false: [None, None],
                excluded: is_whole.then_some(equal_most),
                relates_terms,
            },
            Relation::Less | Relation::LessOrEqual => OrderRelation {
                one,
                other,
                if_true: [at_most(most), None],
                if_false: [None, at_most(least_opposite)],
                excluded: None,
                relates_terms,
            },
        })
    }

    /// Two values of which a sum is the difference, up to a factor.
    fn difference_values(
        &mut self,
        summands: &[(TermId, i128)],
        terms: &TermTable<'a>,
    ) -> Option<(ValueId, ValueId, i128)> {
        match summands {
            [] => {
                let origin = self.origin();
                Some((origin, origin, 1))
            }
            [(term, factor)] if *factor > 0 => Some((self.term(*term, terms), self.origin(), *factor)),
            [(term, factor)] => Some((self.origin(), self.term(*term, terms), factor.checked_neg()?)),
            [(one, factor), (other, opposite)] if factor.checked_neg()? == *opposite => {
                let (one, other) = (self.term(*one, terms), self.term(*other, terms));
                Some(if *factor > 0 { (one, other, *factor) } else { (other, one, *opposite) })
            }
            several => self.sum_values(several, terms),
        }
    }

    /// A sum of several terms and zero, with the factor that the sum is divided by.
    fn sum_values(
        &mut self,
        summands: &[(TermId, i128)],
        terms: &TermTable<'a>,
    ) -> Option<(ValueId, ValueId, i128)> {
        let (_, first) = summands.first()?;
        let sign = first.signum();
        let divisor = summands.iter().fold(0, |divisor, (_, count)| greatest_divisor(divisor, count.abs()));
        let reduced: Vec<(TermId, i128)> =
            summands.iter().map(|(id, count)| (*id, count / divisor * sign)).collect();
        let parts = reduced.iter().map(|(id, count)| (self.term(*id, terms), *count)).collect();
        let sum = self.number_of(ValueKey::Sum(reduced), || (None, parts));
        let origin = self.origin();
        Some(if sign > 0 { (sum, origin, divisor) } else { (origin, sum, divisor) })
    }

    fn relate_dense(
        &mut self,
        left: Side<'a>,
        relation: Relation,
        right: Side<'a>,
        terms: &TermTable<'a>,
    ) -> OrderRelation {
        let is_with_constant = matches!((&left, &right), (Side::Constant(..), _) | (_, Side::Constant(..)));
        let relates_terms = !is_with_constant || relation != Relation::Equal;
        let is_order_total = left.kind() != OrderedKind::Semver;
        let (one, other) = (self.dense_value(left, terms), self.dense_value(right, terms));
        let [zero, below] = [Some(Bound::ZERO), Some(Bound::BELOW_ZERO)];
        let (if_true, if_false) = match relation {
            Relation::Equal => ([zero, zero], [None, None]),
            Relation::Less => ([below, None], [None, zero]),
            Relation::LessOrEqual => ([zero, None], [None, below]),
        };
        let excluded = (relation == Relation::Equal && is_order_total).then_some(0);
        OrderRelation { one, other, if_true, if_false, excluded, relates_terms }
    }

    fn dense_value(&mut self, side: Side<'a>, terms: &TermTable<'a>) -> ValueId {
        match side {
            Side::Constant(constant, key) => self.number_of(key, || (Some(constant), Vec::new())),
            Side::Term(_, id) => self.term(id, terms),
            Side::Sum(_) => self.origin(),
        }
    }

    /// A term, with the bounds that its schema has.
    fn term(&mut self, id: TermId, terms: &TermTable<'a>) -> ValueId {
        let is_new = !self.ids.contains_key(&ValueKey::Term(id));
        let value = self.number_of(ValueKey::Term(id), || (None, Vec::new()));
        if is_new && let Some(known) = terms.get(id) {
            let kind = kind_of_values(known);
            let facts = match (known.range, kind) {
                (Some(range), Some(OrderedKind::Number)) => self.number_facts(value, range.ends()),
                (Some(range), _) => self.integer_facts(value, range.whole_ends()),
                (None, Some(OrderedKind::Text)) => {
                    let empty = || (Some(OrderedConstant::Text("")), Vec::new());
                    let less = self.number_of(ValueKey::Text(""), empty);
                    vec![DifferenceBound { more: less, less: value, bound: Bound::ZERO }]
                }
                (None, _) => Vec::new(),
            };
            if let Some(known) = usize::try_from(value.0).ok().and_then(|at| self.known.get_mut(at)) {
                known.facts = facts;
            }
        }
        value
    }

    fn integer_facts(&mut self, value: ValueId, ends: [Option<i128>; 2]) -> Vec<DifferenceBound> {
        let origin = self.origin();
        let [least, most] = ends;
        let above = least.and_then(i128::checked_neg).map(|bound| (origin, value, bound));
        let below = most.map(|bound| (value, origin, bound));
        let of_end = |(more, less, bound)| DifferenceBound { more, less, bound: Bound::at_most(bound) };
        above.into_iter().chain(below).map(of_end).collect()
    }

    fn number_facts(&mut self, value: ValueId, ends: [Option<f64>; 2]) -> Vec<DifferenceBound> {
        let [least, most] = ends.map(|end| {
            end.map(|end| {
                let constant = || (Some(OrderedConstant::Number(end)), Vec::new());
                self.number_of(number_key(end), constant)
            })
        });
        let above = least.map(|least| (least, value));
        let below = most.map(|most| (value, most));
        let of_end = |(more, less)| DifferenceBound { more, less, bound: Bound::ZERO };
        above.into_iter().chain(below).map(of_end).collect()
    }
}

impl OrderRelation {
    /// The same relation of a cell with the opposite value. An equality has none.
    fn opposite(self) -> Option<Self> {
        let Self { if_true, if_false, .. } = self;
        self.excluded.is_none().then_some(Self { if_true: if_false, if_false: if_true, ..self })
    }
}

impl Side<'_> {
    fn kind(&self) -> OrderedKind {
        match self {
            Self::Sum(form) => form.kind,
            Self::Constant(constant, _) => constant.kind(),
            Self::Term(kind, _) => *kind,
        }
    }
}

fn side_of<'a>(id: TermId, terms: &TermTable<'a>) -> Option<Side<'a>> {
    if let Some(form) = linear_form(id, terms) {
        return Some(Side::Sum(form));
    }
    let known = terms.get(id)?;
    match known.term {
        Term::Constant(Constant::Float(number)) if number.is_finite() => Some(number_side(*number)),
        Term::Constant(Constant::Text(text)) => {
            Some(Side::Constant(OrderedConstant::Text(text), ValueKey::Text(text)))
        }
        Term::Constant(Constant::Boolean(value)) => {
            Some(Side::Constant(OrderedConstant::Boolean(*value), ValueKey::Boolean(*value)))
        }
        Term::Call(call) => match call.function.as_str() {
            "quantity" => match value_of_constants(known.term) {
                Some(Value::Quantity(value)) => {
                    Some(Side::Constant(OrderedConstant::Quantity(value), ValueKey::Read(id)))
                }
                _ => Some(Side::Term(OrderedKind::Quantity, id)),
            },
            "semver" => Some(Side::Term(OrderedKind::Semver, id)),
            "lowerAscii" | "upperAscii" | "trim" | "substring" | "replace" | "charAt" | "join" => {
                Some(Side::Term(OrderedKind::Text, id))
            }
            _ => None,
        },
        Term::Field(..) | Term::Index(..) | Term::Variable(_) | Term::Root(_) => {
            Some(Side::Term(kind_of_values(known)?, id))
        }
        _ => None,
    }
}

fn number_side<'a>(number: f64) -> Side<'a> {
    Side::Constant(OrderedConstant::Number(number), number_key(number))
}

fn number_key<'a>(number: f64) -> ValueKey<'a> {
    // The two zeros are equal.
    ValueKey::Number((number + 0.0).to_bits())
}

/// A side for comparisons of values that have others between them: an integer constant as a number.
fn as_dense(side: Side<'_>) -> Option<Side<'_>> {
    match side {
        Side::Sum(form) if form.kind == OrderedKind::Integer && form.summands.is_empty() => {
            exact_number(form.constant).map(number_side)
        }
        Side::Sum(_) => None,
        side => Some(side),
    }
}

/// The greatest integers that numbers express exactly.
const MOST_EXACT: i128 = 1 << 53;

fn exact_number(number: i128) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "larger numbers are left out")]
    (number.abs() < MOST_EXACT).then_some(number as f64)
}

fn constant_sum(constant: i128) -> LinearForm {
    LinearForm { kind: OrderedKind::Integer, summands: Vec::new(), constant }
}

/// The integer for which an integer is in a relation exactly if it is for a number; the number is on the right if `is_right`.
fn whole_bound(number: f64, relation: Relation, is_right: bool) -> Option<i128> {
    let is_exact = number.abs() < 9_007_199_254_740_992.0;
    let rounded = match (relation, is_right) {
        (Relation::Equal, _) if number.fract() != 0.0 => return None,
        (Relation::Equal, _) => number,
        (Relation::Less, true) | (Relation::LessOrEqual, false) => number.ceil(),
        (Relation::Less, false) | (Relation::LessOrEqual, true) => number.floor(),
    };
    #[expect(clippy::cast_possible_truncation, reason = "larger numbers are left out")]
    is_exact.then_some(rounded as i128)
}

fn greatest_divisor(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { greatest_divisor(other, one % other) }
}

/// True for a function that compares two values that were read from texts.
fn is_comparison(call: &TermCall) -> bool {
    matches!(call.function.as_str(), "compareTo" | "isLessThan" | "isGreaterThan")
        && call.arguments.len() == 2
}

/// The relation that a result of a comparison shows, true if the values are swapped, and true if the opposite is meant.
fn relation_of_result(
    function: &str,
    kind: CellKind,
    constant: &Constant,
    is_left: bool,
) -> Option<(Relation, bool, bool)> {
    use Relation::{Equal, Less, LessOrEqual};
    match (function, kind, constant) {
        ("isLessThan", CellKind::Equal, Constant::Boolean(truth)) => Some((Less, false, !truth)),
        ("isGreaterThan", CellKind::Equal, Constant::Boolean(truth)) => Some((Less, true, !truth)),
        ("compareTo", CellKind::Equal, Constant::Integer(0)) => Some((Equal, false, false)),
        ("compareTo", CellKind::Equal, Constant::Integer(-1)) => Some((Less, false, false)),
        ("compareTo", CellKind::Equal, Constant::Integer(1)) => Some((Less, true, false)),
        ("compareTo", CellKind::Less, Constant::Integer(number)) => match (number, is_left) {
            (0, true) => Some((Less, false, false)),
            (1, true) => Some((LessOrEqual, false, false)),
            (0, false) => Some((Less, true, false)),
            (-1, false) => Some((LessOrEqual, true, false)),
            _ => None,
        },
        _ => None,
    }
}
