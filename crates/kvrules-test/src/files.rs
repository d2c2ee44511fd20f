//! The files that suites are read from. A program decides where they lie; each is read and parsed once.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use kvrules_diagnostics::{Diagnostic, FileId, SourceFile, Sources, Span};
use serde_json::Value;

use crate::document::{SuiteDocument, parse_documents};

/// Access to the files of suites.
pub trait SuiteFiles: Sync {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// The reason, in the words of the operating system.
    fn read_text(&self, path: &Path) -> Result<String, String>;

    /// Lists the files and folders in a folder, sorted by name; none if it cannot be listed.
    fn list_folder(&self, folder: &Path) -> Vec<PathBuf>;

    /// True if a path is a folder.
    fn is_folder(&self, path: &Path) -> bool;
}

/// A file after parsing.
#[derive(Debug)]
pub struct ParsedFile {
    /// The file in the sources.
    pub id: FileId,
    /// The documents that can be read.
    pub documents: Vec<SuiteDocument>,
    /// Findings about the others.
    pub unread: Vec<Diagnostic>,
}

/// The files that were read so far.
pub struct SuiteLibrary<'f> {
    files: &'f dyn SuiteFiles,
    sources: Sources,
    parsed: BTreeMap<PathBuf, Result<Arc<ParsedFile>, String>>,
    folders: BTreeMap<PathBuf, Arc<Vec<PathBuf>>>,
}

impl<'f> SuiteLibrary<'f> {
    /// Creates a library that reads from these files.
    pub fn new(files: &'f dyn SuiteFiles) -> Self {
        Self { files, sources: Sources::default(), parsed: BTreeMap::new(), folders: BTreeMap::new() }
    }

    /// Returns the texts that findings point into.
    pub fn into_sources(self) -> Sources {
        self.sources
    }

    /// The texts that were read so far.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns a copy of a text that was read.
    pub(crate) fn copy_source(&self, id: FileId) -> Option<SourceFile> {
        let source = self.sources.get(id)?;
        Some(SourceFile::new(id, source.name(), source.text()))
    }

    /// Adds a text that is not a file of its own, such as the object of a case.
    pub fn add_text(&mut self, name: &str, text: &str) -> FileId {
        self.sources.add_file(name, text)
    }

    /// Returns a file, which is read and parsed if it was not yet.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be read.
    pub fn load_file(&mut self, path: &Path) -> Result<Arc<ParsedFile>, String> {
        let path = normalize_path(path);
        if let Some(known) = self.parsed.get(&path) {
            return known.clone();
        }
        let loaded = self.files.read_text(&path).map(|text| {
            let id = self.sources.add_file(path.to_string_lossy(), text.as_str());
            let (documents, parts) = parse_documents(id, &text);
            let finding = |part: crate::document::UnreadPart| suite_error(part.span, part.message);
            Arc::new(ParsedFile { id, documents, unread: parts.into_iter().map(finding).collect() })
        });
        self.parsed.insert(path, loaded.clone());
        loaded
    }

    /// Returns the text of a file that is not YAML, without surrounding space; `None` if it cannot be read.
    pub fn load_text(&self, path: &Path) -> Option<String> {
        self.files.read_text(&normalize_path(path)).ok().map(|text| text.trim().to_owned())
    }

    /// Returns the first document of a file; null if there is none.
    pub(crate) fn first_value(&mut self, path: &Path) -> Value {
        let file = self.load_file(path).ok();
        file.and_then(|file| file.documents.first().map(|document| document.value.clone()))
            .unwrap_or_default()
    }

    /// Lists a folder.
    pub fn list_folder(&mut self, folder: &Path) -> Arc<Vec<PathBuf>> {
        let folder = normalize_path(folder);
        let files = self.files;
        Arc::clone(
            self.folders.entry(folder).or_insert_with_key(|folder| Arc::new(files.list_folder(folder))),
        )
    }

    /// Lists the YAML and JSON files in a folder, without those below it.
    pub(crate) fn list_documents(&mut self, folder: &Path) -> Vec<PathBuf> {
        let all = self.list_folder(folder);
        let files = self.files;
        all.iter().filter(|path| is_document_path(path) && !files.is_folder(path)).cloned().collect()
    }

    /// True if a path is a folder.
    pub fn is_folder(&self, path: &Path) -> bool {
        self.files.is_folder(&normalize_path(path))
    }

    /// True if a folder contains a file or folder of this name.
    pub(crate) fn has_entry(&mut self, folder: &Path, name: &str) -> bool {
        self.list_folder(folder).iter().any(|path| path.file_name().is_some_and(|it| it == name))
    }

    /// Returns the path of a file or folder below the nearest of the folders around a path.
    pub(crate) fn find_above(&mut self, path: &Path, wanted: &str) -> Option<PathBuf> {
        let wanted = Path::new(wanted);
        let (parent, name) = (wanted.parent()?.to_owned(), wanted.file_name()?.to_str()?.to_owned());
        let above: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_path_buf).collect();
        let found = above.into_iter().find(|folder| self.has_entry(&folder.join(&parent), &name))?;
        Some(found.join(wanted))
    }
}

/// True for the extensions of YAML and JSON files.
pub(crate) fn is_document_path(path: &Path) -> bool {
    path.extension().and_then(|it| it.to_str()).is_some_and(|it| matches!(it, "yaml" | "yml" | "json"))
}

/// Returns a path without `.` and, after a name, `..`.
pub(crate) fn normalize_path(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(normal.components().next_back(), Some(Component::Normal(_))) => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    if normal.as_os_str().is_empty() { PathBuf::from(".") } else { normal }
}

/// Creates the finding about a suite that cannot be read completely.
pub(crate) fn suite_error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::refused_input("suite", span, message)
}
