//! Shape of a value that is not `null`.
//!
//! A shape answers for every value, also for one of a wrong type, and its constructors join shapes case by case:
//! two demands on the same field become one demand on that field, under "and" and under "or" alike. So the pretty
//! tree is the only form there is, and it means the same by construction.

use std::collections::BTreeSet;

use kvrules_ir::Interval;

use super::QuantityMode;
use super::leaf::{Check, Choice, Leaf};

/// Shape of a value that is not `null`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Every value.
    Anything,
    /// No value.
    Nothing,
    /// A value whose number or text passes a test.
    Leaf(Leaf),
    /// An object, seen by one of its fields.
    Field(Field),
    /// A list, seen by one of its items.
    Item(Item),
    /// A list, seen by all of its items.
    Items(Items),
    /// All of these.
    All(Vec<Shape>),
    /// At least one of these.
    Any(Vec<Shape>),
}

/// Requirements on a field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The field's name.
    pub(crate) name: String,
    /// True if the field may be absent; `null` counts as absent.
    pub(crate) absent: bool,
    /// True if a value that is no object is accepted.
    pub(crate) otherwise: bool,
    /// Shape of the field's value.
    pub(crate) value: Box<Shape>,
}

/// Requirements on one item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Index of the item.
    pub(crate) index: usize,
    /// True if the list may end before it, or have `null` there.
    pub(crate) absent: bool,
    /// True if a value that is no list is accepted.
    pub(crate) otherwise: bool,
    /// Shape of the item.
    pub(crate) value: Box<Shape>,
}

/// Requirements on the items of a list. Items that are `null` count as absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Items {
    /// True if one item is enough; false if each must match.
    pub(crate) one: bool,
    /// True if a value that is no list is accepted.
    pub(crate) otherwise: bool,
    /// Shape of such an item.
    pub(crate) item: Box<Shape>,
}

impl Shape {
    /// A value that passes a check.
    pub(crate) fn leaf(check: Check) -> Self {
        Self::Leaf(Leaf { check, negated: false })
    }

    /// One of these values.
    pub(crate) fn one_of(choices: impl IntoIterator<Item = Choice>) -> Self {
        let choices: BTreeSet<Choice> = choices.into_iter().collect();
        if choices.is_empty() { Self::Nothing } else { Self::leaf(Check::OneOf(choices)) }
    }

