//! What a sentence about a rule says, and whether it is so for an object.

use serde_json::Value as Json;

use super::rules::{integer_of, text_of};
use super::world::{Node, World, values_from};
use crate::decisions::evaluate::is_pattern_match;

/// A condition on an object.
#[derive(Clone, Debug)]
pub(super) enum Said {
    And(Vec<Said>),
    Or(Vec<Said>),
    Not(Box<Said>),
    Constant(bool),
    Set(Place),
    /// The value passes all tests, or one of them.
    Value {
        of: Measure,
        tests: Vec<Test>,
        is_any: bool,
        /// True for a requirement on a value, which need not be there.
        is_requirement: bool,
    },
    Each(String, Box<Said>),
    Some(String, Box<Said>),
}

/// A place of the object, or of the element with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) element: Option<String>,
    pub(super) path: String,
}

/// A value, or the number of its characters.
#[derive(Clone, Debug)]
pub(super) enum Measure {
    Value(Place),
    Length(Place),
}

#[derive(Clone, Debug)]
pub(super) enum Test {
    AtLeast(Limit),
    AtMost(Limit),
    EqualTo(Measure),
    OneOf(Vec<String>),
    Matches(String),
    Integer,
    Text,
    Scalar,
    /// The number of characters passes.
    Characters(Vec<Test>),
}

#[derive(Clone, Debug)]
pub(super) enum Limit {
    Number(i64),
    Of(Measure),
}

/// An object with the elements that are spoken of.
#[derive(Clone)]
pub(super) struct Situation<'w> {
    pub(super) world: &'w World,
    pub(super) object: &'w Json,
    elements: Vec<(String, Node, Json)>,
    /// True if a requirement on a value means that there is one.
    pub(super) is_strict: bool,
}

impl<'w> Situation<'w> {
    pub(super) fn new(world: &'w World, object: &'w Json, is_strict: bool) -> Self {
        Self { world, object, elements: Vec::new(), is_strict }
    }

    pub(super) fn value(&self, place: &Place) -> Option<Json> {
        let found = match &place.element {
            None => values_from(&self.world.root, self.object, &place.path),
            Some(name) => {
                let (_, node, value) = self.elements.iter().rev().find(|(known, ..)| known == name)?;
                if place.path.is_empty() {
                    return Some(value.clone());
                }
                values_from(node, value, &place.path)
            }
        };
        found.into_iter().next().map(|(_, value)| value)
    }

    fn length(&self, place: &Place) -> Option<i64> {
        self.value(place)
            .filter(|value| !value.is_object() && !value.is_array())
            .map(|it| text_of(&it).chars().count() as i64)
    }

    /// The elements with a name: those of the innermost element that has such, or of the object.
    pub(super) fn elements(&self, name: &str) -> Vec<(Node, Json)> {
        // A list by its whole path is one of the object.
        if let Some(path) = name.strip_prefix("item of ").filter(|path| path.starts_with('.')) {
            return values_from(&self.world.root, self.object, &format!("{path}[*]"));
        }
        let inner = self.elements.iter().rev().map(|(_, node, value)| (*node, value));
        let mut around = inner.chain([(self.world.root, self.object)]);
        let found = around.find_map(|(node, value)| {
            let path = list_named(&node, name)?;
            Some(values_from(&node, value, &format!("{path}[*]")))
        });
        found.unwrap_or_default()
    }

    pub(super) fn with(&self, name: &str, (node, value): (Node, Json)) -> Self {
        let mut inner = self.clone();
        inner.elements.push((name.to_owned(), node, value));
        inner
    }
}

/// The path from a node to the list whose elements have a name, the shortest one if there are several.
fn list_named(node: &Node, name: &str) -> Option<String> {
    let lists = node.paths().into_iter().filter(|(_, node)| matches!(node, Node::List(_)));
    let is_named = |path: &str| {
        let last = path.rsplit('.').next().unwrap_or_default();
        match name.strip_prefix("item of ") {
            Some(list) => list == path || list == last,
            None => last == format!("{name}s") || last == format!("{name}es"),
        }
    };
    let named = lists.map(|(path, _)| path).filter(|path| is_named(path));
    named.min_by_key(|path| (path.contains("[*]"), path.len()))
}

impl Said {
    pub(super) fn holds(&self, at: &Situation<'_>) -> bool {
        match self {
            Self::And(all) => all.iter().all(|one| one.holds(at)),
            Self::Or(any) => any.iter().any(|one| one.holds(at)),
            Self::Not(inner) => !inner.holds(at),
            Self::Constant(holds) => *holds,
            Self::Set(place) => at.value(place).is_some(),
            Self::Value { of, tests, is_any, is_requirement } => {
                let place = match of {
                    Measure::Value(place) | Measure::Length(place) => place,
                };
                if at.value(place).is_none() {
                    return *is_requirement && !at.is_strict;
                }
                let Some(value) = of.value(at) else { return false };
                let mut verdicts = tests.iter().map(|test| test.passes(&value, at));
                if *is_any { verdicts.any(|it| it) } else { verdicts.all(|it| it) }
            }
            Self::Each(name, said) => {
                at.elements(name).into_iter().all(|element| said.holds(&at.with(name, element)))
            }
            Self::Some(name, said) => {
                at.elements(name).into_iter().any(|element| said.holds(&at.with(name, element)))
            }
        }
    }

    /// The same, where elements without a part are not checked.
    pub(super) fn unless_without(self, name: &str, part: &Place) -> Self {
        let inner = |parts: Vec<Self>| parts.into_iter().map(|it| it.unless_without(name, part)).collect();
        match self {
            Self::And(parts) => Self::And(inner(parts)),
            Self::Or(parts) => Self::Or(inner(parts)),
            Self::Each(own, said) if own == name => {
                let without = Self::Not(Box::new(Self::Set(part.clone())));
                Self::Each(own, Box::new(Self::Or(vec![without, *said])))
            }
            Self::Each(own, said) => Self::Each(own, Box::new(said.unless_without(name, part))),
            other => other,
        }
    }
}

impl Measure {
    fn value(&self, at: &Situation<'_>) -> Option<Json> {
        match self {
            Self::Value(place) => at.value(place),
            Self::Length(place) => at.length(place).map(Json::from),
        }
    }
}

impl Test {
    fn passes(&self, value: &Json, at: &Situation<'_>) -> bool {
        let is_scalar = !value.is_object() && !value.is_array();
        let limit = |limit: &Limit| match limit {
            Limit::Number(number) => Some(*number),
            Limit::Of(measure) => integer_of(&measure.value(at)?),
        };
        match self {
            Self::AtLeast(least) => {
                integer_of(value).zip(limit(least)).is_some_and(|(it, least)| it >= least)
            }
            Self::AtMost(most) => integer_of(value).zip(limit(most)).is_some_and(|(it, most)| it <= most),
            Self::EqualTo(other) => other.value(at).is_some_and(|other| text_of(&other) == text_of(value)),
            Self::OneOf(values) => is_scalar && values.contains(&text_of(value)),
            Self::Matches(pattern) => is_scalar && is_pattern_match(pattern, &text_of(value)) == Some(true),
            Self::Integer => integer_of(value).is_some(),
            Self::Text => value.is_string(),
            Self::Scalar => is_scalar,
            Self::Characters(tests) => {
                let count = Json::from(text_of(value).chars().count());
                is_scalar && tests.iter().all(|test| test.passes(&count, at))
            }
        }
    }
}
