//! reStructuredText pages for Sphinx.

use crate::pages::{self, RESTRUCTUREDTEXT};
use crate::{Artefact, Emitter};

pub(crate) static EMITTER: Emitter = Emitter {
    name: "restructuredtext",
    summary: "reStructuredText pages for Sphinx, one for each rule set, and an index",
    artefact: Artefact::Document,
    options: &[],
    unavailable: |_| None,
    emit: |request| pages::emit_pages(&RESTRUCTUREDTEXT, request),
};
