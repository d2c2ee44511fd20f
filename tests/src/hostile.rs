//! Hostile runs: damaged files of every kind through every subcommand of the real program, with varied options.
//!
//! A [`HostileCase`] is a command line and the files that it finds. [`CaseGenerator`] makes cases from the seeds in
//! `tests/cases/hostile/seeds`, [`TestedProgram`] runs them, and [`find_broken_property`] says which property a run breaks. What was found becomes a
//! file in `tests/cases/hostile`, which the tests run again.

mod case;
mod commands;
mod generate;
mod judge;
mod outcome;
mod program;
mod reduce;

pub use case::HostileCase;
pub use generate::CaseGenerator;
pub use judge::find_broken_property;
pub use outcome::{FileTree, RunOutcome};
pub use program::TestedProgram;
pub use reduce::reduce_case;
