//! The location of the workspace, its files, and findings about them.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Location of recorded data relative to the root, unless `KVRULES_SHARED` names another directory; also used in
/// messages.
pub(crate) const SHARED: &str = "../shared";

/// The checkout the tools work on.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
}

/// Something to put right, printed as `path:line: text`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Finding {
    pub(crate) fn new(path: impl Into<String>, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.into(), line, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.text)
    }
}

/// A file of the workspace that holds text.
pub(crate) struct Source {
    /// Relative to the root, with `/` between its parts.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// True if the whole file is test code, which may be as long as its cases need.
    pub(crate) fn is_test(&self) -> bool {
        let file_name = self.path.rsplit('/').next();
        self.path.starts_with("tests/") || self.path.contains("/tests/") || file_name == Some("tests.rs")
    }
}

impl Workspace {
    /// Looks upward from the current directory. The directory of this package at compile time is not asked: a
    /// checkout may have been moved together with its target directory.
    pub(crate) fn find() -> Result<Self, String> {
        let start = std::env::current_dir().map_err(|error| format!("no current directory: {error}"))?;
        let is_root = |dir: &&Path| {
            fs::read_to_string(dir.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace]"))
        };
        match start.ancestors().find(is_root) {
            Some(root) => Ok(Self { root: root.to_owned() }),
            None => Err("no workspace here or above".into()),
        }
    }

    /// The directory of recorded data, which is not part of the repository, as `kvrules-testdata` finds it for
    /// tests: `KVRULES_SHARED`, or `../shared` next to the repository. It may be missing.
    pub(crate) fn shared_directory(&self) -> PathBuf {
        let named = std::env::var_os("KVRULES_SHARED").map(PathBuf::from);
        self.root.join(named.unwrap_or_else(|| SHARED.into()))
    }

    pub(crate) fn read(&self, path: &str) -> Result<String, String> {
        fs::read_to_string(self.root.join(path)).map_err(|error| format!("{path}: {error}"))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    /// The folder of what is built.
    pub(crate) fn target_directory(&self) -> PathBuf {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        self.root.join(target)
    }

    /// The names in a folder, sorted; empty if the folder does not exist.
    pub(crate) fn names_in(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Every text file that is tracked, or new and not ignored.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let read =
            |path: String| fs::read_to_string(self.root.join(&path)).ok().map(|text| Source { path, text });
        self.paths().into_iter().filter_map(read).collect()
    }

    /// The path of every file that is tracked, or new and not ignored, sorted.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.paths_from_git().unwrap_or_else(|| self.paths_from_disk())
    }

    fn paths_from_git(&self) -> Option<Vec<String>> {
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&self.root)
            .output()
            .ok()?;
        let listed = String::from_utf8(output.stdout).ok()?;
        let mut paths: Vec<String> = listed.split_terminator('\0').map(str::to_owned).collect();
        paths.sort();
        paths.dedup();
        (output.status.success() && !paths.is_empty()).then_some(paths)
    }

    /// For a copy of the sources without its repository.
    fn paths_from_disk(&self) -> Vec<String> {
        let mut paths = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for name in self.names_in(&folder) {
                let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                if !self.root.join(&path).is_dir() {
                    paths.push(path);
                } else if !matches!(name.as_str(), "target" | ".git") {
                    folders.push(path);
                }
            }
        }
        paths.sort();
        paths
    }
}

/// The line, counted from 1, on which the byte at `offset` stands.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}
