//! A place where two schemas differ, with what can be said of it beforehand and what to try.

use serde_json::Value;

use super::place::Down;
use crate::bound::Bound;
use crate::report::Change;

/// What an object is to have at the place.
#[derive(Clone, Debug)]
pub(super) enum Attempt {
    /// A value like this; of an empty list or object, any of that type.
    Like(Value),
    /// This value.
    Exactly(Value),
    /// The value before an update, and after it.
    Update(Value, Value),
    /// This field.
    With(String),
    /// This field with this value.
    WithValue(String, Value),
    /// All but this field.
    Without(String),
    /// An update that leaves out this field, which was there.
    Dropped(String),
    /// So many elements.
    Count(usize),
    /// An element twice.
    Twice,
    /// Anything.
    Free,
}

/// A rule before and after; none where it is added or removed.
#[derive(Clone, Debug)]
pub(super) struct RulePair {
    pub(super) old: Option<Value>,
    pub(super) new: Option<Value>,
}

/// A difference that is to be settled.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) change: Change,
    /// Where in the schema.
    pub(super) downs: Vec<Down>,
    /// What of the node is different, each as a path from it.
    pub(super) keys: Vec<Vec<String>>,
    pub(super) bound: Bound,
    /// What may show that something accepted is refused.
    pub(super) refused: Vec<Attempt>,
    /// What may show that something refused is accepted.
    pub(super) accepted: Vec<Attempt>,
    /// How many objects were looked at to find the attempts.
    pub(super) looked_at: usize,
    /// True if there were not enough steps to look at more.
    pub(super) is_cut: bool,
    /// True if the new side only says it otherwise to those who break it.
    pub(super) is_message: bool,
    /// The rule of a list of rules before and after, where it is about one: the others are no part of it.
    pub(super) pair: Option<RulePair>,
    /// True if it is about the status as a subresource.
    pub(super) moves_status: bool,
}
