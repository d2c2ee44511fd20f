//! Readers of every dialect, catalogs of fields, and the one place where meaning is fixed.

pub mod annotation;
pub mod catalog;
mod elaborated_annotation;
mod equal_sets;
mod normal_form;
pub mod object;
pub mod path;
mod resolve;
pub mod template;

pub use elaborated_annotation::ElaboratedAnnotation;
pub use equal_sets::merge_equal_sets;
pub use normal_form::{Elaboration, elaborate_rule_set};
pub use resolve::{UnresolvedReason, resolve_path};
