//! Markdown pages: CommonMark with GitHub's manners, which mdBook shares.

mod escape;

use crate::prose::{self, Format, Inline, Prose};
use crate::{Artefact, Emission, EmitError, Emitter, Request};

pub(crate) static EMITTER: Emitter = Emitter {
    name: "markdown",
    summary: "Markdown pages, one for each rule set, and an index",
    artefact: Artefact::Document,
    options: &[],
    emit,
};

const FORMAT: Format = Format {
    folder: "markdown",
    extension: "md",
    index: include_str!("../../../../../templates/markdown/index.md.j2"),
    rule_set: include_str!("../../../../../templates/markdown/rule_set.md.j2"),
    prose: markup,
};

fn emit(request: &Request<'_>) -> Result<Emission, EmitError> {
    prose::emit(&FORMAT, request)
}

fn markup(prose: &Prose) -> String {
    let mut out = String::new();
    for piece in prose.pieces() {
        let said = match piece {
            Inline::Text(text) => escape::text(text, out.is_empty()),
            Inline::Code(code) => escape::code(code),
        };
        out.push_str(&said);
    }
    out.trim().to_owned()
}
