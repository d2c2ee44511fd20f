//! Compares what resources say next to schemas: the rest of CustomResourceDefinitions, and admission policies with their bindings
//! and webhooks.
//!
//! Every difference of two resources is a change. Its direction is what the kind of the change proves; where the kind proves
//! nothing it is unknown.

mod definition;
mod differences;
mod policy;

pub use definition::compare_definitions;
pub use policy::compare_policies;

use serde_json::Value;

use crate::report::{Change, ChangeSite, ChangedLimit, Direction};
use differences::Difference;

/// The direction of a change with its reason.
struct Verdict {
    direction: Direction,
    note: &'static str,
}

impl Verdict {
    fn new(direction: Direction, note: &'static str) -> Self {
        Self { direction, note }
    }
}

/// Returns the change for a difference.
fn to_change(difference: &Difference<'_>, verdict: &Verdict) -> Change {
    let (key, parent) = match difference.path.rsplit_once('.') {
        Some((parent, key)) => (key, parent),
        None => (difference.path.as_str(), ""),
    };
    let text = |value: Option<&Value>| value.map(shown);
    let limit = ChangedLimit::new(key, text(difference.before), text(difference.after));
    let mut change = Change::new(parent, "value", vec![limit]);
    change.direction = verdict.direction;
    change.proved = verdict.direction != Direction::Unknown;
    change.notes.extend((!verdict.note.is_empty()).then(|| verdict.note.to_owned()));
    let site = |value: Option<&Value>, pointer: &[String]| match value {
        Some(_) => ChangeSite::Resource(pointer.to_vec()),
        None => ChangeSite::Absent,
    };
    change.old = site(difference.before, &difference.old);
    change.new = site(difference.after, &difference.new);
    change
}

/// Strings as they are, everything else as JSON.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Number of values without parts in a tree.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.values().map(leaves).sum(),
        Value::Array(items) => items.iter().map(leaves).sum(),
        _ => 1,
    }
}
