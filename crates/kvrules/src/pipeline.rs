//! The whole way, in the order in which it is walked.
//!
//! A text is parsed into documents; each source finds its units in them, reads and checks them: rules of annotations are
//! elaborated into predicates, and lints examine the result. Rule sets that mean the same are merged, and each target is
//! generated from what is left. Every stage is a crate of its own and knows only the stages before it.

use kvrules_ir::ElaboratedSet;

pub use kvrules_emit::targets::{compile_targets, is_applicable, lint_targets, partition_targets};
pub use kvrules_sources::{ParsedFile, read_file, read_file_and, read_rules, read_rules_with};

/// Merges rule sets with the same meaning into one, which lists all templates that use it.
///
/// ```
/// use kvrules::{FileId, SourceFile};
///
/// let text = r#"
/// vm.kubevirt.io/validations: |
///   [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8}]
/// "#;
/// let read = |id, name| kvrules::read_rules(&SourceFile::new(FileId(id), name, text)).sets;
/// let merged = kvrules::merge_rule_sets([read(0, "fedora.yaml"), read(1, "centos.yaml")].concat());
/// let users: Vec<_> = merged[0].used_by.iter().map(|user| user.name.as_str()).collect();
/// assert_eq!((merged.len(), users), (1, vec!["fedora", "centos"]));
/// ```
pub fn merge_rule_sets(sets: Vec<ElaboratedSet>) -> Vec<ElaboratedSet> {
    kvrules_elaborate::merge_equal_sets(sets)
}
