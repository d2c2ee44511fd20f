//! Proves claims of targets over real and recorded rules, and disproves them where an artefact is broken on purpose.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests may stop at the first surprise and show their counts"
)]

mod annotation_rule_sets;
mod bundles;
mod extra_specs;
mod limits;
mod mutations;
mod recorded;
mod resource_policies;
mod resource_schemas;
mod rule_set_defaults;
mod rule_sets;
mod rules;
mod subresources;
