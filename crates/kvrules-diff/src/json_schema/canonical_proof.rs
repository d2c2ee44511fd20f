//! Proofs that one schema accepts all values of another, by the canonical forms of the `jsonschema` crate.
//!
//! A proof concerns whole schemas. It settles differences for which no value was found; the module is experimental, so that a
//! value which contradicts it counts more than the proof.

use jsonschema::Draft;
use jsonschema::canonical::{self, Containment};
use kvrules_kubernetes::keywords::{KeywordRole, VALIDATIONS, find_keyword};
use serde_json::Value;

use super::source::SchemaSource;
use crate::bound::ImpliedDirection;
use crate::schema::values_in;

/// Proved containments of two schemas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContainmentProof {
    /// The new side accepts every value of the old side.
    pub rejects_nothing: bool,
    /// The old side accepts every value of the new side.
    pub accepts_nothing: bool,
}

/// Larger schemas are not made canonical: each level takes stack, and each combination of branches takes time.
const MOST_VALUES: u64 = 100;
const MOST_LEVELS: usize = 32;
const MOST_BRANCHES: usize = 4;

impl ContainmentProof {
    /// Compares two schemas. Nothing is proved of large ones, and of those with rules in CEL, which no form expresses.
    pub fn new(old: &SchemaSource, new: &SchemaSource) -> Self {
        let (old, new) = (old.to_document(), new.to_document());
        if ![&old, &new].into_iter().all(is_provable) {
            return Self::default();
        }
        let canonical = |schema: &Value| {
            let options = canonical::options().with_draft(Draft::Draft202012).should_validate_formats(true);
            options.offline().canonicalize(schema).ok()
        };
        let (Some(old), Some(new)) = (canonical(&old), canonical(&new)) else { return Self::default() };
        Self {
            rejects_nothing: matches!(new.covers(&old), Ok(Containment::Yes)),
            accepts_nothing: matches!(old.covers(&new), Ok(Containment::Yes)),
        }
    }

    /// Returns what remains of a bound that no value contradicts.
    pub(super) fn narrow_bound(self, bound: ImpliedDirection) -> ImpliedDirection {
        let (may_reject, may_accept) =
            (bound != ImpliedDirection::Looser, bound != ImpliedDirection::Tighter);
        match (may_reject && !self.rejects_nothing, may_accept && !self.accepts_nothing) {
            _ if bound == ImpliedDirection::Equal => bound,
            (true, true) => ImpliedDirection::Open,
            (true, false) => ImpliedDirection::Tighter,
            (false, true) => ImpliedDirection::Looser,
            (false, false) => ImpliedDirection::Equal,
        }
    }
}

fn is_provable(schema: &Value) -> bool {
    let mut branches = 0;
    values_in(schema) <= MOST_VALUES
        && count_levels(schema, &mut branches).is_some_and(|levels| levels <= MOST_LEVELS)
        && branches <= MOST_BRANCHES
}

/// Returns the number of levels, and counts branches and references; `None` if there are rules in CEL.
fn count_levels(schema: &Value, branches: &mut usize) -> Option<usize> {
    let below: Vec<&Value> = match schema {
        Value::Object(fields) if fields.contains_key(VALIDATIONS) => return None,
        Value::Object(fields) => {
            let is_branch = |key: &str| {
                key == "$ref" || find_keyword(key).is_some_and(|keyword| keyword.role == KeywordRole::Branch)
            };
            *branches += fields
                .iter()
                .filter(|(key, _)| is_branch(key))
                .map(|(_, value)| value.as_array().map_or(1, Vec::len))
                .sum::<usize>();
            fields.values().collect()
        }
        Value::Array(parts) => parts.iter().collect(),
        _ => Vec::new(),
    };
    below.into_iter().try_fold(1, |most: usize, value| Some(most.max(1 + count_levels(value, branches)?)))
}
