//! Locations of the files that a run depends on, and the directories to watch for them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use kvrules::config::FILE_NAMES;

use super::super::Check;
use crate::failure::Failure;
use crate::options::Global;
use crate::settings::Settings;

/// Returns the paths of existing or possible configurations: in the working directory and above it, up to the nearest one.
pub(super) fn configuration_paths(global: &Global) -> Result<BTreeSet<PathBuf>, Failure> {
    if global.no_config {
        return Ok(BTreeSet::new());
    }
    if let Some(path) = &global.config {
        return Ok(event_names(path).collect());
    }
    let here = Path::new(".").canonicalize();
    let here = here.map_err(|error| Failure::file("read", Path::new("."), &error))?;
    let mut places = BTreeSet::new();
    for directory in here.ancestors() {
        let files = FILE_NAMES.map(|name| directory.join(name));
        let ends = files.iter().any(|file| file.is_file());
        places.extend(files);
        if ends {
            break;
        }
    }
    Ok(places)
}

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

/// The directories to watch for a file, for all files below a directory, or for what matches a glob.
pub(super) fn watch_directories(path: &Path) -> Vec<PathBuf> {
    let root = if path.symlink_metadata().is_ok() { path.to_owned() } else { literal_prefix(path) };
    if !root.is_dir() {
        return root.parent().map(Path::to_owned).into_iter().collect();
    }
    let mut walk = WalkBuilder::new(&root);
    // Walk as the search for files does. Directories that cannot be entered have no files to check.
    walk.require_git(false).filter_entry(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
    let below = walk.build().filter_map(Result::ok).map(ignore::DirEntry::into_path);
    // Events of the parent report if the directory itself is removed or created.
    below.chain(root.parent().map(Path::to_owned)).chain([root]).collect()
}

/// The part of a path before its first glob, which is the path itself if there is none.
fn literal_prefix(path: &Path) -> PathBuf {
    let is_glob = |part: &std::ffi::OsStr| part.to_string_lossy().contains(['*', '?', '[', '{']);
    let whole = path.components().all(|part| !is_glob(part.as_os_str()));
    let literal: PathBuf = path.components().take_while(|part| whole || !is_glob(part.as_os_str())).collect();
    if literal.as_os_str().is_empty() { PathBuf::from(".") } else { literal }
}

/// Returns the names of a file in events: its name in its real directory, and, behind a link, that of the file itself.
pub(super) fn event_names(path: &Path) -> impl Iterator<Item = PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named = parent.canonicalize().ok().zip(path.file_name()).map(|(parent, name)| parent.join(name));
    let real = path.canonicalize().ok().filter(|real| Some(real) != named.as_ref());
    named.into_iter().chain(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_watched_from_its_literal_part() {
        assert_eq!(literal_prefix(Path::new("a/b/*.yaml")), Path::new("a/b"));
        assert_eq!(literal_prefix(Path::new("**/c.yaml")), Path::new("."));
        assert_eq!(literal_prefix(Path::new("a/none.yaml")), Path::new("a/none.yaml"));
    }
}
