//! Markdown pages: CommonMark with GitHub's manners, which mdBook shares.

use kvrules_pages::MARKDOWN;

use crate::{Artefact, Emitter, RuleSetEmitter, pages};

pub(crate) static EMITTER: Emitter = Emitter {
    name: "markdown",
    summary: "Markdown pages, one for each rule set, and an index",
    options: &[],
    rule_sets: Some(RuleSetEmitter {
        artefact: Artefact::Document,
        unavailable: |_| None,
        emit: |request| pages::emit_pages(&MARKDOWN, request),
    }),
    extra_specs: None,
    resources: None,
    authored: None,
};
