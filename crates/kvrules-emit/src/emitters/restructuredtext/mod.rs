//! reStructuredText pages for Sphinx.

use kvrules_pages::RESTRUCTUREDTEXT;

use crate::{Artefact, Emitter, pages};

pub(crate) static EMITTER: Emitter = Emitter {
    name: "restructuredtext",
    summary: "reStructuredText pages for Sphinx, one for each rule set, and an index",
    artefact: Artefact::Document,
    options: &[],
    unavailable: |_| None,
    emit: |request| pages::emit_pages(&RESTRUCTUREDTEXT, request),
};
