//! Differences as `diff -u` shows them, which `patch -p1` and `git apply` read.

use std::path::Path;

use kvrules::render::one_line;
use similar::TextDiff;

/// The removal of a file.
pub(crate) fn removal_diff(path: &Path, old: &str) -> String {
    let name = name(path);
    let diff = TextDiff::from_lines(old, "");
    diff.unified_diff().header(&format!("a/{name}"), "/dev/null").to_string()
}

/// The change of a file from `old`, if there was one, to `new`.
pub(crate) fn unified_diff(path: &Path, old: Option<&str>, new: &str) -> String {
    let name = name(path);
    let before = if old.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
    let diff = TextDiff::from_lines(old.unwrap_or_default(), new);
    diff.unified_diff().header(&before, &format!("b/{name}")).to_string()
}

/// The name of a file as both programs know it, on one line.
fn name(path: &Path) -> String {
    let name = path.to_string_lossy().replace('\\', "/");
    one_line(name.trim_start_matches('/')).into_owned()
}
