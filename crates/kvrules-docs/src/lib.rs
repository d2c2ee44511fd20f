//! Documentation of rules beyond their meaning: values that pass and that fail, the CEL that enforces them, the
//! fidelity of each target, and the file and line of each rule.
//!
//! The words of a rule come from kvrules-pages, which also lays pages out. [`build_pages`] asks the other stages for the rest:
//! kvrules-verify makes the objects that examples are cut from, kvrules-eval evaluates them, the emitters say what they
//! claim. What comes out is a [`Document`], which templates and programs read alike.

mod changes;
mod enforcement;
mod examples;
mod extra_specs;
mod group;
mod places;
mod resources;
mod rule_pages;
mod samples;

pub use changes::{ChangeEffect, ChangedResource, ChangedVersion, ResourceChange, add_changes};
pub use extra_specs::{SpecLayer, SpecPagesInput, extra_spec_pages};
pub use group::Grouping;
pub use places::RuleLocations;
pub use resources::{ResourcePagesInput, add_resource_pages};
pub use rule_pages::{PagesInput, build_pages};

pub use kvrules_pages::document;
pub use kvrules_pages::extra_specs as spec_pages;
pub use kvrules_pages::extra_specs::{SpecsDocument, render_extra_specs};
pub use kvrules_pages::fact;
pub use kvrules_pages::resources as resource_pages;
pub use kvrules_pages::{
    AuthorNotation, Document, FORMATS, Format, HTML, LaidOutFact, MARKDOWN, PageLinks, RESTRUCTUREDTEXT,
    Text, encode_entities, escape_code, largest_first, lay_out_fact, lay_out_resource, lay_out_rules,
    lay_out_specs, render_document,
};
