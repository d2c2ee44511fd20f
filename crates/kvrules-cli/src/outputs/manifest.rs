//! Files that an earlier run wrote to a directory, to distinguish files no longer generated from the user's own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::io_reason;

/// No list that we write is longer.
const LONGEST: u64 = 64 << 20;

/// The list of files in a directory that are ours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Manifest {
    /// For each target its files, below the directory.
    pub(super) files: BTreeMap<String, BTreeSet<String>>,
}

impl Manifest {
    /// Returns the path of the list of a directory. Glance loads every `.json` file of a directory, and `kubectl apply -f` every
    /// `.json` and `.yaml`, so the name ends in neither.
    pub(super) fn path(directory: &Path) -> PathBuf {
        directory.join(".kvrules-manifest")
    }

    /// Returns its former path.
    pub(super) fn former_path(directory: &Path) -> PathBuf {
        directory.join(".kvrules-manifest.json")
    }

    /// The list of a directory, which is empty if there is none. The error says which file that is there cannot be used,
    /// and why.
    pub(super) fn read(directory: &Path) -> Result<Self, (PathBuf, String)> {
        let mut manifest = Self::default();
        for path in [Self::path(directory), Self::former_path(directory)] {
            let listed = Self::read_file(&path).map_err(|why| (path, why))?;
            for (target, files) in listed.files {
                manifest.files.entry(target).or_default().extend(files);
            }
        }
        Ok(manifest)
    }

    fn read_file(path: &Path) -> Result<Self, String> {
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => return Err("it is not a regular file".to_owned()),
            Ok(metadata) if metadata.len() > LONGEST => return Err("it is too long".to_owned()),
            _ => {}
        }
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            // If a file is in place of the directory, there is no manifest; writing reports the error.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Self::default());
            }
            Err(error) => return Err(io_reason(&error)),
        };
        let manifest: Self = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        match manifest.files.values().flatten().find(|file| !is_below(file)) {
            Some(file) => Err(format!("`{file}` is not below the directory")),
            None => Ok(manifest),
        }
    }

    /// True if a file is listed for any target.
    pub(super) fn lists(&self, file: &str) -> bool {
        self.files.values().any(|files| files.contains(file))
    }

    pub(super) fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// True if kvrules writes to a directory, and lists there the files that it wrote.
pub(crate) fn is_output_directory(directory: &Path) -> bool {
    let paths = [Manifest::path(directory), Manifest::former_path(directory)];
    paths.iter().any(|path| path.symlink_metadata().is_ok())
}

/// True if a path is relative and stays below its start.
fn is_below(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_elsewhere_are_not_ours() {
        assert!(is_below("a/b.yaml"));
        assert!(!is_below("../a") && !is_below("/etc/passwd") && !is_below(""));
    }
}
