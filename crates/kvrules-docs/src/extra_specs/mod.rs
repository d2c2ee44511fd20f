//! Documentation of extra specs: the words of their definitions, values that pass and that fail, and the fidelity of
//! the targets.
//!
//! Entries that stand for many names are described once, with all their names. What a definition means is asked of
//! kvrules-extra-specs, which evaluates the examples too.

mod claims;
mod examples;
mod gather;
mod input;
mod limits;
mod links;
mod page;
mod pattern;

pub use gather::extra_spec_pages;
pub use input::{SpecLayer, SpecPagesInput};
