//! Relations between rules, decided on their predicates: does one rule imply another, do two contradict each other, can
//! a rule ever apply, be violated, be satisfied?
//!
//! Every question is whether some object makes some predicates hold and others not ([`find_object`]). Predicates are taken
//! apart into what they ask of single places (`case`), for each place a value is looked for (`value`), with finite automata where
//! regular expressions meet and with arithmetic where places are compared, and what was found is put together to an
//! object (`object`), which `kvrules-eval` evaluates before it is reported.
//!
//! So a "yes" is a proof, a "no" comes with an object that shows it, and what is neither is said to be unknown. All
//! of this is over objects whose fields have the types that the catalog gives them.
//!
//! ```
//! use kvrules_ir::{PlaceBase, Interval, Place, PlaceStep, Predicate, Presence, ValueTest, ValueType};
//! use kvrules_solver::{SearchResult, find_object};
//!
//! let step = PlaceStep::Field { name: "cores".to_owned(), presence: Presence::Optional };
//! let cores = Place { base: PlaceBase::Root, steps: vec![step], value_type: ValueType::Integer, default: None };
//! let at_least = |min: i32| Predicate::Test {
//!     place: cores.clone(),
//!     test: ValueTest::Integer(Interval { min: Some(min.into()), max: None }),
//! };
//! // At least four cores implies at least two, but not the reverse.
//! assert_eq!(find_object(&[(&at_least(4), true), (&at_least(2), false)]), SearchResult::Nothing);
//! assert!(matches!(find_object(&[(&at_least(2), true), (&at_least(4), false)]), SearchResult::Object(_)));
//! ```

mod address;
mod term_comparison;
mod unknown_reason;

mod value_facts;

mod goal;

mod case;
mod decompose;
mod numbers;

mod object;
mod patterns;
mod value;

mod search;

mod prover;
mod relation;

pub use prover::Prover;
pub use relation::{ProofAnswer, always_holds};
pub use search::{SearchResult, find_object};
pub use unknown_reason::UnknownReason;
