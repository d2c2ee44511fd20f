//! Compares two rule sets, two structural schemas or two documents of extra specs by what they accept.
//!
//! Every difference is a [`Change`] with a [`Direction`]. What can be proved is proved: on predicates by `kvrules-solver`, on
//! values by arithmetic and finite automata, elsewhere by the kind of the change (a rule that is added refuses more and
//! never less). For a direction that is claimed there is a [`Witness`], a whole object on which both sides were asked. A direction without
//! an object and without a proof against it is unknown, also next to a witness for the other one. [`files`] does the same for whole
//! files: it reads the units in them and matches those of two sides.
//!
//! ```
//! use kvrules_diff::{Direction, schema};
//! use serde_json::json;
//!
//! let with_most = |most: i32| json!({"type": "object", "properties": {"n": {"type": "integer", "maximum": most}}});
//! let comparison = schema::compare_versions(&with_most(9), &with_most(5), &json!({}));
//! let change = &comparison.changes[0];
//! assert_eq!((change.at.as_str(), change.direction), ("n", Direction::Tightened));
//! assert_eq!(change.refused.as_ref().map(|witness| &witness.object), Some(&json!({"n": 6})));
//! ```

mod bound;
mod report;

pub mod extra_specs;
pub mod files;
pub mod json_schema;
pub mod resource;
pub mod rules;
pub mod schema;

pub use report::{
    Change, ChangeSite, ChangedLimit, Comparison, Direction, EffectAnswer, ExclusionProof, ProofExplanation,
    RequestSubject, Witness, WriteKind,
};
