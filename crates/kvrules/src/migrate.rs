//! Migration of a file to the form of 201902, with the proof that the rules still mean what they meant.

pub use kvrules_migrate::{
    EquivalenceProof, MeaningChange, Migration, MigrationChange, MigrationOptions, MigrationOutcome,
    migrate_file,
};
