//! Shared parts of the suites and benches: the released bundles, and the measurements and their output.

pub mod bench;
pub mod cel;
pub mod conformance;
pub mod docutils;
pub mod fuzz;
pub mod guide_tables;
pub mod hostile;
pub mod objects;
pub mod old_forms;
pub mod pages;
pub mod policies;
pub mod schema_verdicts;
pub mod spec;
pub mod suites;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The released template bundles among the recorded data, by name; none where they are absent.
pub fn template_bundles() -> Vec<(String, String)> {
    let paths = kvrules_testdata::list_files("kubevirt/templates", "yaml").unwrap_or_default();
    let name =
        |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    paths.iter().filter_map(|path| Some((name(path), std::fs::read_to_string(path).ok()?))).collect()
}
