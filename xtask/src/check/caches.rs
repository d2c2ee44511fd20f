//! Files that programs leave behind, such as caches and databases, which nobody meant to commit.

use std::collections::BTreeSet;
use std::fs;

use crate::workspace::{Finding, Source, Workspace};

/// Names of folders that only programs fill.
const FOLDERS: [&str; 10] = [
    ".cache",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
    "node_modules",
    "target",
    ".idea",
];

/// Ends of the names of files that only programs write.
const ENDINGS: [&str; 9] = [".db", ".sqlite", ".sqlite3", ".pyc", ".o", ".so", ".rlib", ".rmeta", ".orig"];

/// Files of ours that are not text.
const BINARY: [&str; 1] = ["crates/kvrules-kubernetes/data/types.txt.zlib"];

/// Looks at every file that is tracked, or new and not ignored.
pub(super) fn findings(workspace: &Workspace, sources: &[Source]) -> Vec<Finding> {
    let texts: BTreeSet<&str> =
        sources.iter().filter(|file| is_text(&file.text)).map(|file| &*file.path).collect();
    let mut findings = Vec::new();
    for path in workspace.paths() {
        let is_file = || fs::metadata(workspace.root.join(&path)).is_ok_and(|found| found.is_file());
        if let Some(message) = leftover(&path) {
            findings.push(Finding::new(path, 1, message));
        } else if !texts.contains(&*path) && !BINARY.contains(&&*path) && is_file() {
            findings.push(Finding::new(
                path,
                1,
                "is not text; remove it, or list it in xtask/src/check/caches.rs",
            ));
        }
    }
    findings
}

fn is_text(text: &str) -> bool {
    !text.contains('\0')
}

/// The message about a path that only programs write.
fn leftover(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop()?;
    if let Some(folder) = parts.iter().find(|part| FOLDERS.contains(part)) {
        return Some(format!(
            "is in the cache folder `{folder}`; remove it and add the folder to .gitignore"
        ));
    }
    let ending = ENDINGS.iter().find(|ending| name.ends_with(**ending))?;
    Some(format!("`{ending}` files are written by programs; remove it and add it to .gitignore"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_and_databases_are_found_by_their_paths() {
        for path in [".cache/pre-commit/README", "a/__pycache__/b.pyc", "data/db.db", "x/node_modules/y/z.js"]
        {
            assert!(leftover(path).is_some(), "{path}");
        }
        for path in ["crates/kvrules-cel/src/cache.rs", "target.rs", "docs/db.md", ".cargo/config.toml"] {
            assert_eq!(leftover(path), None, "{path}");
        }
    }

    #[test]
    fn a_tracked_file_that_is_not_text_is_found() {
        let root = std::env::temp_dir().join(format!("kvrules-caches-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        for (name, bytes) in [("text.rs", &b"//! x\n"[..]), ("zeros.rs", b"a\0b"), ("latin.rs", b"\xe9\n")] {
            fs::write(root.join(name), bytes).unwrap();
        }
        let workspace = Workspace { root };
        let found = findings(&workspace, &workspace.sources());
        fs::remove_dir_all(&workspace.root).unwrap();
        let paths: Vec<_> = found.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(paths, ["latin.rs", "zeros.rs"]);
    }
}