    /// All of these.
    pub(crate) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        Join::And.of(parts)
    }

    /// At least one of these.
    pub(crate) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        Join::Or.of(parts)
    }

    /// The opposite.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Anything => Self::Nothing,
            Self::Nothing => Self::Anything,
            Self::Leaf(leaf) => Self::Leaf(Leaf { negated: !leaf.negated, ..leaf }),
            Self::Field(field) => Self::Field(Field {
                absent: !field.absent,
                otherwise: !field.otherwise,
                value: Box::new(field.value.negated()),
                ..field
            }),
            Self::Item(item) => Self::Item(Item {
                absent: !item.absent,
                otherwise: !item.otherwise,
                value: Box::new(item.value.negated()),
                ..item
            }),
            Self::Items(items) => Self::Items(Items {
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
            _ => Self::Field(Field { name: name.to_owned(), absent, otherwise, value: Box::new(value) }),
        }
    }

    /// An item, or what it comes to when all its cases agree.
    pub(crate) fn item(index: usize, absent: bool, otherwise: bool, value: Self) -> Self {
        match (absent, otherwise, &value) {
            (true, true, Self::Anything) => Self::Anything,
            (false, false, Self::Nothing) => Self::Nothing,
            _ => Self::Item(Item { index, absent, otherwise, value: Box::new(value) }),
        }
    }

    /// Each item of a list; a value that is no list has none.
    pub(crate) fn each(item: Self) -> Self {
        Self::items(false, true, item)
    }

    /// At least one item of a list; a value that is no list has none.
    pub(crate) fn some(item: Self) -> Self {
        Self::items(true, false, item)
    }

    fn items(one: bool, otherwise: bool, item: Self) -> Self {
        match (one, otherwise, &item) {
            (false, true, Self::Anything) => Self::Anything,
            (true, false, Self::Nothing) => Self::Nothing,
            _ => Self::Items(Items { one, otherwise, item: Box::new(item) }),
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
enum Join {
    And,
    Or,
}

impl Join {
    fn of(self, parts: impl IntoIterator<Item = Shape>) -> Shape {
        let mut kept: Vec<Shape> = Vec::new();
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
            _ if self == Self::And => Shape::All(kept),
            _ => Shape::Any(kept),
        }
    }

    /// Returns the neutral element of the join, which is also a join of no parts.
    fn start(self) -> Shape {
        if self == Self::And { Shape::Anything } else { Shape::Nothing }
    }

    /// Returns the shape that decides the join whatever the other parts are.
    fn end(self) -> Shape {
        if self == Self::And { Shape::Nothing } else { Shape::Anything }
    }

    fn flattened(self, part: Shape) -> Vec<Shape> {
        match (self, part) {
            (Self::And, Shape::All(parts)) | (Self::Or, Shape::Any(parts)) => parts,
            (_, part) if part == self.start() => Vec::new(),
            (_, part) => vec![part],
        }
    }

    /// Puts a part to those that are there, into one of them if that can be said as one. False if that decides.
    fn put(self, kept: &mut Vec<Shape>, part: Shape) -> bool {
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
    fn joined(self, left: &Shape, right: &Shape) -> Option<Shape> {
        match (left, right) {
            _ if left == right => Some(left.clone()),
            (Shape::Field(left), Shape::Field(right)) if left.name == right.name => Some(Shape::field(
                &left.name,
                self.flag(left.absent, right.absent),
                self.flag(left.otherwise, right.otherwise),
                self.of([*left.value.clone(), *right.value.clone()]),
            )),
            (Shape::Item(left), Shape::Item(right)) if left.index == right.index => Some(Shape::item(
                left.index,
                self.flag(left.absent, right.absent),
                self.flag(left.otherwise, right.otherwise),
                self.of([*left.value.clone(), *right.value.clone()]),
            )),
            (Shape::Items(left), Shape::Items(right)) if self.distributes(left, right) => Some(Shape::items(
                left.one,
                self.flag(left.otherwise, right.otherwise),
                self.of([*left.item.clone(), *right.item.clone()]),
            )),
            (Shape::Leaf(left), Shape::Leaf(right)) if self == Self::And => both(left, right),
            (Shape::Leaf(left), Shape::Leaf(right)) => either(left, right),
            _ => None,
        }
    }

    fn flag(self, left: bool, right: bool) -> bool {
        if self == Self::And { left && right } else { left || right }
    }

    /// "Each" goes through "and", "some" through "or".
    fn distributes(self, left: &Items, right: &Items) -> bool {
        left.one == right.one && left.one == (self == Self::Or)
    }
}

/// A leaf that says both, where one can.
fn both(one: &Leaf, other: &Leaf) -> Option<Shape> {
    if one.negated || other.negated {
        return None;
    }
    let (both, check): (_, fn(Interval, Option<QuantityMode>) -> Check) = match (&one.check, &other.check) {
        (Check::Integer(left, kind), Check::Integer(right, other)) if kind == other => {
            (overlap(left, right), Check::Integer)
        }
        (Check::Length(left), Check::Length(right)) => {
            (overlap(left, right), |interval, _| Check::Length(interval))
        }
        (Check::OneOf(left), Check::OneOf(right)) => {
            return Some(Shape::one_of(left.intersection(right).cloned()));
        }
        _ => return None,
    };
    let quantity = if let Check::Integer(_, quantity) = one.check { quantity } else { None };
    Some(if both.is_empty() { Shape::Nothing } else { Shape::leaf(check(both, quantity)) })
}

/// A leaf that says one or the other, where one can.
fn either(one: &Leaf, other: &Leaf) -> Option<Shape> {
    match (&one.check, &other.check) {
        (Check::OneOf(left), Check::OneOf(right)) if !one.negated && !other.negated => {
            Some(Shape::one_of(left.union(right).cloned()))
        }
        _ => None,
    }
}

fn overlap(left: &Interval, right: &Interval) -> Interval {
    Interval {
        min: left.min.clone().max(right.min.clone()),
        max: [&left.max, &right.max].into_iter().flatten().min().cloned(),
    }
}
