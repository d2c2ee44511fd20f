//! Pages as a target.

use kvrules_pages::{DocumentOptions, Format, build_document, render_document};

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
    let fidelity = rules.map(|(set, rule)| exact(&set.name, &rule.name)).collect();
    Ok(Emission { files, fidelity, ..Emission::default() })
}
