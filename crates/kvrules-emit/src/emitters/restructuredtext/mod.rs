//! reStructuredText pages for Sphinx.

use kvrules_pages::RESTRUCTUREDTEXT;

use crate::{Artefact, Emitter, RuleSetEmitter, pages};

pub(crate) static EMITTER: Emitter = Emitter {
    name: "restructuredtext",
    summary: "reStructuredText pages for Sphinx, one for each rule set, and an index",
    options: &[],
    rule_sets: Some(RuleSetEmitter {
        artefact: Artefact::Document,
        unavailable: |_| None,
        emit: |request| pages::emit_pages(&RESTRUCTUREDTEXT, request),
    }),
    extra_specs: None,
    resources: None,
    authored: None,
};
