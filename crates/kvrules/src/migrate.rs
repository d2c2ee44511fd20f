//! Migration of a file to the form of 201902, with the proof that the rules still mean what they meant.
//!
//! ```
//! use kvrules::{Catalog, FileId, SourceFile, migrate::{self, MigrationOutcome}};
//!
//! let text = "validations: |\n  [{\"name\": \"a\", \"rule\": \"integer\", \"message\": \"m\",\n    \"path\": \"/spec.domain.cpu.cores\", \"max\": 8}]\n";
//! let source = SourceFile::new(FileId(0), "a.yaml", text);
//! let migration = migrate::migrate_file(&source, Catalog::kubevirt_vm(), migrate::MigrationOptions::default());
//! assert!(matches!(migration.outcome(), MigrationOutcome::Migrated));
//! assert!(migration.text.contains("vm.kubevirt.io/validations: |"));
//! assert!(migration.text.contains("\"jsonpath::.spec.domain.cpu.cores\""));
//! ```

pub use kvrules_migrate::{
    EquivalenceProof, MeaningChange, Migration, MigrationChange, MigrationOptions, MigrationOutcome,
    migrate_file,
};
