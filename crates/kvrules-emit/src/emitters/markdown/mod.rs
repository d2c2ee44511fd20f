//! Markdown pages: CommonMark with GitHub's manners, which mdBook shares.

use crate::pages::{self, MARKDOWN};
use crate::{Artefact, Emitter};

pub(crate) static EMITTER: Emitter = Emitter {
    name: "markdown",
    summary: "Markdown pages, one for each rule set, and an index",
    artefact: Artefact::Document,
    options: &[],
    unavailable: |_| None,
    emit: |request| pages::emit_pages(&MARKDOWN, request),
};
