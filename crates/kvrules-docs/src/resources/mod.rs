//! Pages about definitions and policies: a page for each served version of a definition with its fields and their rules, and one
//! for each policy with what it matches and demands, and with its bindings.
//!
//! What a resource is, is decided by kvrules-apiserver; here it is put into words. The layouts see sections, entries and facts.

mod bindings;
mod bounds;
mod build;
mod costs;
mod definition;
mod definition_targets;
mod descriptions;
mod field_facts;
mod field_type;
mod fields;
mod input;
mod matching;
mod names;
mod param_samples;
mod policy;
mod policy_samples;
mod policy_targets;
mod rule_facts;
mod rule_index;
mod rule_set_samples;
mod rule_set_targets;
mod rule_sets;
mod sampled_validation;
mod schema_place;
mod selectors;
mod states;
mod target_fidelity;
mod values;

pub use build::add_resource_pages;
pub use input::ResourcePagesInput;
