//! A candidate value of a place, and where it can occur.

use std::collections::HashSet;

use serde_json::Value;

/// A value to test engines with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The value.
    pub(crate) value: Value,
    /// True if an API server hands it to rules and policies: a value that does not decode into the field's type never
    /// gets so far, and `null` is removed. A schema also evaluates files, which may contain all of this.
    pub(crate) served: bool,
}

impl Candidate {
    /// A value that may be anywhere.
    pub(crate) fn new(value: impl Into<Value>) -> Self {
        Self { value: value.into(), served: true }
    }

    /// A value that can occur in files but not in objects of an API server.
    pub(crate) fn in_files(value: impl Into<Value>) -> Self {
        Self { value: value.into(), served: false }
    }
}

/// The candidates from small to large, each once.
pub(super) fn in_order(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut keyed: Vec<_> = candidates
        .into_iter()
        .map(|candidate| {
            let text = candidate.value.to_string();
            ((super::object_size(&candidate.value), text.len(), text), candidate)
        })
        .collect();
    keyed.sort_by(|(left, one), (right, other)| left.cmp(right).then(other.served.cmp(&one.served)));
    keyed.dedup_by(|(left, _), (right, _)| left == right);
    keyed.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The candidates in the order in which they stand, each once.
pub(super) fn distinct_candidates(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut seen = HashSet::new();
    candidates.into_iter().filter(|candidate| seen.insert(candidate.value.to_string())).collect()
}
