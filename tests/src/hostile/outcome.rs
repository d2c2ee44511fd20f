//! Outcome of a run.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

/// Files by their paths below a directory.
pub type FileTree = BTreeMap<String, Vec<u8>>;

/// Outcome of a run.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// The exit status; none where a signal ended the run.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// True if it was killed because it did not end by itself.
    pub hangs: bool,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// The files afterwards.
    pub tree: FileTree,
    /// Duration of the run.
    pub time: Duration,
}

impl RunOutcome {
    /// True if another run had the same outcome, apart from the time.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.status, self.signal, &self.out, &self.err, &self.tree)
            == (other.status, other.signal, &other.out, &other.err, &other.tree)
    }

    /// Standard output as text.
    pub fn out_text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Standard error as text.
    pub fn err_text(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }
}

/// All files below a directory.
pub(super) fn read_tree(directory: &Path) -> io::Result<FileTree> {
    let mut tree = FileTree::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else {
                let path = entry.path();
                let name = path.strip_prefix(directory).unwrap_or(&path).to_string_lossy().into_owned();
                tree.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(tree)
}
