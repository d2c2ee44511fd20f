//! Shape of a value that is not `null`.
//!
//! A shape answers for every value, also for one of a wrong type, and its constructors join shapes case by case:
//! two demands on the same field become one demand on that field, under "and" and under "or" alike. So the pretty
//! tree is the only form there is, and it means the same by construction.

use std::collections::BTreeSet;

use kvrules_ir::Interval;

use super::QuantityMode;
use super::leaf::{LeafChoice, LeafTest, ScalarConstraints};

/// Shape of a value that is not `null`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueShape {
    /// Every value.
    Anything,
    /// No value.
    Nothing,
    /// A value whose number or text passes a test.
    Leaf(ScalarConstraints),
    /// An object, seen by one of its fields.
    Field(FieldShape),
    /// A list, seen by one of its items.
    Item(ItemShape),
    /// A list, seen by all of its items.
    Items(ItemsShape),
    /// All of these.
    All(Vec<ValueShape>),
    /// At least one of these.
    Any(Vec<ValueShape>),
}

/// Requirements on a field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldShape {
    /// The field's name.
    pub(crate) name: String,
    /// True if the field may be absent; `null` counts as absent.
    pub(crate) absent: bool,
    /// True if a value that is not an object is accepted.
    pub(crate) otherwise: bool,
    /// Shape of the field's value.
    pub(crate) value: Box<ValueShape>,
}

/// Requirements on one item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemShape {
    /// Index of the item.
    pub(crate) index: usize,
    /// True if the list may end before it, or have `null` there.
    pub(crate) absent: bool,
    /// True if a value that is not a list is accepted.
    pub(crate) otherwise: bool,
    /// Shape of the item.
    pub(crate) value: Box<ValueShape>,
}

/// Requirements on the items of a list. Items that are `null` count as absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemsShape {
    /// True if one item is enough; false if each must match.
    pub(crate) one: bool,
    /// True if a value that is not a list is accepted.
    pub(crate) otherwise: bool,
    /// Shape of such an item.
    pub(crate) item: Box<ValueShape>,
}

impl ValueShape {
    /// A value that passes a check.
    pub(crate) fn leaf(check: LeafTest) -> Self {
        Self::Leaf(ScalarConstraints { check, negated: false })
    }

    /// One of these values.
    pub(crate) fn one_of(choices: impl IntoIterator<Item = LeafChoice>) -> Self {
        let choices: BTreeSet<LeafChoice> = choices.into_iter().collect();
        if choices.is_empty() { Self::Nothing } else { Self::leaf(LeafTest::OneOf(choices)) }
    }

