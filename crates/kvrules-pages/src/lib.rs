//! Rules and extra specs as pages for readers: the words of [`prose`], put together as pages of facts and laid out by
//! templates.
//!
//! [`build_document()`] makes the pages of some rule sets, [`render_document()`] the files of a format. Between the two, whoever knows more
//! of the rules than what they mean (examples, the files that they are in) fills it in.

mod name_groups;
pub mod names;
mod output;
pub mod pictures;
pub mod prose;

mod author;
mod bodies;
mod build;
mod code_language;
pub mod document;
pub mod extra_specs;
pub mod fact;
mod fact_kind;
pub mod fact_picture;
mod facts;
mod formats;
mod gather_facts;
mod parallel;
mod render;
pub mod resources;
mod search;
mod text;
mod users;

pub use author::AuthorNotation;
pub use bodies::{lay_out_rules, lay_out_specs};
pub use build::{DocumentOptions, build_document};
pub use document::{Document, Text};
pub use formats::{
    FORMATS, Format, HTML, LaidOutFact, MARKDOWN, PageLinks, RESTRUCTUREDTEXT, encode_entities, escape_code,
    lay_out_fact,
};
pub use output::{EmitError, OutputFile, Template};
pub use parallel::largest_first;
pub use render::{lay_out_resource, render_document};
