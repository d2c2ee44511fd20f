//! Definitions of extra specs among the inputs, for the commands that make or prove targets.

use kvrules::FileReading;
use kvrules::extra_specs::{Definition, DefinitionRegistry, definition_layers};

use crate::inputs::LoadedFiles;

/// The definitions that decide, with those that are built in before those of the inputs; none if the inputs define nothing.
pub(crate) fn in_force(loaded: &LoadedFiles) -> Vec<Definition> {
    let of_files = loaded.readings.iter().map(|reading: &FileReading| reading.definitions.clone());
    let own: Vec<_> = of_files.filter(|definitions| !definitions.is_empty()).collect();
    if own.is_empty() { Vec::new() } else { DefinitionRegistry::new(definition_layers(own)).in_force() }
}
