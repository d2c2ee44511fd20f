//! The files that a run writes: where they go, what would change, and writing them whole or not at all.

mod difference;
mod interrupt;
mod manifest;
mod plan;
mod process;
mod replace_text;
mod temporary;
mod write;

pub(crate) use difference::{removed, unified};
pub(crate) use interrupt::Deferral;
pub(crate) use manifest::is_output_directory;
pub(crate) use plan::{Plan, Wanted};
pub(crate) use replace_text::{Unreplaced, exchange};
pub(crate) use temporary::sweep_beside;
pub(crate) use write::{create_all, replace, replace_all};
