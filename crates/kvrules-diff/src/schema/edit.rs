//! A place where two schemas differ, with what is known of it beforehand and what to try.

use serde_json::Value;

use super::place::NodeStep;
use crate::bound::ImpliedDirection;
use crate::report::{Change, ExclusionProof};

/// Required content of an object at the place.
#[derive(Clone, Debug)]
pub(super) enum ObjectAttempt {
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
    /// All except this field.
    Without(String),
    /// An update that leaves out this field, which was there.
    RemoveField(String),
    /// Number of elements.
    Count(usize),
    /// An element twice.
    DuplicateItem,
    /// Anything.
    Anything,
}

/// A rule before and after; none if it is added or removed.
#[derive(Clone, Debug)]
pub(super) struct RulePair {
    pub(super) old: Option<Value>,
    pub(super) new: Option<Value>,
}

/// A difference that is to be settled.
#[derive(Debug)]
pub(super) struct ObjectEdit {
    pub(super) change: Change,
    /// Location in the schema.
    pub(super) downs: Vec<NodeStep>,
    /// Different parts of the node, each as a path from it.
    pub(super) keys: Vec<Vec<String>>,
    pub(super) bound: ImpliedDirection,
    /// Attempts that may show that an accepted object is now rejected.
    pub(super) refused: Vec<ObjectAttempt>,
    /// Attempts that may show that a rejected object is now accepted.
    pub(super) accepted: Vec<ObjectAttempt>,
    /// Number of objects that were examined to find the attempts.
    pub(super) looked_at: usize,
    /// True if there were not enough steps to examine more.
    pub(super) is_cut: bool,
    /// True if only the message of the new side is different.
    pub(super) is_message: bool,
    /// The rule of a list of rules before and after, where it is about one: the others are not part of it.
    pub(super) pair: Option<RulePair>,
    /// True if the change is about the status as a subresource.
    pub(super) moves_status: bool,
    /// Directions that are proved not to be those of the difference.
    pub(super) proofs: Vec<ExclusionProof>,
    /// Reasons for which a direction could not be excluded.
    pub(super) open_questions: Vec<String>,
}
