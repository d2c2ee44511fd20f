//! The way from a text to its units, rules and findings.

use kvrules_diagnostics::SourceFile;
use kvrules_elaborate::catalog::Catalog;

use crate::contents::find_units;
use crate::input::{ParsedFile, with_documents};
use crate::reading::FileReading;
use crate::source::ReadContext;
use crate::sources::SOURCES;

/// Reads a file with rules for VirtualMachines: its findings, and its rules. The name decides the format: Markdown and
/// reStructuredText by their extensions, all else YAML or JSON, with or without template tags.
///
/// ```
/// use kvrules::{FileId, SourceFile};
///
/// let text = r#"
/// vm.kubevirt.io/validations: |
///   [{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8}]
/// "#;
/// let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "templates/fedora.yaml", text));
/// assert_eq!(reading.diagnostics[0].message, "missing mandatory key `message` in rule `cores`");
/// assert_eq!((reading.contents.units[0].parts, reading.sets[0].name.as_str()), (1, "fedora"));
/// ```
pub fn read_rules(source: &SourceFile) -> FileReading {
    read_rules_with(source, Catalog::kubevirt_vm())
}

/// Reads a file with rules for objects that have the catalog's fields.
///
/// ```
/// use kvrules::{FileId, SourceFile};
///
/// let schema = "type: object\nproperties:\n  depth: {type: integer}\n";
/// let catalog = kvrules::read_catalog(&SourceFile::new(FileId(0), "pond.yaml", schema), None)?;
/// let rules = r#"
/// vm.kubevirt.io/validations: |
///   [{"name": "d", "rule": "integer", "message": "too deep", "path": "jsonpath::.dept", "max": 9}]
/// "#;
/// let reading = kvrules::read_rules_with(&SourceFile::new(FileId(1), "rules.yaml", rules), &catalog);
/// assert_eq!(reading.diagnostics[0].help.as_deref(), Some("did you mean `.depth`?"));
/// # Ok::<(), Vec<kvrules::Diagnostic>>(())
/// ```
pub fn read_rules_with(source: &SourceFile, catalog: &Catalog) -> FileReading {
    read_file(source, &ReadContext::new(catalog))
}

/// Reads a file: the units of every source in it, and the findings about them.
///
/// ```
/// use kvrules::{Catalog, FileId, ReadContext, SourceFile, read_file};
///
/// let text = "extra_specs: {'hw:cpu_policy': dedicted}\n";
/// let source = SourceFile::new(FileId(0), "gold.yaml", text);
/// let reading = read_file(&source, &ReadContext::new(Catalog::kubevirt_vm()));
/// assert_eq!(reading.contents.units[0].kind.singular, "flavor");
/// assert_eq!(reading.diagnostics[0].code, "KX201");
/// ```
pub fn read_file(source: &SourceFile, context: &ReadContext<'_>) -> FileReading {
    read_file_and(source, context, |_, _| ()).0
}

/// As [`read_file`], and has something else read the same documents, which are then parsed once.
pub fn read_file_and<T>(
    source: &SourceFile,
    context: &ReadContext<'_>,
    also: impl FnOnce(&ParsedFile<'_>, &FileReading) -> T,
) -> (FileReading, T) {
    with_documents(source, |file| {
        let mut reading = FileReading {
            contents: find_units(file),
            templated: file.input.template_readability(file.streams),
            ..FileReading::default()
        };
        for source in SOURCES {
            (source.check)(file, context, &mut reading);
        }
        reading.diagnostics.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        let other = also(file, &reading);
        (reading, other)
    })
}
