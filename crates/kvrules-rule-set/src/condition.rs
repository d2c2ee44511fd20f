//! Conditions: what words say about a value, before it is lowered to any notation.
//!
//! A path that is `null` counts as absent. All paths are relative to the value that a condition is about.

use serde_json::Value as Json;

use crate::compared::ComparedAs;
use crate::path::RulePath;

/// A condition about a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All hold; true without any.
    All(Vec<Condition>),
    /// At least one holds; false without any.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// The path has a value.
    Present(RulePath),
    /// The path has a value, which passes.
    Passes(RulePath, ValueTest),
    /// Both paths have values, which are readable and compare so.
    Compares(RulePath, Comparison, RulePath, ComparedAs),
    /// The number of paths that have a value is within these bounds.
    CountPresent {
        /// The paths.
        paths: Vec<RulePath>,
        /// The minimum.
        least: usize,
        /// The maximum.
        most: usize,
    },
    /// The condition holds for every item of a list, or every value of a map; true without a list.
    ForAll(RulePath, Box<Condition>),
    /// The condition holds for so many items of a list, or values of a map; for none without a list.
    CountItems(RulePath, Bounds<u64>, Box<Condition>),
    /// Every value at the first path is among those at the second.
    RefersTo(RulePath, RulePath, ComparedAs),
    /// About an update: how the value at the path may differ from the stored one.
    Stored(RulePath, StoredTest),
    /// An expression in CEL over `self`.
    Cel(String),
}

/// Something that a value passes or not.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueTest {
    /// A number within bounds.
    Number(Bounds<serde_json::Number>),
    /// A quantity within bounds, which are written as quantities.
    Quantity(Bounds<String>),
    /// A string with so many characters.
    Length(Bounds<u64>),
    /// A list or a map with so many items.
    Items(Bounds<u64>),
    /// A string in which the regular expression, in the syntax of RE2, matches.
    Pattern(String),
    /// One of these values.
    In(Vec<Json>),
    /// A quantity that is equal to one of these.
    InQuantities(Vec<String>),
    /// A string with one of these texts at a place.
    Affix(Affix, Vec<String>),
    /// A list with an item that is equal to this value.
    Contains(Json),
    /// A string in this format.
    Format(ValueFormat),
    /// A list without two items in which all of these paths have equal values or none.
    UniqueBy(Vec<(RulePath, ComparedAs)>),
}

/// The place of a text in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affix {
    /// At its start.
    Start,
    /// At its end.
    End,
    /// Anywhere.
    Inside,
}

/// Bounds of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds<T> {
    /// The minimum, which is included.
    pub min: Option<T>,
    /// The maximum, which is included.
    pub max: Option<T>,
    /// A lower bound that is excluded.
    pub above: Option<T>,
    /// An upper bound that is excluded.
    pub below: Option<T>,
}

impl<T> Bounds<T> {
    /// Creates bounds with a minimum and a maximum.
    pub fn with_limits(min: Option<T>, max: Option<T>) -> Self {
        Self { min, max, above: None, below: None }
    }
}

/// A comparison of two values of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The first is not less.
    AtLeast,
    /// The first is not greater.
    AtMost,
    /// The first is greater.
    Above,
    /// The first is less.
    Below,
    /// They are equal.
    Equal,
    /// They differ.
    NotEqual,
}

impl Comparison {
    /// True if it is about the order of two values, which booleans do not have.
    pub(crate) fn is_of_order(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// A format of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFormat {
    /// A resource quantity, such as `1.5Gi`.
    Quantity,
    /// An IP address of version 4 or 6.
    Ip,
    /// A range of IP addresses, such as `10.0.0.0/8`.
    Cidr,
    /// A DNS label, as in names of services.
    DnsLabel,
    /// A DNS subdomain, as in names of most resources.
    DnsSubdomain,
}

/// The ways in which a value may differ from the stored one in an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredTest {
    /// Not at all: it is neither set, changed nor removed.
    Always,
    /// It may be set; then it is neither changed nor removed.
    OnceSet,
    /// It is not changed. It may be set and removed.
    WhileSet,
    /// Items of a list, or keys of a map, may be added and not removed. The field may not be removed either.
    NoRemoval,
    /// From each value only to these; a value that is not listed stays. The field may be set, and not removed.
    Transitions(Vec<(String, Vec<String>)>),
}

impl Condition {
    /// The value passes, or the path has none.
    pub(crate) fn if_present(path: RulePath, test: ValueTest) -> Self {
        Self::Any(vec![Self::absent(path.clone()), Self::Passes(path, test)])
    }

    /// The value fails, or the path has none.
    pub(crate) fn unless_passes(path: RulePath, test: ValueTest) -> Self {
        let fails = Self::Not(Box::new(Self::Passes(path.clone(), test)));
        Self::Any(vec![Self::absent(path), fails])
    }

