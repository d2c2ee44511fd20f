//! reStructuredText pages for Sphinx.

mod escape;

use crate::prose::{self, Format, Inline, Prose};
use crate::{Artefact, Emission, EmitError, Emitter, Request};

pub(crate) static EMITTER: Emitter = Emitter {
    name: "restructuredtext",
    summary: "reStructuredText pages for Sphinx, one for each rule set, and an index",
    artefact: Artefact::Document,
    options: &[],
    emit,
};

const FORMAT: Format = Format {
    folder: "restructuredtext",
    extension: "rst",
    index: include_str!("../../../../../templates/restructuredtext/index.rst.j2"),
    rule_set: include_str!("../../../../../templates/restructuredtext/rule_set.rst.j2"),
    prose: markup,
};

fn emit(request: &Request<'_>) -> Result<Emission, EmitError> {
    prose::emit(&FORMAT, request)
}

fn markup(prose: &Prose) -> String {
    let mut out = String::new();
    let mut after_code = false;
    for piece in prose.pieces() {
        match piece {
            Inline::Text(text) => {
                let said = escape::text(text, out.is_empty());
                if after_code && !escape::may_follow_code(&said) {
                    out.push_str("\\ ");
                }
                out.push_str(&said);
                after_code = false;
            }
            Inline::Code(code) => {
                if !escape::may_precede_code(&out) {
                    out.push_str("\\ ");
                }
                out.push_str(&escape::code(code));
                after_code = true;
            }
        }
    }
    out.trim().to_owned()
}
