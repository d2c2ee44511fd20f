//! The files of suites on the disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kvrules::test::SuiteFiles;

use crate::paths::is_readable;
use crate::text::{PathOrigin, read_text};

/// The files of the machine, and those that were asked for.
#[derive(Debug)]
pub(super) struct Disk<'a> {
    /// The paths on the command line.
    arguments: &'a [PathBuf],
    asked: Mutex<BTreeSet<PathBuf>>,
}

impl<'a> Disk<'a> {
    pub(super) fn new(arguments: &'a [PathBuf]) -> Self {
        Self { arguments, asked: Mutex::default() }
    }

    /// Returns the files that were read, or could not be.
    pub(super) fn into_paths(self) -> BTreeSet<PathBuf> {
        self.asked.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SuiteFiles for Disk<'_> {
    fn read_text(&self, path: &Path) -> Result<String, String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        let is_argument = self.arguments.iter().any(|argument| argument == path);
        let origin = if is_argument { PathOrigin::Argument } else { PathOrigin::File };
        read_text(path, origin).map_err(|unread| unread.message)
    }

    fn list_folder(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_dir() || is_readable(path)).collect();
        paths.sort();
        paths
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }
}