    /// All of these.
    pub(crate) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        JoinOperator::And.of(parts)
    }

    /// At least one of these.
    pub(crate) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        JoinOperator::Or.of(parts)
    }

    /// The opposite.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Anything => Self::Nothing,
            Self::Nothing => Self::Anything,
            Self::Leaf(leaf) => Self::Leaf(ScalarConstraints { negated: !leaf.negated, ..leaf }),
            Self::Field(field) => Self::Field(FieldShape {
                absent: !field.absent,
                otherwise: !field.otherwise,
                value: Box::new(field.value.negated()),
                ..field
            }),
            Self::Item(item) => Self::Item(ItemShape {
                absent: !item.absent,
                otherwise: !item.otherwise,
                value: Box::new(item.value.negated()),
                ..item
            }),
            Self::Items(items) => Self::Items(ItemsShape {
                one: !items.one,
                otherwise: !items.otherwise,
                item: Box::new(items.item.negated()),
            }),
            Self::All(parts) => Self::any(parts.into_iter().map(Self::negated)),
            Self::Any(parts) => Self::all(parts.into_iter().map(Self::negated)),
        }
    }

    /// A field, or what it comes to when all its cases agree.
    pub(crate) fn field(name: &str, absent: bool, otherwise: bool, value: Self) -> Self {
        match (absent, otherwise, &value) {
            (true, true, Self::Anything) => Self::Anything,
            (false, false, Self::Nothing) => Self::Nothing,
            _ => Self::Field(FieldShape { name: name.to_owned(), absent, otherwise, value: Box::new(value) }),
        }
    }

    /// An item, or what it comes to when all its cases agree.
    pub(crate) fn item(index: usize, absent: bool, otherwise: bool, value: Self) -> Self {
        match (absent, otherwise, &value) {
            (true, true, Self::Anything) => Self::Anything,
            (false, false, Self::Nothing) => Self::Nothing,
            _ => Self::Item(ItemShape { index, absent, otherwise, value: Box::new(value) }),
        }
    }

    /// Each item of a list; a value that is not a list has none.
    pub(crate) fn each(item: Self) -> Self {
        Self::items(false, true, item)
    }

    /// At least one item of a list; a value that is not a list has none.
    pub(crate) fn some(item: Self) -> Self {
        Self::items(true, false, item)
    }

    fn items(one: bool, otherwise: bool, item: Self) -> Self {
        match (one, otherwise, &item) {
            (false, true, Self::Anything) => Self::Anything,
            (true, false, Self::Nothing) => Self::Nothing,
            _ => Self::Items(ItemsShape { one, otherwise, item: Box::new(item) }),
        }
    }

    /// True if it only requires that something is absent or has another shape, as the negation of a condition does.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Anything | Self::Any(_) => false,
            Self::Leaf(leaf) => leaf.negated,
            Self::Field(field) => field.absent && field.otherwise && field.value.is_refusal(),
            Self::Item(item) => item.absent && item.otherwise && item.value.is_refusal(),
            Self::Items(items) => !items.one && items.otherwise && items.item.is_refusal(),
            Self::All(parts) => parts.iter().all(Self::is_refusal),
        }
    }

    /// True if it would accept a value that is neither object nor list and has no text.
    pub(crate) fn accepts_the_formless(&self) -> bool {
        match self {
            Self::Anything => true,
            Self::Nothing => false,
            Self::Leaf(leaf) => leaf.negated,
            Self::Field(field) => field.otherwise,
            Self::Item(item) => item.otherwise,
            Self::Items(items) => items.otherwise,
            Self::All(parts) => parts.iter().all(Self::accepts_the_formless),
            Self::Any(parts) => parts.iter().any(Self::accepts_the_formless),
        }
    }
}

/// Operator that joins shapes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JoinOperator {
    And,
    Or,
}

impl JoinOperator {
    fn of(self, parts: impl IntoIterator<Item = ValueShape>) -> ValueShape {
        let mut kept: Vec<ValueShape> = Vec::new();
        for part in parts.into_iter().flat_map(|part| self.flattened(part)) {
            if part == self.end() {
                return part;
            }
            if !self.put(&mut kept, part) {
                return self.end();
            }
        }
        match kept.len() {
            0 => self.start(),
            1 => kept.pop().unwrap_or_else(|| self.start()),
            _ if self == Self::And => ValueShape::All(kept),
            _ => ValueShape::Any(kept),
        }
    }

    /// Returns the neutral element of the join, which is also a join of no parts.
    fn start(self) -> ValueShape {
        if self == Self::And { ValueShape::Anything } else { ValueShape::Nothing }
    }

    /// Returns the shape that decides the join whatever the other parts are.
    fn end(self) -> ValueShape {
        if self == Self::And { ValueShape::Nothing } else { ValueShape::Anything }
    }

    fn flattened(self, part: ValueShape) -> Vec<ValueShape> {
        match (self, part) {
            (Self::And, ValueShape::All(parts)) | (Self::Or, ValueShape::Any(parts)) => parts,
            (_, part) if part == self.start() => Vec::new(),
            (_, part) => vec![part],
        }
    }

