//! Problems of documents of definitions, as findings with a code.

use kvrules_diagnostics::{Diagnostic, Level, Span};
use kvrules_extra_specs::{
    ConflictKind, Definition, DefinitionConflict, DefinitionRegistry, DocumentProblem, DocumentProblemKind,
    is_definitions, read_document, shipped_document,
};
use kvrules_syntax::Document;

use super::layers::stands_for_nova;
use crate::registry::LINTS;

/// A finding of a lint, at its level.
pub(super) fn coded_diagnostic(code: &str, span: Span, message: String) -> Diagnostic {
    let lint = LINTS.iter().find(|lint| lint.code == code);
    let (code, name, level) =
        lint.map_or(("KX101", "definition_shape", Level::Error), |lint| (lint.code, lint.name, lint.level));
    Diagnostic::new(code, name, level, span, message)
}

/// The definitions of documents, and what is wrong with them.
pub(crate) fn read_document_definitions(
    documents: &[&Document<'_>],
    found: &mut Vec<Diagnostic>,
) -> Vec<Definition> {
    let mut all = Vec::new();
    for document in documents.iter().filter(|document| is_definitions(document)) {
        let (read, problems) = read_document(document);
        found.extend(of_problems(&problems));
        let definitions = read.expand_definitions();
        all.extend_from_slice(&definitions);
        found.extend(of_conflicts(definitions));
    }
    all
}

/// Problems of a document.
pub fn of_problems(problems: &[DocumentProblem]) -> Vec<Diagnostic> {
    let to_diagnostic = |problem: &DocumentProblem| {
        let found = coded_diagnostic(problem_code(problem.kind), problem.span, problem.message.clone());
        let found = match problem.related {
            Some(greatest) if problem.kind == DocumentProblemKind::EmptyRange => {
                found.with_secondary_label(greatest, "the greatest")
            }
            Some(first) => found.with_secondary_label(first, "the first is here"),
            None => found,
        };
        Diagnostic { help: problem.help.clone(), ..found }
    };
    problems.iter().map(to_diagnostic).collect()
}

/// Returns the conflicts of definitions with those that Nova ships, which decide first.
pub fn of_conflicts(definitions: Vec<Definition>) -> Vec<Diagnostic> {
    // A document of Nova's own definitions, such as the output of `kvrules import nova`, replaces the shipped ones.
    if stands_for_nova(&definitions) {
        return Vec::new();
    }
    let registry = DefinitionRegistry::new([shipped_document().expand_definitions(), definitions]);
    registry.conflicts().iter().map(of_conflict).collect()
}

/// A conflict between definitions.
pub fn of_conflict(conflict: &DefinitionConflict) -> Diagnostic {
    let span = conflict.origin.span().unwrap_or_default();
    let found = coded_diagnostic("KX110", span, conflict.to_message());
    found.with_help(match conflict.kind {
        ConflictKind::SameName => "the built-in definitions take precedence; choose another name",
        ConflictKind::Shadowed => "choose a name that no pattern of the built-in definitions matches",
        ConflictKind::Overlap => "restrict the pattern of the parameter if that is not intended",
    })
}

/// The code of a kind of problem.
fn problem_code(kind: DocumentProblemKind) -> &'static str {
    match kind {
        DocumentProblemKind::UnknownType => "KX102",
        DocumentProblemKind::BadPattern => "KX103",
        DocumentProblemKind::UndefinedParameter | DocumentProblemKind::BadParameter => "KX104",
        DocumentProblemKind::DuplicateName => "KX105",
        DocumentProblemKind::EmptyRange | DocumentProblemKind::BadEnum => "KX106",
        DocumentProblemKind::UnportablePattern => "KX107",
        DocumentProblemKind::BadDeprecation => "KX108",
        DocumentProblemKind::MissingDescription => "KX109",
        DocumentProblemKind::UnusedParameter
        | DocumentProblemKind::IgnoredEnum
        | DocumentProblemKind::IdleValue => "KX111",
        _ => "KX101",
    }
}
