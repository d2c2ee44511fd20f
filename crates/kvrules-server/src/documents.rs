//! The texts of open files, as the editor has them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types::{Range, TextDocumentContentChangeEvent};
use kvrules::rule_set::RuleSet;
use kvrules_diagnostics::{FileId, SourceFile};

use crate::checks::CheckOutcome;
use crate::positions::{LineIndex, PositionEncoding};
use crate::uris::path_of_uri;

/// An open file.
#[derive(Debug)]
pub(crate) struct Document {
    /// Its path; for a file that was never saved, its address.
    pub(crate) path: PathBuf,
    /// The version of the editor.
    pub(crate) version: i32,
    /// Number of the state that its findings are about: of its text, and of everything that they depend on.
    pub(crate) revision: u64,
    /// The text.
    pub(crate) source: Arc<SourceFile>,
    /// The lines of the text.
    pub(crate) lines: Arc<LineIndex>,
    /// The newest check, of this revision or of one before.
    pub(crate) checked: Option<CheckOutcome>,
    /// The RuleSets of the last text in which some could be read.
    pub(crate) rule_sets: Vec<RuleSet>,
}

impl Document {
    fn new(uri: &str, version: i32, text: String) -> Self {
        let path = path_of_uri(uri).unwrap_or_else(|| PathBuf::from(uri));
        let lines = Arc::new(LineIndex::from_text(&text));
        let source = Arc::new(SourceFile::new(FileId(0), path.to_string_lossy(), text));
        Self { path, version, revision: 0, source, lines, checked: None, rule_sets: Vec::new() }
    }

    /// The check of the current revision.
    pub(crate) fn current_check(&self) -> Option<&CheckOutcome> {
        self.checked.as_ref().filter(|checked| checked.revision == self.revision)
    }

    /// Makes the changes, one after the other.
    fn apply_changes(&mut self, changes: Vec<TextDocumentContentChangeEvent>, encoding: PositionEncoding) {
        let mut text = self.source.text().to_owned();
        let mut lines = Arc::clone(&self.lines);
        for change in changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let Range { start, end } = part.range;
                    let start = lines.offset_at(&text, start, encoding);
                    let end = lines.offset_at(&text, end, encoding).max(start);
                    text.replace_range(start..end, &part.text);
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    text = whole.text;
                }
            }
            lines = Arc::new(LineIndex::from_text(&text));
        }
        self.source = Arc::new(self.source.with_text(text));
        self.lines = lines;
    }
}

/// The open files, by their addresses.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<String, Document>,
    revisions: u64,
    /// The number of the last change of each file that was changed.
    changes: HashMap<PathBuf, u64>,
}

impl Documents {
    /// Opens a file, or replaces it.
    pub(crate) fn open_file(&mut self, uri: &str, version: i32, text: String) {
        let document = Document::new(uri, version, text);
        let path = document.path.clone();
        self.open.insert(uri.to_owned(), document);
        self.renew(uri);
        self.changes.insert(path, self.revisions);
    }

    /// Changes a file. `false` if it is not open.
    pub(crate) fn change_file(
        &mut self,
        uri: &str,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: PositionEncoding,
    ) -> bool {
        let Some(document) = self.open.get_mut(uri) else { return false };
        document.apply_changes(changes, encoding);
        document.version = version;
        let path = document.path.clone();
        self.renew(uri);
        self.changes.insert(path, self.revisions);
        true
    }

    /// Closes a file. `None` if it is not open.
    pub(crate) fn close_file(&mut self, uri: &str) -> Option<Document> {
        let closed = self.open.remove(uri)?;
        self.revisions += 1;
        self.changes.insert(closed.path.clone(), self.revisions);
        Some(closed)
    }

    /// Returns an open file.
    pub(crate) fn find(&self, uri: &str) -> Option<&Document> {
        self.open.get(uri)
    }

    /// The number of changes so far.
    pub(crate) fn change_count(&self) -> u64 {
        self.revisions
    }

    /// Keeps a check, unless the file or one that it names has changed since it began. True if it is kept.
    pub(crate) fn keep_check(&mut self, checked: CheckOutcome) -> bool {
        let is_outdated =
            |path: &PathBuf| self.changes.get(path).is_some_and(|change| *change > checked.started_at);
        if checked.named_files.iter().any(is_outdated) {
            return false;
        }
        match self.open.get_mut(&checked.uri) {
            Some(document) if document.revision == checked.revision => {
                let read = checked.result.as_ref().map(|(_, checked)| &checked.reading.rule_sets);
                if let Some(sets) = read.ok().filter(|sets| !sets.is_empty()) {
                    document.rule_sets.clone_from(sets);
                }
                document.checked = Some(checked);
                true
            }
            _ => false,
        }
    }

    /// Returns the addresses of the files whose findings depend on another file.
    pub(crate) fn dependents_of(&self, path: &Path) -> Vec<String> {
        let depends = |document: &Document| {
            document.path != path
                && document.checked.as_ref().is_some_and(|checked| checked.named_files.contains(path))
        };
        let dependents = self.open.iter().filter(|(_, document)| depends(document));
        dependents.map(|(uri, _)| uri.clone()).collect()
    }

    /// Returns the addresses of all files except for one.
    pub(crate) fn others_than(&self, path: Option<&Path>) -> Vec<String> {
        let others = self.open.iter().filter(|(_, document)| Some(document.path.as_path()) != path);
        others.map(|(uri, _)| uri.clone()).collect()
    }

    /// Gives a file a new revision, so that it has to be checked again.
    pub(crate) fn renew(&mut self, uri: &str) {
        self.revisions += 1;
        if let Some(document) = self.open.get_mut(uri) {
            document.revision = self.revisions;
        }
    }

    /// Returns the texts of the open files, by their paths.
    pub(crate) fn texts(&self) -> BTreeMap<PathBuf, Arc<SourceFile>> {
        self.open.values().map(|document| (document.path.clone(), Arc::clone(&document.source))).collect()
    }

    /// Returns the files that have to be checked, the last changed first.
    pub(crate) fn next_unchecked(&self) -> Option<(&String, &Document)> {
        let unchecked = self.open.iter().filter(|(_, document)| document.current_check().is_none());
        unchecked.max_by_key(|(_, document)| document.revision)
    }
}