    /// Adds a part to the others, or merges it into one of them if possible. False if the result is constant.
    fn put(self, kept: &mut Vec<ValueShape>, part: ValueShape) -> bool {
        let joined = kept.iter().enumerate().find_map(|(at, other)| Some((at, self.joined(other, &part)?)));
        match joined {
            Some((_, shape)) if shape == self.end() => return false,
            Some((at, shape)) if shape == self.start() => drop(kept.remove(at)),
            Some((at, shape)) => kept.iter_mut().skip(at).take(1).for_each(|slot| *slot = shape.clone()),
            None => kept.push(part),
        }
        true
    }

    /// Two shapes as one.
    fn joined(self, left: &ValueShape, right: &ValueShape) -> Option<ValueShape> {
        match (left, right) {
            _ if left == right => Some(left.clone()),
            (ValueShape::Field(left), ValueShape::Field(right)) if left.name == right.name => {
                Some(ValueShape::field(
                    &left.name,
                    self.flag(left.absent, right.absent),
                    self.flag(left.otherwise, right.otherwise),
                    self.of([*left.value.clone(), *right.value.clone()]),
                ))
            }
            (ValueShape::Item(left), ValueShape::Item(right)) if left.index == right.index => {
                Some(ValueShape::item(
                    left.index,
                    self.flag(left.absent, right.absent),
                    self.flag(left.otherwise, right.otherwise),
                    self.of([*left.value.clone(), *right.value.clone()]),
                ))
            }
            (ValueShape::Items(left), ValueShape::Items(right)) if self.distributes(left, right) => {
                Some(ValueShape::items(
                    left.one,
                    self.flag(left.otherwise, right.otherwise),
                    self.of([*left.item.clone(), *right.item.clone()]),
                ))
            }
            (ValueShape::Leaf(left), ValueShape::Leaf(right)) if self == Self::And => {
                intersect_leaves(left, right)
            }
            (ValueShape::Leaf(left), ValueShape::Leaf(right)) => unite_leaves(left, right),
            _ => None,
        }
    }

    fn flag(self, left: bool, right: bool) -> bool {
        if self == Self::And { left && right } else { left || right }
    }

    /// "Each" goes through "and", "some" through "or".
    fn distributes(self, left: &ItemsShape, right: &ItemsShape) -> bool {
        left.one == right.one && left.one == (self == Self::Or)
    }
}

/// A leaf that says both, where one can.
fn intersect_leaves(one: &ScalarConstraints, other: &ScalarConstraints) -> Option<ValueShape> {
    if one.negated || other.negated {
        return None;
    }
    let (both, check): (_, fn(Interval, Option<QuantityMode>) -> LeafTest) = match (&one.check, &other.check)
    {
        (LeafTest::Integer(left, kind), LeafTest::Integer(right, other)) if kind == other => {
            (intersect_intervals(left, right), LeafTest::Integer)
        }
        (LeafTest::Length(left), LeafTest::Length(right)) => {
            (intersect_intervals(left, right), |interval, _| LeafTest::Length(interval))
        }
        (LeafTest::OneOf(left), LeafTest::OneOf(right)) => {
            return Some(ValueShape::one_of(left.intersection(right).cloned()));
        }
        _ => return None,
    };
    let quantity = if let LeafTest::Integer(_, quantity) = one.check { quantity } else { None };
    Some(if both.is_empty() { ValueShape::Nothing } else { ValueShape::leaf(check(both, quantity)) })
}

/// A leaf that says one or the other, where one can.
fn unite_leaves(one: &ScalarConstraints, other: &ScalarConstraints) -> Option<ValueShape> {
    match (&one.check, &other.check) {
        (LeafTest::OneOf(left), LeafTest::OneOf(right)) if !one.negated && !other.negated => {
            Some(ValueShape::one_of(left.union(right).cloned()))
        }
        _ => None,
    }
}

fn intersect_intervals(left: &Interval, right: &Interval) -> Interval {
    Interval {
        min: left.min.clone().max(right.min.clone()),
        max: [&left.max, &right.max].into_iter().flatten().min().cloned(),
    }
}
