//! Suites among files and folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kvrules_diagnostics::Span;

use crate::files::{SuiteLibrary, is_document_path, normalize_path, suite_error};
use crate::format::{SuiteFormat, load_suite_file};
use crate::formats::FORMATS;
use crate::model::TestSuite;
use crate::rule_files::note_refusals;

/// Suites that were found, and the paths without any.
#[derive(Debug, Default)]
pub struct FoundSuites {
    /// The suites, in the order of their paths.
    pub suites: Vec<TestSuite>,
    /// The given paths in which no suite is recognized.
    pub vacant: Vec<PathBuf>,
}

/// Folders that no search enters.
const SKIPPED_FOLDERS: [&str; 4] = [".git", "node_modules", "target", "vendor"];

/// Returns the format of this name.
pub fn find_format(name: &str) -> Option<&'static SuiteFormat> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// Finds and reads the suites in files and folders. With a format, every named file is read as one of it.
pub fn find_suites(
    library: &mut SuiteLibrary<'_>,
    paths: &[PathBuf],
    format: Option<&'static SuiteFormat>,
) -> FoundSuites {
    let mut found = FoundSuites::default();
    let mut known = BTreeSet::new();
    for path in paths {
        let before = found.suites.len();
        let mut is_known = false;
        if library.is_folder(path) {
            for file in list_files(library, path) {
                is_known |= add_suite(library, &file, format, &mut known, &mut found);
            }
        } else {
            is_known = add_suite(library, path, format, &mut known, &mut found);
            if !is_known {
                add_named_file(library, path, format, &mut found);
            }
        }
        if found.suites.len() == before && !is_known {
            found.vacant.push(path.clone());
        }
    }
    found
}

/// Adds the suite that a file belongs to; true if it belongs to one.
fn add_suite(
    library: &mut SuiteLibrary<'_>,
    file: &Path,
    format: Option<&'static SuiteFormat>,
    known: &mut BTreeSet<(&'static str, PathBuf)>,
    found: &mut FoundSuites,
) -> bool {
    let formats = FORMATS.iter().copied().filter(|it| format.is_none_or(|wanted| wanted.name == it.name));
    let (mut is_known, mut has_suite) = (false, false);
    for format in formats {
        if has_suite && !format.is_within_rules {
            continue;
        }
        let Some(path) = (format.recognize)(library, file) else { continue };
        if known.insert((format.name, normalize_path(&path))) {
            let mut suite = (format.read)(library, &path);
            note_refusals(&mut suite);
            found.suites.push(suite);
        }
        is_known = true;
        has_suite |= !format.is_within_rules;
    }
    is_known
}

/// Adds a file that the user names: in the given format, or as one that cannot be read.
fn add_named_file(
    library: &mut SuiteLibrary<'_>,
    path: &Path,
    format: Option<&'static SuiteFormat>,
    found: &mut FoundSuites,
) {
    if let Some(format) = format {
        let mut suite = (format.read)(library, path);
        if suite.cases.is_empty()
            && suite.findings.is_empty()
            && let Ok(file) = library.load_file(path)
        {
            let message = format!("the file has no cases in the format `{}`", format.name);
            suite.findings.push(suite_error(Span::new(file.id, 0, 0), message));
        }
        found.suites.push(suite);
        return;
    }
    let mut suite = TestSuite::new("unknown", path);
    load_suite_file(library, path, &mut suite);
    if !suite.findings.is_empty() {
        found.suites.push(suite);
    }
}

/// Lists the YAML and JSON files below a folder, in the order of their paths.
fn list_files(library: &mut SuiteLibrary<'_>, folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        if library.is_folder(&path) {
            let is_skipped =
                path.file_name().is_some_and(|name| SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped));
            if !is_skipped || path == folder {
                left.extend(library.list_folder(&path).iter().rev().cloned());
            }
        } else if is_document_path(&path) {
            files.push(path);
        }
    }
    files
}
