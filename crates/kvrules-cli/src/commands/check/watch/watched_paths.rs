//! Locations of the files that a run depends on.

use std::path::PathBuf;

use super::super::Check;
use crate::settings::Settings;

/// The files, directories and globs that are checked, seen from the working directory.
pub(super) fn checked_paths(check: &Check, settings: &Settings) -> Vec<PathBuf> {
    if check.inputs.paths.is_empty() {
        settings.config.inputs.iter().map(|entry| settings.path(entry.get_ref())).collect()
    } else {
        check.inputs.paths.clone()
    }
}

/// The other files that answers depend on: the baseline, and the file that says what rules are about, with and without
/// the choice behind its `#`.
pub(super) fn other_inputs(check: &Check, settings: &Settings) -> Vec<PathBuf> {
    let configured = &settings.config.lint.baseline;
    let configured = || configured.as_ref().map(|entry| settings.path(entry.get_ref()));
    let baseline = check.selection.baseline.clone().or_else(configured);
    let schemas = settings.written(&check.subject);
    let file = |schema: &PathBuf| Some(PathBuf::from(schema.to_str()?.rsplit_once('#')?.0));
    let files: Vec<PathBuf> = schemas.iter().filter_map(file).collect();
    baseline.into_iter().chain(files).chain(schemas).collect()
}
