//! The recorded data that suites compare with. It is no part of the repository: it lies in `../shared` beside it, or in the
//! directory that `KVRULES_SHARED` names (from the root of the repository, unless it is absolute).
//!
//! Where a file or directory is absent, its function prints one line, `skipped: ../shared/… is absent`, and returns `None`:
//! its suite is skipped. `cargo xtask test` counts these lines, and fails if the directory of the data is there all the same.

mod seeds;

pub use seeds::{case_count, is_quick_run, seed_range};

use std::path::{Path, PathBuf};

use serde_json::Value;

/// KubeVirt's own definition of the VirtualMachine, as clusters have it.
pub const VIRTUAL_MACHINES: &str = "kubernetes/crds/virtualmachines.kubevirt.io.yaml";

/// The directory of all recorded data, whether or not it is there.
pub fn shared_directory() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("this is in `tests/testdata`");
    match std::env::var_os("KVRULES_SHARED") {
        Some(directory) => root.join(directory),
        None => root.with_file_name("shared"),
    }
}

/// The path of a file or directory, such as `kubernetes/crds`.
pub fn find_path(name: &str) -> Option<PathBuf> {
    locate(name).inspect_err(|skipped| println!("{skipped}")).ok()
}

/// The path, or the line that tells that it is absent.
fn locate(name: &str) -> Result<PathBuf, String> {
    let path = shared_directory().join(name);
    path.exists().then_some(path).ok_or_else(|| format!("skipped: ../shared/{name} is absent"))
}

/// The files in a directory whose names end with an extension, sorted.
///
/// # Panics
///
/// If the directory cannot be listed: a suite must not shrink in silence.
pub fn list_files(name: &str, extension: &str) -> Option<Vec<PathBuf>> {
    let directory = find_path(name)?;
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{name}: {error}"));
    let paths = entries.map(|entry| entry.unwrap_or_else(|error| panic!("{name}: {error}")).path());
    let has_extension = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    let mut files: Vec<_> = paths.filter(has_extension).collect();
    files.sort();
    Some(files)
}

/// The text of a file.
///
/// # Panics
///
/// If the file cannot be read.
pub fn read_text(name: &str) -> Option<String> {
    let path = find_path(name)?;
    Some(std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// The value of a file of JSON.
///
/// # Panics
///
/// If the file is not JSON.
pub fn read_value(name: &str) -> Option<Value> {
    Some(serde_json::from_str(&read_text(name)?).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// The rows of a file with a JSON value on each line.
///
/// # Panics
///
/// If a line is not JSON.
pub fn read_rows(name: &str) -> Option<Vec<Value>> {
    let text = read_text(name)?;
    let row = |(index, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}:{}: {error}", index + 1))
    };
    Some(text.lines().enumerate().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_is_told_in_the_words_that_are_counted() {
        // It is not printed here: `cargo xtask test` would take it for a suite that was skipped.
        assert_eq!(locate("no/such.json"), Err("skipped: ../shared/no/such.json is absent".to_owned()));
    }

    #[test]
    fn the_directory_is_found_from_anywhere() {
        assert!(shared_directory().is_absolute());
    }

    #[test]
    fn what_is_there_is_read() {
        let Some(files) = list_files("kubernetes/noxu", "json") else { return };
        let names: Vec<_> = files.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!(names, ["objects.json", "steps.json"]);
        let steps = read_value("kubernetes/noxu/steps.json").expect("a file in that directory");
        assert!(steps.is_array());
        let rows = read_rows("kubevirt/vm-fields.jsonl").expect("recorded with it");
        assert!(rows.iter().all(|row| row["path"].is_string()), "{:?}", rows.first());
    }
}
