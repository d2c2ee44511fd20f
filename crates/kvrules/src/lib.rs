//! kvrules: validation rules read once, checked, and compiled to every place where they are enforced or read.
//!
//! The way from text to files is [`read_rules`], [`merge_rule_sets`], [`compile_targets`], in the order of `pipeline.rs`:
//!
//! ```
//! use kvrules::{FileId, SourceFile};
//!
//! let text = r#"
//! vm.kubevirt.io/validations: |
//!   [{
//!     "name": "cores", "rule": "integer", "message": "at most 8 cores",
//!     "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8
//!   }]
//! "#;
//! let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "rules.yaml", text));
//! assert!(reading.diagnostics.is_empty());
//!
//! let sets = kvrules::merge_rule_sets(reading.sets);
//! let outputs = kvrules::compile_targets(kvrules::all_targets(), &kvrules::Request::for_virtual_machines(&sets))?;
//! assert!(outputs.iter().all(|output| !output.emission.files.is_empty()));
//! # Ok::<(), kvrules::EmitError>(())
//! ```

pub mod check;
mod compiled_policies;
pub mod config;
pub mod docs;
pub mod fmt;
pub mod import;
pub mod lift;
pub mod migrate;
mod pipeline;

pub use compiled_policies::compile_policies;
pub use config::{configured_losses, configured_options, configured_targets};
pub use kvrules_apiserver::definition::{AuthoredObjects, ResourceVersion};
pub use kvrules_diagnostics::{
    Applicability, Diagnostic, Edit, Exactness, FileId, Fingerprint, Fix, Label, Level, Lint, Position,
    SourceFile, Sources, Span, fingerprint_findings, render,
};
pub use kvrules_diff::files as diff;
pub use kvrules_docs::largest_first;
pub use kvrules_elaborate::catalog::{Catalog, DeclaredSchema, Subject, declared_schemas};
pub use kvrules_emit::targets::{TargetOutput, UnavailableTarget, loss};
pub use kvrules_emit::{
    Artefact, EXTRA_SPECS, Emission, EmitError, Emitter, Fidelity, Options, OutputFile, Request,
    RuleFidelity, TargetOption, Template, find_emitter,
};
pub use kvrules_ir::{ElaboratedRule, ElaboratedSet, OmittedRule, RuleSetUser, Severity};
pub use kvrules_pages::pictures;
pub use kvrules_rule_set as rule_set;
pub use kvrules_sources::{
    DeclaredPlace, FileContents, FileReading, Operation, OutlineEntry, OutlineKind, ReadContext, RuleAt,
    RuleHolder, SOURCES, SchemaBundle, Source, SubjectFiles, TemplateReadability, Unit, UnitCount,
    UnitEngine, UnitKind, all_unit_kinds, bundle_files, crd, declared_place, detect_contents, extra_specs,
    has_compiled_units, ignore_comment, included_files, outline_file, read_catalog, rule_at, subject_files,
    unchecked_unit_kinds, unit_kinds_of, with_documents, with_expression_at,
};
pub use kvrules_template_validator::divergence::{Difference, all_differences, difference_page};
pub use kvrules_test as test;
pub use kvrules_test::verdicts as eval;
pub use kvrules_triage::{
    AttemptedRepair, FixOptions, FixedFile, LintGroup, all_lints, find_group, fix_file, fix_file_in,
    fix_safely, is_offered, lint_groups, lint_page, new_code, select,
};
pub use kvrules_verify as verify;
pub use pipeline::{
    ParsedFile, compile_targets, is_applicable, lint_targets, merge_rule_sets, partition_targets, read_file,
    read_file_and, read_rules, read_rules_with,
};

/// The version of kvrules.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns every target, ordered by name.
///
/// ```
/// let names: Vec<_> = kvrules::all_targets().iter().map(|target| target.name).collect();
/// assert!(names.is_sorted() && names.contains(&"openapi") && names.contains(&"admission-policy"));
/// ```
pub fn all_targets() -> &'static [&'static Emitter] {
    kvrules_emit::EMITTERS
}

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
