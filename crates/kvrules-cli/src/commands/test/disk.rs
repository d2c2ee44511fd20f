//! The files of suites on the disk.

use std::path::{Path, PathBuf};

use kvrules::test::SuiteFiles;

use crate::text::read_text;

/// The files of the machine.
pub(super) struct Disk;

impl SuiteFiles for Disk {
    fn read_text(&self, path: &Path) -> Result<String, String> {
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
