//! Rule sets as pages for readers: the words of [`prose`](crate::prose), put together as a [`Document`] and laid out by
//! templates.
//!
//! [`build_document()`] makes the pages of some rule sets, [`render_document()`] the files of a format. Between the two, whoever knows more
//! of the rules than what they mean (examples, the files that they are in) fills it in.

mod author;
mod bodies;
mod build;
pub mod document;
pub mod extra_specs;
pub mod fact;
mod fact_kind;
mod facts;
mod formats;
mod gather_facts;
mod render;
mod text;
mod users;

pub use author::AuthorNotation;
pub use bodies::{lay_out_rules, lay_out_specs};
pub use build::{DocumentOptions, build_document};
pub use document::{Document, Text};
pub use formats::{FORMATS, Format, HTML, LaidOutFact, MARKDOWN, PageLinks, RESTRUCTUREDTEXT, lay_out_fact};
pub use render::{render_document, render_rule};

use crate::{Emission, EmitError, Fidelity, Request, RuleFidelity};

/// The pages of a request as a target. Documents express every rule completely.
pub(crate) fn emit_pages(format: &'static Format, request: &Request<'_>) -> Result<Emission, EmitError> {
    let document =
        build_document(request.sets, request.subject, &DocumentOptions::with_version(request.version));
    let files = render_document(format, &document, request.templates)?;
    let exact = |set: &str, rule: &str| RuleFidelity {
        set: set.to_owned(),
        rule: rule.to_owned(),
        fidelity: Fidelity::Exact,
    };
    let rules = request.sets.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule)));
    Ok(Emission { files, fidelity: rules.map(|(set, rule)| exact(&set.name, &rule.name)).collect() })
}
