//! The files that a run writes: where they go, what would change, and writing them whole or not at all.

mod difference;
mod interrupt;
mod manifest;
mod plan;
mod process;
mod replace_text;
mod temporary;
mod write;

pub(crate) use difference::{removal_diff, unified_diff};
pub(crate) use interrupt::InterruptDeferral;
pub(crate) use manifest::is_output_directory;
pub(crate) use plan::{OutputRequest, WritePlan};
pub(crate) use replace_text::{ReplaceError, replace_if_unchanged};
pub(crate) use temporary::sweep_beside;
pub(crate) use write::{create_all, replace_all, replace_file};
