//! Files as their sources see them: the units in them, the rules and definitions that they hold, and the findings about both.
//!
//! A source is a folder in `sources` with one entry in the registry there. [`read_file`] asks each of them in turn; what the
//! author wants ignored is found on the way, and applied by kvrules-triage.
//!
//! ```
//! use kvrules::{Catalog, FileId, ReadContext, SourceFile, read_file};
//!
//! let source = SourceFile::new(FileId(0), "a.yaml", "validations: '[]'\n");
//! let reading = read_file(&source, &ReadContext::new(Catalog::kubevirt_vm()));
//! assert_eq!(reading.contents.units[0].kind.singular, "rule set");
//! assert_eq!(reading.diagnostics[0].name, "empty_annotation");
//! ```

mod catalog;
mod contents;
pub mod crd;
mod declared_place;
mod definitions;
pub mod extra_specs;
mod ignores;
mod input;
mod outline;
mod read;
mod reading;
mod rule_at;
mod rule_set_costs;
mod source;
mod sources;
mod subjects;
mod units;

pub use catalog::read_catalog;
pub use contents::{
    all_unit_kinds, detect_contents, has_compiled_units, unchecked_unit_kinds, unit_kinds_of,
};
pub use declared_place::{DeclaredPlace, declared_place};
pub use definitions::{VersionSchema, read_definition, read_resource};
pub use ignores::{IgnoreDirective, IgnoreEntry, IgnoreFault, ignore_comment};
pub use input::{
    Input, ParsedFile, ParsedStreams, TemplateReadability, with_documents, with_written_documents,
};
pub use kvrules_json_schema::{SchemaBundle, SchemaLanguage, bundle_files};
pub use outline::{OutlineEntry, OutlineKind, outline_file};
pub use read::{read_file, read_file_and, read_rules, read_rules_with};
pub use reading::{FileReading, hides_others};
pub use rule_at::{RuleAt, RuleHolder, rule_at, with_expression_at};
pub use source::{ReadContext, Source};
pub use sources::SOURCES;
pub use subjects::{SubjectFiles, included_files, subject_files};
pub use units::{FileContents, Operation, RULE_TESTS_KIND, Unit, UnitCount, UnitEngine, UnitKind};
