//! References without a target, and those to other documents.

use kvrules_diagnostics::Diagnostic;

use crate::lints::{EXTERNAL_REFERENCE, INVALID_KEYWORD_VALUE, UNRESOLVED_REFERENCE};
use crate::tree::{ReferenceTarget, SchemaTree};
use crate::value_form::is_unreadable;

/// Checks the targets of all references.
pub(super) fn check_references(tree: &SchemaTree<'_>, findings: &mut Vec<Diagnostic>) {
    let mut external = Vec::new();
    for reference in tree.references.iter().filter(|reference| !is_unreadable(reference.node)) {
        let (span, text) = (reference.node.span(), reference.node.text());
        match &reference.target {
            ReferenceTarget::NotSchema => {
                let message = format!("the target of `{text}` is not a schema");
                findings.push(UNRESOLVED_REFERENCE.diagnostic_at(span, message));
            }
            ReferenceTarget::Missing(similar) => {
                let found =
                    UNRESOLVED_REFERENCE.diagnostic_at(span, format!("unresolved reference `{text}`"));
                findings.push(found.help_if(similar.as_ref().map(|it| format!("did you mean `{it}`?"))));
            }
            ReferenceTarget::External(_) => external.push(reference.node),
            // In schemas the form of the value is checked with all other forms.
            ReferenceTarget::Malformed if reference.site.is_none() => {
                findings.push(INVALID_KEYWORD_VALUE.diagnostic_at(span, "`$ref` must be a URI reference"));
            }
            ReferenceTarget::Malformed | ReferenceTarget::Schema(_) | ReferenceTarget::Part => {}
        }
    }
    if let Some(first) = external.iter().map(|node| node.span()).min() {
        let (noun, verb) = if external.len() == 1 { ("reference", "is") } else { ("references", "are") };
        let message = format!("{} {noun} to other documents {verb} not followed", external.len());
        findings.push(EXTERNAL_REFERENCE.diagnostic_at(first, message));
    }
}
