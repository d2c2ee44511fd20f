//! Judges: each takes one kind of claim that kvrules makes, generates random inputs, and compares every claim about them with an answer
//! that it finds by itself. A judge uses the product only through what users have, the façade `kvrules`, and shares no code with the part
//! that it judges.
//!
//! [`JUDGES`] lists them. Adding one means a module with a [`Judge`], and a line there.

mod artefacts;
mod decisions;
mod pages;
mod samples;
mod sentences;
mod words;
mod z3;

pub mod judge;
pub mod random;
pub mod sources;
pub mod tally;

pub use decisions::write_evaluations;
pub use judge::{Budget, JUDGES, Judge, SOLVER_JUDGE, find_judge};
pub use random::Random;
pub use tally::{Counts, Tally};
