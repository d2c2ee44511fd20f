//! Definitions of extra specs that are not built in.

mod own;

pub(crate) use own::{DefinitionArgs, OwnDefinitions};

use kvrules::extra_specs::Definition;

use crate::failure::Failure;
use crate::settings::Settings;

/// Reads the definitions that the configuration names.
pub(crate) fn configured_definitions(settings: &Settings) -> Result<Vec<Vec<Definition>>, Failure> {
    let given = DefinitionArgs::default().read(settings)?;
    if given.has_errors() {
        let message =
            "definitions of extra specs in `extra-specs.definitions` of the configuration have errors";
        return Err(Failure::new(message).help("`kvrules check` of their files reports them"));
    }
    Ok(given.layers)
}
