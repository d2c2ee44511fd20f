//! Definitions of extra specs in documents, with all findings about them.

use kvrules_diagnostics::Diagnostic;
use kvrules_extra_specs::{
    Definition, DefinitionConflict, DefinitionRegistry, is_definitions, read_document, shipped_document,
};
use kvrules_syntax::Document;

use super::layers::stands_for_nova;

/// The definitions of documents, and what is wrong with them.
pub(crate) fn read_document_definitions(
    documents: &[&Document<'_>],
    found: &mut Vec<Diagnostic>,
) -> Vec<Definition> {
    let mut all = Vec::new();
    for document in documents.iter().filter(|document| is_definitions(document)) {
        let (read, problems) = read_document(document);
        found.extend(problems);
        let definitions = read.expand_definitions();
        all.extend_from_slice(&definitions);
        found.extend(of_conflicts(definitions));
    }
    all
}

/// Returns the conflicts of definitions with those that Nova ships, which decide first.
pub fn of_conflicts(definitions: Vec<Definition>) -> Vec<Diagnostic> {
    // A document of Nova's own definitions, such as the output of `kvrules import nova`, replaces the shipped ones.
    if stands_for_nova(&definitions) {
        return Vec::new();
    }
    let registry = DefinitionRegistry::new([shipped_document().expand_definitions(), definitions]);
    registry.conflicts().iter().map(DefinitionConflict::to_diagnostic).collect()
}
