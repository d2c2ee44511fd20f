//! Hostile runs: damaged files of every kind through every subcommand of the real program, with varied options.
//!
//! A [`Case`] is a command line and the files that it finds. [`Generator`] makes cases from the seeds in
//! `tests/cases/hostile/seeds`, [`Program`] runs them, and [`find_broken_property`] says which property a run breaks. What was found becomes a
//! file in `tests/cases/hostile`, which the tests run again.

mod case;
mod commands;
mod generate;
mod judge;
mod outcome;
mod program;
mod reduce;

pub use case::Case;
pub use generate::Generator;
pub use judge::find_broken_property;
pub use outcome::{Outcome, Tree};
pub use program::Program;
pub use reduce::reduce_case;
