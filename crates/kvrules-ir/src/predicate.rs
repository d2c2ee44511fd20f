//! Meaning of a rule: a predicate over an object, in normal form.
//!
//! Its constructors simplify, so that equal meanings tend to be equal trees. Atoms are total: a [`ValueTest`] on a
//! place that does not exist is false, never an error.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use crate::Place;

/// A predicate over an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Predicate {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// All of these hold.
    All(Vec<Predicate>),
    /// At least one of these holds.
    Any(Vec<Predicate>),
    /// This does not hold.
    Not(Box<Predicate>),
    /// Holds for each element of a list; of an absent or empty list always.
    Each {
        /// The list.
        list: Place,
        /// Condition, with the element as [`PlaceBase::Element`](crate::PlaceBase::Element) 0.
        holds: Box<Predicate>,
    },
    /// Holds for at least one element of a list; of an absent or empty list never.
    Some {
        /// The list.
        list: Place,
        /// Condition, with the element as [`PlaceBase::Element`](crate::PlaceBase::Element) 0.
        holds: Box<Predicate>,
    },
    /// The place exists.
    Present(Place),
    /// The place exists, and its value passes.
    Test {
        /// The place.
        place: Place,
        /// Test that its value must pass.
        test: ValueTest,
    },
    /// Both operands have a value, and the values are in the relation.
    Compare {
        /// Left operand.
        left: Operand,
        /// The relation.
        relation: OperandRelation,
        /// Right operand.
        right: Operand,
    },
}

/// A test of one value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueTest {
    /// It is an integer, or a quantity of whole base units, in the interval.
    Integer(Interval),
    /// As text it has so many code points.
    Length(Interval),
    /// As text it is one of these.
    OneOf(BTreeSet<String>),
    /// As text it contains a match.
    Matches(RegexPattern),
}

/// Integers between bounds that are included.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// Not less than this.
    pub min: Option<BigInt>,
    /// Not more than this.
    pub max: Option<BigInt>,
}

impl Interval {
    /// True if a number lies in the interval.
    pub fn contains(&self, number: &BigInt) -> bool {
        self.min.as_ref().is_none_or(|min| min <= number) && self.max.as_ref().is_none_or(|max| number <= max)
    }

    /// True if no number lies in the interval.
    pub fn is_empty(&self) -> bool {
        matches!((&self.min, &self.max), (Some(min), Some(max)) if min > max)
    }
}

/// A regular expression in the RE2 dialect, known to compile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegexPattern(pub String);

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operand {
    /// The integer (or the quantity of whole base units) at a place.
    Integer(Place),
    /// The number of code points of the text at a place.
    Length(Place),
    /// The text at a place.
    Text(Place),
}

/// Relation between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperandRelation {
    /// Left is not less than right.
    AtLeast,
    /// Left is not more than right.
    AtMost,
    /// They are equal.
    Equal,
}

impl Predicate {
    /// The predicates directly inside this one, in their order. That of a quantifier is about an element.
    pub fn children(&self) -> &[Self] {
        match self {
            Self::All(parts) | Self::Any(parts) => parts,
            Self::Not(inner) | Self::Each { holds: inner, .. } | Self::Some { holds: inner, .. } => {
                std::slice::from_ref(inner.as_ref())
            }
            Self::True | Self::False | Self::Present(_) | Self::Test { .. } | Self::Compare { .. } => &[],
        }
    }

    /// All of `parts`, flattened; parts that other parts imply are left out.
    pub fn all_of(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        for part in
            parts.into_iter().flat_map(|part| if let Self::All(inner) = part { inner } else { vec![part] })
        {
            match part {
                Self::False => return Self::False,
                part if kept.iter().any(|other| other.obviously_implies(&part)) => {}
                part => {
                    kept.retain(|other| !part.obviously_implies(other));
                    kept.push(part);
                }
            }
        }
        join_parts(kept, Self::True, Self::All)
    }

    /// At least one of `parts`, flattened; parts that imply other parts are left out.
    pub fn any_of(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        for part in
            parts.into_iter().flat_map(|part| if let Self::Any(inner) = part { inner } else { vec![part] })
        {
            match part {
                Self::True => return Self::True,
                part if kept.iter().any(|other| part.obviously_implies(other)) => {}
                part => {
                    kept.retain(|other| !other.obviously_implies(&part));
                    kept.push(part);
                }
            }
        }
        join_parts(kept, Self::False, Self::Any)
    }

    /// The opposite.
    pub fn negation_of(inner: Self) -> Self {
        match inner {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Not(inner) => *inner,
            inner => Self::Not(Box::new(inner)),
        }
    }

    /// `condition` implies `consequence`. What the condition grants is taken for granted in the consequence.
    pub fn implication_of(condition: Self, consequence: Self) -> Self {
        let consequence = match consequence {
            Self::All(parts) => {
                Self::all_of(parts.into_iter().filter(|part| !condition.obviously_implies(part)))
            }
            part if condition.obviously_implies(&part) => Self::True,
            part => part,
        };
        if consequence.holds_without(&condition) {
            return consequence;
        }
        Self::any_of([Self::negation_of(condition), consequence])
    }

    /// Each element of a list.
    pub fn each_element(list: Place, holds: Self) -> Self {
        if holds == Self::True { Self::True } else { Self::Each { list, holds: Box::new(holds) } }
    }

    /// At least one element of a list.
    pub fn some_element(list: Place, holds: Self) -> Self {
        if holds == Self::False { Self::False } else { Self::Some { list, holds: Box::new(holds) } }
    }

    /// The place exists. The steps after its last optional one always exist with it, so they are not tested.
    pub fn presence_of(place: Place) -> Self {
        place.last_optional().map_or(Self::True, Self::Present)
    }

    /// True if this predicate implies `other`. False if the implication is not obvious.
    pub fn obviously_implies(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::True) | (Self::False, _) => true,
            (own, other) if own == other => true,
            (Self::Present(own) | Self::Test { place: own, .. }, Self::Present(other)) => {
                own.implies_existence_of(other)
            }
            // An element exists only in a list that exists.
            (Self::Some { list, .. }, Self::Present(other)) if list.implies_existence_of(other) => true,
            (Self::Some { list, holds }, Self::Some { list: other, holds: needed })
            | (Self::Each { list, holds }, Self::Each { list: other, holds: needed }) => {
                list == other && holds.obviously_implies(needed)
            }
            (Self::All(parts), other) => parts.iter().any(|part| part.obviously_implies(other)),
            _ => false,
        }
    }

    /// True if this predicate holds wherever `condition` does not: a demand on the elements of a list holds where the
    /// condition's elements are missing.
    fn holds_without(&self, condition: &Self) -> bool {
        match (self, condition) {
            (Self::Each { list, holds }, Self::Some { list: other, holds: needed }) => {
                list == other && holds.holds_without(needed)
            }
            (Self::Each { list, .. }, Self::Present(place)) => list.implies_existence_of(place),
            (Self::Any(parts), needed) => parts.contains(&Self::negation_of(needed.clone())),
            (_, Self::True) => true,
            _ => false,
        }
    }
}

impl Operand {
    /// The place that the operand reads.
    pub fn place(&self) -> &Place {
        match self {
            Self::Integer(place) | Self::Length(place) | Self::Text(place) => place,
        }
    }
}

/// Joins the parts of a condition: without any it is `empty`, and one stands for itself.
pub(crate) fn join_parts<T>(mut parts: Vec<T>, empty: T, join: fn(Vec<T>) -> T) -> T {
    match parts.len() {
        0 => empty,
        1 => parts.pop().unwrap_or(empty),
        _ => join(parts),
    }
}
