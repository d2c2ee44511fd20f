//! Definitions of extra specs in documents, with all findings about them.

use kvrules_diagnostics::Diagnostic;
use kvrules_extra_specs::{
    Definition, DefinitionConflict, DefinitionRegistry, read_document, shipped_document,
};
use kvrules_syntax::Document;

use super::layers::stands_for_nova;

/// Reads the definitions of a document, and adds what is wrong with them.
pub(crate) fn read_document_definitions(
    document: &Document<'_>,
    found: &mut Vec<Diagnostic>,
) -> Vec<Definition> {
    let (read, problems) = read_document(document);
    found.extend(problems);
    let definitions = read.expand_definitions();
    found.extend(of_conflicts(definitions.clone()));
    definitions
}

/// Returns the conflicts of definitions with those that Nova ships, which apply first.
///
/// ```
/// use kvrules::FileId;
/// use kvrules::extra_specs::{of_conflicts, parse_definitions};
///
/// let text = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
///             - {name: 'hw:cpu_policy', description: How processors are shared., value: {type: boolean}}\n";
/// let conflicts = of_conflicts(parse_definitions(FileId(0), text).0.expand_definitions());
/// assert_eq!(conflicts[0].message, "`hw:cpu_policy` is already defined, and the first definition applies");
/// ```
pub fn of_conflicts(definitions: Vec<Definition>) -> Vec<Diagnostic> {
    // A document of Nova's own definitions, such as the output of `kvrules import nova`, replaces the shipped ones.
    if stands_for_nova(&definitions) {
        return Vec::new();
    }
    let registry = DefinitionRegistry::new([shipped_document().expand_definitions(), definitions]);
    registry.conflicts().iter().map(DefinitionConflict::to_diagnostic).collect()
}
