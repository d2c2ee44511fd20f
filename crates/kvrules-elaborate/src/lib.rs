//! Readers of every dialect, catalogs of fields, and the one place where meaning is fixed.

pub mod annotation;
pub mod catalog;
mod normal_form;
pub mod object;
pub mod path;
mod resolve;
pub mod template;
mod unite;

pub use normal_form::{Elaboration, elaborate_rule_set};
pub use resolve::{Unresolved, resolve_path};
pub use unite::merge_equal_sets;
