//! The reference meaning of a rule: an interpreter of [`kvrules_ir::Predicate`] over JSON objects.
//!
//! Whatever another engine is given for a rule is checked against the answers of this crate, so it is plain enough to be
//! read in one sitting: `scope` finds the value at a place, `value` says what text and what integer that
//! value is, `interpret` puts predicates together from tests, `program` turns that into the verdict of a rule, and
//! `explain` shows how the verdict came about.
//!
//! ```
//! use kvrules_ir::{PlaceBase, Place, PlaceStep, Predicate, Presence, ValueTest, ValueType};
//! use serde_json::json;
//!
//! let machine = Place {
//!     base: PlaceBase::Root,
//!     steps: vec![PlaceStep::Field { name: "machine".to_owned(), presence: Presence::Optional }],
//!     value_type: ValueType::String,
//!     default: None,
//! };
//! let rule = Predicate::Test { place: machine, test: ValueTest::OneOf(["q35".to_owned()].into()) };
//! assert!(kvrules_eval::predicate_holds(&rule, &json!({"machine": "q35"})));
//! assert!(!kvrules_eval::predicate_holds(&rule, &json!({"machine": "pc"})));
//! assert!(!kvrules_eval::predicate_holds(&rule, &json!({})));
//! ```

mod scope;

mod value;

mod interpret;
mod patterns;

mod program;

mod explain;

pub use explain::{EvaluatedValue, Explainer, Explanation, LocatedValue, ValueOrigin, explain_rule};
pub use interpret::{CompiledPredicate, predicate_holds};
pub use patterns::PatternError;
pub use program::{Outcome, Program, Verdict};