    /// The test of one value that a word is, and the verdict that it requires.
    pub(crate) fn value_test(&self) -> Option<(&ValueTest, bool)> {
        match self {
            Self::Passes(_, test) => Some((test, true)),
            Self::Not(inner) => inner.value_test().map(|(test, is_passed)| (test, !is_passed)),
            Self::Any(parts) | Self::All(parts) => parts.last().and_then(Self::value_test),
            Self::ForAll(_, inner) => inner.value_test(),
            _ => None,
        }
    }

    /// The path has no value.
    pub(crate) fn absent(path: RulePath) -> Self {
        Self::Not(Box::new(Self::Present(path)))
    }

    /// The conditions directly inside this one, in their order. That of [`Self::ForAll`] and [`Self::CountItems`] is about an item.
    pub fn children(&self) -> &[Self] {
        match self {
            Self::All(all) | Self::Any(all) => all,
            Self::Not(inner) | Self::ForAll(_, inner) | Self::CountItems(_, _, inner) => {
                std::slice::from_ref(inner.as_ref())
            }
            _ => &[],
        }
    }

    /// Calls `visit` with every path, relative to the value of this condition. Paths within items have the path of the list.
    pub(crate) fn visit_paths<'c>(&'c self, visit: &mut dyn FnMut(&'c RulePath)) {
        match self {
            Self::All(_) | Self::Any(_) | Self::Not(_) => {
                self.children().iter().for_each(|one| one.visit_paths(visit));
            }
            Self::Present(path)
            | Self::Passes(path, _)
            | Self::ForAll(path, _)
            | Self::CountItems(path, ..)
            | Self::Stored(path, _) => visit(path),
            Self::Compares(one, _, other, _) | Self::RefersTo(one, other, _) => {
                visit(one);
                visit(other);
            }
            Self::CountPresent { paths, .. } => paths.iter().for_each(visit),
            Self::Cel(_) => {}
        }
    }

    /// Returns the condition about the value behind the first step of all paths.
    pub(crate) fn below_first_step(&self) -> Self {
        let below = |path: &RulePath| RulePath(path.0.iter().skip(1).cloned().collect());
        let all = |all: &[Self]| all.iter().map(Self::below_first_step).collect();
        match self {
            Self::All(of) => Self::All(all(of)),
            Self::Any(of) => Self::Any(all(of)),
            Self::Not(inner) => Self::Not(Box::new(inner.below_first_step())),
            Self::Present(path) => Self::Present(below(path)),
            Self::Passes(path, test) => Self::Passes(below(path), test.clone()),
            Self::Compares(one, how, other, read_as) => {
                Self::Compares(below(one), *how, below(other), *read_as)
            }
            Self::CountPresent { paths, least, most } => {
                Self::CountPresent { paths: paths.iter().map(below).collect(), least: *least, most: *most }
            }
            Self::ForAll(path, inner) => Self::ForAll(below(path), inner.clone()),
            Self::CountItems(path, bounds, inner) => {
                Self::CountItems(below(path), bounds.clone(), inner.clone())
            }
            Self::RefersTo(one, other, read_as) => Self::RefersTo(below(one), below(other), *read_as),
            Self::Stored(path, test) => Self::Stored(below(path), test.clone()),
            Self::Cel(text) => Self::Cel(text.clone()),
        }
    }

    /// True if it depends on the stored object.
    pub(crate) fn reads_stored(&self) -> bool {
        matches!(self, Self::Stored(..)) || self.children().iter().any(Self::reads_stored)
    }

    /// True if it requires something about the stored object, and something else.
    pub(crate) fn mixes_stored(&self) -> bool {
        match self {
            Self::All(all) => self.reads_stored() && !all.iter().all(Self::reads_stored),
            _ => false,
        }
    }

    /// True if it depends on the stored object where a value or its stored form is absent, so that a server that skips a rule there
    /// would decide otherwise.
    pub(crate) fn reads_absent_stored(&self) -> bool {
        match self {
            Self::Not(inner) => inner.reads_stored(),
            Self::Stored(_, test) => *test != StoredTest::WhileSet,
            _ => self.children().iter().any(Self::reads_absent_stored),
        }
    }

    /// True if it is about more than the presence of values.
    pub(crate) fn tests_values(&self) -> bool {
        match self {
            Self::All(_) | Self::Any(_) | Self::Not(_) => self.children().iter().any(Self::tests_values),
            Self::Present(_) | Self::CountPresent { .. } => false,
            _ => true,
        }
    }

    /// True if its expression may end in an error, for which servers reject an object: one in CEL, and one that reads a duration.
    pub(crate) fn may_fail(&self) -> bool {
        matches!(self, Self::Cel(_) | Self::Compares(.., ComparedAs::Duration))
            || self.children().iter().any(Self::may_fail)
    }

    /// True if it has an expression in CEL.
    pub fn has_cel(&self) -> bool {
        matches!(self, Self::Cel(_)) || self.children().iter().any(Self::has_cel)
    }
}
