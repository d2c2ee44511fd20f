//! What an earlier run wrote to a directory, so that files no longer produced can be told from the user's own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The list of files in a directory that are ours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Manifest {
    /// For each target its files, below the directory.
    pub(super) files: BTreeMap<String, BTreeSet<String>>,
}

impl Manifest {
    /// Where the list of a directory stands.
    pub(super) fn path(directory: &Path) -> PathBuf {
        directory.join(".kvrules-manifest.json")
    }

    /// The list of a directory; an unreadable one lists nothing, so that nothing is taken for ours that may not be.
    pub(super) fn read(directory: &Path) -> Self {
        let text = std::fs::read_to_string(Self::path(directory)).unwrap_or_default();
        let mut manifest: Self = serde_json::from_str(&text).unwrap_or_default();
        manifest.files.values_mut().for_each(|files| files.retain(|file| is_below(file)));
        manifest
    }

    pub(super) fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// Whether a path leads to something below where it starts.
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
