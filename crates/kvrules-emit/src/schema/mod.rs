//! Predicates as JSON schemas.
//!
//! The way down has three parts. `lower` turns a predicate into a `Shape`, which says what one value must
//! look like: its fields, its items, its text. Shapes of several rules merge into one, field by field, so a rule set
//! becomes one readable tree. `build` writes a shape down in the keywords of a [`Dialect`]. What a schema cannot
//! express ends the first part with the cause; what it says with small departures is collected in the second.

mod build;
mod choices;
mod dialect;
mod implicit_value;
mod leaf;
mod losses;
mod lower;
mod merge;
mod quantities;
mod rule_set;
mod shape;
mod test;
pub(crate) mod text;

pub mod quantity_pattern;

pub use dialect::Dialect;
pub use quantities::QuantityMode;
pub(crate) use quantities::{OPTION as QUANTITIES, UNCOMMON};
pub use rule_set::{RuleSetSchema, of_predicate, of_rule_set};
