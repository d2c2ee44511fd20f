//! What a sentence says, and whether it is so for an object: the judge's own plain reading of English about JSON values.

use serde_json::Value as Json;

use super::values::{Step, Test, compare, equal_values, item_keys, items_of, values_at};

/// A path in a sentence.
pub type Path = Vec<Step>;

/// Something that a sentence says of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// All of them.
    And(Vec<Said>),
    /// At least one of them.
    Or(Vec<Said>),
    /// The opposite.
    Not(Box<Said>),
    /// The path has a value.
    Set(Path),
    /// The value passes, or there is none and it need not be there.
    Passes { path: Path, test: Test, if_absent: bool },
    /// The values of two paths compare so, or one is absent and need not be there.
    Compares { one: Path, how: Order, other: Path, if_absent: bool },
    /// So many of the paths have values.
    Count { paths: Vec<Path>, least: usize, most: usize },
    /// All of the paths have values, or none.
    Together(Vec<Path>),
    /// It is so for each item.
    Each(Path, Box<Said>),
    /// It is so for so many items.
    SoMany { list: Path, least: u64, most: u64, said: Box<Said> },
    /// It is so for the value at a path, if there is one.
    Within(Path, Box<Said>),
    /// Every value of the first path is one of the second.
    Among(Path, Path),
    /// The value may change so in an update.
    Changes(Path, Change),
}

/// An order of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
    Different,
}

/// Changes that an update may make.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// None.
    Never,
    /// It may be set once.
    OnceSet,
    /// It may be set and removed, and not changed.
    WhileSet,
    /// Items are only added.
    OnlyAdded,
    /// From one text to others, and it is not removed.
    Steps(Vec<(String, Vec<String>)>),
    /// To a greater number; also to the same one, unless `strictly`.
    Grows { strictly: bool },
}

/// A value, and the one that it replaces.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'v> {
    pub value: &'v Json,
    pub stored: Option<&'v Json>,
}

impl Said {
    /// True if it is so.
    pub fn holds(&self, given: Situation<'_>) -> bool {
        let value = given.value;
        match self {
            Self::And(all) => all.iter().all(|one| one.holds(given)),
            Self::Or(any) => any.iter().any(|one| one.holds(given)),
            Self::Not(inner) => !inner.holds(given),
            Self::Set(path) => !values_at(value, path).is_empty(),
            Self::Passes { path, test, if_absent } => match values_at(value, path).as_slice() {
                [] => *if_absent,
                found => found.iter().all(|found| test.passes(found)),
            },
            Self::Compares { one, how, other, if_absent } => {
                match (values_at(value, one).first(), values_at(value, other).first()) {
                    (Some(one), Some(other)) => how.holds(one, other),
                    _ => *if_absent,
                }
            }
            Self::Count { paths, least, most } => {
                let count = paths.iter().filter(|path| !values_at(value, path).is_empty()).count();
                (*least..=*most).contains(&count)
            }
            Self::Together(paths) => {
                let count = paths.iter().filter(|path| !values_at(value, path).is_empty()).count();
                count == 0 || count == paths.len()
            }
            Self::Each(list, inner) => {
                // A null item is one without a value. The stored form of an item is not known.
                let items = values_at(value, list).into_iter().flat_map(items_of);
                items.into_iter().all(|item| inner.holds(Situation { value: item, stored: None }))
            }
            Self::SoMany { list, least, most, said } => {
                let items = values_at(value, list).into_iter().flat_map(items_of);
                let so = items.filter(|item| said.holds(Situation { value: item, stored: None }));
                (*least..=*most).contains(&(so.count() as u64))
            }
            Self::Within(place, inner) => {
                let stored = given.stored.and_then(|stored| values_at(stored, place).first().copied());
                values_at(value, place).iter().all(|value| inner.holds(Situation { value, stored }))
            }
            Self::Among(from, to) => {
                let known = values_at(value, to);
                values_at(value, from).iter().all(|one| known.iter().any(|other| equal_values(one, other)))
            }
            Self::Changes(path, change) => given.stored.is_none_or(|stored| {
                change
                    .allows(values_at(stored, path).first().copied(), values_at(value, path).first().copied())
            }),
        }
    }
}

impl Order {
    /// True if the two values compare so.
    pub fn holds(self, one: &Json, other: &Json) -> bool {
        match self {
            Self::AtLeast => compare(one, other).is_some_and(|order| order.is_ge()),
            Self::AtMost => compare(one, other).is_some_and(|order| order.is_le()),
            Self::Above => compare(one, other).is_some_and(|order| order.is_gt()),
            Self::Below => compare(one, other).is_some_and(|order| order.is_lt()),
            Self::Equal => {
                compare(one, other).map_or_else(|| equal_values(one, other), |order| order.is_eq())
            }
            Self::Different => !Self::Equal.holds(one, other),
        }
    }
}

impl Change {
    /// True if the value may become the other one.
    pub fn allows(&self, old: Option<&Json>, new: Option<&Json>) -> bool {
        match (self, old, new) {
            (Self::Grows { strictly }, Some(old), Some(new)) => {
                compare(new, old).is_some_and(|order| order.is_gt() || !strictly && order.is_eq())
            }
            (Self::Grows { .. }, ..) | (_, None, None) => true,
            (Self::Never, None, Some(_)) => false,
            (_, None, Some(_)) => true,
            (Self::WhileSet, Some(_), None) => true,
            (_, Some(_), None) => false,
            (Self::OnlyAdded, Some(old), Some(new)) => {
                let (old, new) = (item_keys(old), item_keys(new));
                old.iter().all(|one| new.iter().any(|other| equal_values(one, other)))
            }
            (Self::Steps(steps), Some(old), Some(new)) => {
                let is_allowed = |(from, to): &(String, Vec<String>)| {
                    old.as_str() == Some(from)
                        && new.as_str().is_some_and(|new| to.iter().any(|to| to == new))
                };
                equal_values(old, new) || steps.iter().any(is_allowed)
            }
            (_, Some(old), Some(new)) => equal_values(old, new),
        }
    }
}
