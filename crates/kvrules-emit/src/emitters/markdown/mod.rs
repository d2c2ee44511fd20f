//! Markdown pages: CommonMark with GitHub's manners, which mdBook shares.

use kvrules_pages::MARKDOWN;

use crate::{Artefact, Emitter, pages};

pub(crate) static EMITTER: Emitter = Emitter {
    name: "markdown",
    summary: "Markdown pages, one for each rule set, and an index",
    artefact: Artefact::Document,
    options: &[],
    unavailable: |_| None,
    emit: |request| pages::emit_pages(&MARKDOWN, request),
};
