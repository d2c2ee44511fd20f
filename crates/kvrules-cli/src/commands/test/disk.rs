//! The files of suites on the disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kvrules::test::SuiteFiles;

use crate::text::read_text;

/// The files of the machine, and those that were asked for.
#[derive(Debug, Default)]
pub(super) struct Disk {
    asked: Mutex<BTreeSet<PathBuf>>,
}

impl Disk {
    /// Returns the files that were read, or could not be.
    pub(super) fn into_paths(self) -> BTreeSet<PathBuf> {
        self.asked.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SuiteFiles for Disk {
    fn read_text(&self, path: &Path) -> Result<String, String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        read_text(path).map_err(|unread| unread.message)
    }

    fn list_folder(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }
}
