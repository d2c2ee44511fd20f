//! Shared parts of the suites and benches: the location of recorded data, and the measurements and their output.

pub mod bench;
pub mod cel;
pub mod conformance;
pub mod fuzz;
pub mod guide_tables;
pub mod hostile;
pub mod objects;
pub mod old_forms;
pub mod spec;
pub mod suites;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// A path below `../shared`, beside the repository. Where it is not there, says plainly that `what` is skipped.
pub fn shared_path(path: &str, what: &str) -> Option<PathBuf> {
    let found = repository_root().parent()?.join("shared").join(path);
    if found.exists() {
        return Some(found);
    }
    println!("skipped: {what}: ../shared/{path} is not there");
    None
}

/// The released template bundles below `../shared`, by name.
pub fn template_bundles(what: &str) -> Vec<(String, String)> {
    let Some(folder) = shared_path("kubevirt/templates", what) else { return Vec::new() };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_yaml(path)).collect();
    paths.sort();
    let name =
        |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    paths.iter().filter_map(|path| Some((name(path), std::fs::read_to_string(path).ok()?))).collect()
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml")
}
