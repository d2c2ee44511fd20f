//! JSON Schema and OpenAPI as CustomResourceDefinitions: everything of `kvrules-import`, and its notes as findings.
//!
//! ```
//! use kvrules::import::{ImportOptions, import_schema, notes_to_diagnostics};
//! use kvrules::loss::Loss;
//! use kvrules::{FileId, Level, SourceFile};
//!
//! let schema = "type: object\nproperties: {size: {type: string, format: regex}}\n";
//! let imported = import_schema(&SourceFile::new(FileId(0), "box.yaml", schema), &ImportOptions::default())?;
//! let found = notes_to_diagnostics(&imported.notes, Loss::Warn);
//! assert_eq!(found[0].message, "the server does not check the format `regex` (wider)");
//! assert_eq!(notes_to_diagnostics(&imported.notes, Loss::Error)[0].level, Level::Error);
//! # Ok::<(), Vec<kvrules::Diagnostic>>(())
//! ```

mod context;
mod policies;
mod read_back;
mod rule_sets;
mod template_tags;
mod templates;

use kvrules_diagnostics::{Diagnostic, Exactness, Level, SourceFile, Span};
use kvrules_emit::targets::loss::Loss;
use kvrules_syntax::source_stream;

pub use self::context::ImportContext;
pub use self::rule_sets::{ImportedRuleCounts, RuleSetImport, import_rule_sets};
pub use kvrules_import::{
    DefinitionNames, ImportNote, ImportNoteKind, ImportOptions, ImportedForm, ImportedRule, ImportedRuleSet,
    ImportedSchema, InvalidName, build_definition, import_definition_rules, import_schema_rules, to_yaml,
    version_rule_set,
};

/// Restates the schema of a file, in JSON Schema or OpenAPI, as a structural schema.
///
/// # Errors
///
/// Problems that keep the schema from being read, with locations: a file without a document or with several ones, invalid
/// syntax, references that are circular or point elsewhere.
///
/// ```
/// use kvrules::import::{ImportOptions, import_schema};
/// use kvrules::{FileId, SourceFile};
///
/// let import = |text: &str| import_schema(&SourceFile::new(FileId(0), "box.yaml", text), &ImportOptions::default());
/// let schema = "type: object\nproperties: {size: {$ref: '#/$defs/size'}}\n$defs: {size: {type: integer, minimum: 1}}\n";
/// assert_eq!(import(schema).unwrap().schema["properties"]["size"]["minimum"], 1);
/// assert_eq!(import("").unwrap_err()[0].message, "the file is empty");
/// ```
pub fn import_schema(
    source: &SourceFile,
    options: &ImportOptions,
) -> Result<ImportedSchema, Vec<Diagnostic>> {
    let stream = source_stream(source);
    let start = Span::new(source.id(), 0, 0);
    let mut documents = stream.documents.iter().filter(|document| document.root().is_some());
    match (documents.next(), documents.next()) {
        (Some(document), None) => kvrules_import::import_document(document, options).map_err(|problems| {
            let to_diagnostic = |problem: kvrules_import::ImportProblem| {
                let span = if problem.span == Span::default() { start } else { problem.span };
                Diagnostic { help: problem.help, ..note_diagnostic(Level::Error, span, problem.message) }
            };
            problems.into_iter().map(to_diagnostic).collect()
        }),
        (None, _) => Err(vec![note_diagnostic(Level::Error, start, "the file is empty".to_owned())]),
        (Some(_), Some(second)) => {
            let span = second.root().map_or(start, kvrules_syntax::Node::span);
            let message = "the file contains several documents; import one schema at a time".to_owned();
            Err(vec![note_diagnostic(Level::Error, span, message)])
        }
    }
}

/// Returns notes as findings. Losses have the level that `losses` decides, and are left out if they are allowed.
///
/// ```
/// use kvrules::import::{ImportOptions, import_schema, notes_to_diagnostics};
/// use kvrules::{FileId, Level, SourceFile, loss::Loss};
///
/// let schema = "type: object\nproperties: {size: {type: string, format: regex}}\n";
/// let imported = import_schema(&SourceFile::new(FileId(0), "box.yaml", schema), &ImportOptions::default())?;
/// assert_eq!(notes_to_diagnostics(&imported.notes, Loss::Warn)[0].level, Level::Warning);
/// assert!(notes_to_diagnostics(&imported.notes, Loss::Allow).is_empty());
/// # Ok::<(), Vec<kvrules::Diagnostic>>(())
/// ```
pub fn notes_to_diagnostics(notes: &[ImportNote], losses: Loss) -> Vec<Diagnostic> {
    notes
        .iter()
        .filter_map(|note| Some(note_diagnostic(note_level(note, losses)?, note.span, note_message(note))))
        .collect()
}

fn note_level(note: &ImportNote, losses: Loss) -> Option<Level> {
    let of_loss = match losses {
        Loss::Error => Some(Level::Error),
        Loss::Warn => Some(Level::Warning),
        Loss::Allow => None,
    };
    match (note.kind, note.effect) {
        (ImportNoteKind::Mistake, Exactness::Exact) => Some(Level::Warning),
        (ImportNoteKind::Mistake, _) => of_loss.or(Some(Level::Warning)),
        (ImportNoteKind::Loss, _) => of_loss,
        (ImportNoteKind::Cel | ImportNoteKind::Remark, _) => Some(Level::Info),
    }
}

fn note_message(note: &ImportNote) -> String {
    match note.effect {
        Exactness::Exact => note.message.clone(),
        effect => format!("{} ({})", note.message, effect.as_str()),
    }
}

fn note_diagnostic(level: Level, span: Span, message: String) -> Diagnostic {
    Diagnostic { level, ..Diagnostic::refused_input("import", span, message) }
}
