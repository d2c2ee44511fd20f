//! Values and objects that a person would write, for examples on pages. Each is evaluated by the emulation of the server before it is
//! shown, so that a name that misleads the choice of a value costs an example its looks and never its truth.

mod complete;
mod object;
mod rule;
mod satisfied;
mod tidy;
mod usual;
mod value;

pub(crate) use complete::complete_items;
pub(crate) use object::{object_head, sample_objects, with_parts};
pub(crate) use rule::{PlaceServer, RuleSample, TRIES, allowed_changes, rule_samples, values_around};
pub(crate) use satisfied::{PlaceRule, place_rules, satisfying_values};
pub(crate) use tidy::tidy_added_parts;
