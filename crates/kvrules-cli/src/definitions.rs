//! Definitions of extra specs among the inputs, for the commands that make or prove targets.

use kvrules::extra_specs::{
    Definition, DefinitionRegistry, Target, definition_layers, options_of, verify_definitions,
};
use kvrules::verify::Report;
use kvrules::{FileReading, Options};

use crate::inputs::LoadedFiles;

/// The definitions that decide, with those that are built in before those of the inputs; none if the inputs define nothing.
pub(crate) fn in_force(loaded: &LoadedFiles) -> Vec<Definition> {
    let of_files = loaded.readings.iter().map(|reading: &FileReading| reading.definitions.clone());
    let own: Vec<_> = of_files.filter(|definitions| !definitions.is_empty()).collect();
    if own.is_empty() { Vec::new() } else { DefinitionRegistry::new(definition_layers(own)).in_force() }
}

/// Verifies that targets express the meaning of definitions.
pub(crate) fn verify_own_targets(
    targets: &[&'static Target],
    definitions: &[Definition],
    options: &Options,
) -> Report {
    if targets.is_empty() || definitions.is_empty() {
        return Report::default();
    }
    verify_definitions(targets, definitions, &|target| options_of(target, options))
}
