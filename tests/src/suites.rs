//! Files of suites on the disk.

use std::path::{Path, PathBuf};

use kvrules::test::SuiteFiles;

/// The files of the machine.
pub struct Disk;

impl SuiteFiles for Disk {
    fn read_text(&self, path: &Path) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|error| error.to_string())
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
