//! Files of suites that other projects wrote, which lie in `../shared/suites`.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns the files below a folder whose paths end with `ending`, sorted folder by folder.
///
/// # Panics
///
/// If the folder cannot be listed: a suite must not shrink in silence.
pub fn find_files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut entries: Vec<_> = listed.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let below = |entry: PathBuf| match entry.is_dir() {
        true => find_files(&entry, ending),
        false => Vec::from_iter(entry.to_string_lossy().ends_with(ending).then(|| entry.clone())),
    };
    entries.into_iter().flat_map(below).collect()
}

/// Parses the YAML documents of a text as a server receives them. Empty documents are left out.
///
/// # Panics
///
/// If a document is not YAML that has a JSON value.
pub fn parse_documents(text: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    let values = documents.map(serde::Deserialize::deserialize);
    let read = |value: Result<Value, serde_yaml::Error>| value.unwrap_or_else(|error| panic!("{error}"));
    values.map(read).filter(|document| !document.is_null()).collect()
}
