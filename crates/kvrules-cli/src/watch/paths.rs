//! Directories to watch for files, and the names of files in events.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use kvrules::config::FILE_NAMES;

use crate::failure::Failure;
use crate::options::Global;

/// Returns the paths of existing or possible configurations: in the working directory and above it, up to the nearest one.
pub(crate) fn configuration_paths(global: &Global) -> Result<BTreeSet<PathBuf>, Failure> {
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

/// The directories to watch for a file, for all files below a directory, or for what matches a glob.
pub(crate) fn watch_directories(path: &Path) -> Vec<PathBuf> {
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
pub(crate) fn event_names(path: &Path) -> impl Iterator<Item = PathBuf> {
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
