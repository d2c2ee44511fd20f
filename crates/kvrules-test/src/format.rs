//! Formats of suites: how they are recognized and read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::document::list_items;
use crate::files::{ParsedFile, SuiteLibrary, suite_error};
use crate::model::TestSuite;

/// A format of suites.
#[derive(Debug)]
pub struct SuiteFormat {
    /// Its name, for `--format-of`.
    pub name: &'static str,
    /// Description, in a few words.
    pub title: &'static str,
    /// True if its cases are in a file with rules, which may belong to a suite of another format as well.
    pub(crate) is_within_rules: bool,
    /// Returns the file or folder that a suite consists of, if a file belongs to one of this format.
    pub(crate) recognize: fn(&mut SuiteLibrary<'_>, &Path) -> Option<PathBuf>,
    /// Reads the suite.
    pub(crate) read: fn(&mut SuiteLibrary<'_>, &Path) -> TestSuite,
}

/// Returns the file itself if its first document is as wanted.
pub(crate) fn recognize_document(
    library: &mut SuiteLibrary<'_>,
    path: &Path,
    is_wanted: impl Fn(&Value) -> bool,
) -> Option<PathBuf> {
    let file = library.load_file(path).ok()?;
    let document = file.documents.first()?;
    is_wanted(&document.value).then(|| path.to_owned())
}

/// Loads the file of a suite. Its unreadable parts, or the reason why it cannot be read, become findings.
pub(crate) fn load_suite_file(
    library: &mut SuiteLibrary<'_>,
    path: &Path,
    suite: &mut TestSuite,
) -> Option<Arc<ParsedFile>> {
    match library.load_file(path) {
        Ok(file) => {
            suite.findings.extend(file.unread.iter().cloned());
            Some(file)
        }
        Err(reason) => {
            let id = library.add_text(&path.to_string_lossy(), "");
            let span = kvrules_diagnostics::Span::new(id, 0, 0);
            suite.findings.push(suite_error(span, format!("cannot be read: {reason}")));
            None
        }
    }
}

/// A file that a suite names, relative to its folder.
pub(crate) struct FileReference<'a> {
    /// Folder of the suite.
    pub(crate) folder: &'a Path,
    /// The path as the suite has it.
    pub(crate) path: &'a str,
    /// Location of the path in the suite.
    pub(crate) span: kvrules_diagnostics::Span,
}

impl FileReference<'_> {
    /// Loads the file. A missing file is a finding at the reference.
    pub(crate) fn load(
        &self,
        library: &mut SuiteLibrary<'_>,
        suite: &mut TestSuite,
    ) -> Option<Arc<ParsedFile>> {
        if self.path.trim().is_empty() {
            suite.findings.push(suite_error(self.span, "missing path of a file"));
            return None;
        }
        match library.load_file(&self.folder.join(self.path)) {
            Ok(file) => {
                suite.findings.extend(
                    file.unread.iter().filter(|it| !suite.findings.contains(it)).cloned().collect::<Vec<_>>(),
                );
                Some(file)
            }
            Err(reason) => {
                let message = format!("the file `{}` cannot be read: {reason}", self.path);
                suite.findings.push(suite_error(self.span, message));
                None
            }
        }
    }
}

/// True if the documents have items of this kind.
pub(crate) fn is_kind(value: &Value, kind: &str) -> bool {
    value.get("kind").and_then(Value::as_str) == Some(kind)
}

/// Returns the objects of a file, those in lists too.
pub(crate) fn objects_of(file: &ParsedFile) -> Vec<Value> {
    let mut objects = Vec::new();
    for document in &file.documents {
        match document.value.get("items").filter(|_| is_list(&document.value)) {
            Some(items) => objects.extend(list_items(items).cloned()),
            None => objects.push(document.value.clone()),
        }
    }
    objects
}

fn is_list(value: &Value) -> bool {
    value.get("kind").and_then(Value::as_str).is_some_and(|kind| kind == "List" || kind.ends_with("List"))
}
