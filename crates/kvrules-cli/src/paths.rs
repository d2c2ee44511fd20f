//! Paths seen from one directory or another.

use std::path::{Component, Path, PathBuf};

use kvrules::render::one_line;

/// True if a file has one of these extensions, in any letter case.
pub(crate) fn has_extension(path: &Path, known: &[&str]) -> bool {
    let extension = path.extension().unwrap_or_default();
    known.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// True if an entry of a directory can be read to an end: pipes and devices cannot. Reading reports what cannot be
/// examined.
pub(crate) fn is_readable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file()) || path.metadata().is_err()
}

/// A path for a message: one line, whatever its name holds.
pub(crate) fn display_path(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}

/// The path from the root, without `.` and `..`. Links are not followed.
pub(crate) fn absolute_path(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    full.components().fold(PathBuf::new(), |mut made, component| {
        match component {
            Component::ParentDir => _ = made.pop(),
            Component::CurDir => {}
            other => made.push(other),
        }
        made
    })
}

#[cfg(test)]
mod tests {
    use kvrules::check::path_between;

    use super::*;

    #[test]
    fn a_path_is_seen_from_beside_above_and_below() {
        let seen = |directory: &str| path_between(Path::new(directory), Path::new("/a/b/c.yaml"));
        assert_eq!(
            ["/a/b", "/a", "/a/b/d", "/x", "/"].map(seen),
            ["c.yaml", "b/c.yaml", "../c.yaml", "../a/b/c.yaml", "a/b/c.yaml"]
        );
    }

    #[test]
    fn dots_are_taken_out() {
        assert_eq!(absolute_path(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert!(absolute_path(Path::new("")).is_absolute());
    }
}
