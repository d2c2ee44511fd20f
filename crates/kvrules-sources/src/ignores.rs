//! Ignores: what an author writes next to a finding to say that it is known and wanted.
//!
//! There are two ways. Inside a rule stands the key `x-kvrules-ignore`, which consumers must pass over like any key that
//! they do not know. Anywhere in YAML stands a comment, `# kvrules: ignore[KV301] reason`, on the line of the finding or
//! before it, and `# kvrules: ignore-file[KV301]` at the head of a file. Both are found while the tree is at hand;
//! kvrules-triage matches them with findings.

mod comments;
mod keys;
mod scalars;

use std::ops::Range;

use kvrules_diagnostics::{Edit, SourceFile, Span};
use kvrules_lint::LintedAnnotation;
use kvrules_syntax::{Document, JsonDialect};

use crate::input::with_documents;
use scalars::ScalarRanges;

/// An ignore, as it is written.
///
/// ```
/// use kvrules::{FileId, SourceFile};
///
/// let text = "# kvrules: ignore[KV303, unknown-key] the template sets it\nkind: Template\n";
/// let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", text));
/// let items: Vec<_> = reading.ignores[0].items.iter().map(|item| item.text.as_str()).collect();
/// assert_eq!(items, ["KV303", "unknown-key"]);
/// assert!(reading.ignores[0].fault.is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoreDirective {
    /// Location of the ignore.
    pub span: Span,
    /// The codes, prefixes and names that it lists.
    pub items: Vec<IgnoreEntry>,
    /// The part of the file that it is for: findings that begin there. None if it is for nothing.
    pub covers: Option<Span>,
    /// An error in how it is written, with help; it then ignores nothing.
    pub fault: Option<IgnoreFault>,
}

/// One entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoreEntry {
    /// The entry.
    pub text: String,
    /// Location of the item.
    pub span: Span,
}

/// An error in an ignore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoreFault {
    /// In one sentence.
    pub message: String,
    /// Instruction for the user.
    pub help: String,
}

/// Every ignore of a file, in the order of its text. `parts` are those of the text that are YAML or JSON.
///
/// Fast path: most texts have none, which a search of their bytes shows.
pub(crate) fn find_ignores(
    source: &SourceFile,
    parts: impl FnOnce() -> Vec<Range<usize>>,
    documents: &[&Document<'_>],
    annotations: &[LintedAnnotation<'_>],
) -> Vec<IgnoreDirective> {
    if !source.mentions_word("kvrules") {
        return Vec::new();
    }
    let mut found = keys::find_key_ignores(annotations);
    let roots: Vec<_> = documents.iter().filter_map(|document| document.root()).collect();
    let scalars = ScalarRanges::from_nodes(source.text(), &roots);
    let parts = parts();
    let whole = matches!(parts.as_slice(), [part] if *part == (0..source.text().len()));
    for part in parts {
        // An example without rules may contain any comment.
        if whole || roots.iter().any(|root| part.contains(&root.span().to_range().start)) {
            comments::find_in_part(source, part, &scalars, &mut found);
        }
    }
    found.sort_by_key(|ignore| ignore.span);
    // A rule behind an alias is found once for each use.
    found.dedup();
    found
}

/// The entries of a list in a text, separated by commas or blanks.
fn parse_list(text: &str, span: impl Fn(Range<usize>) -> Span) -> Vec<IgnoreEntry> {
    let mut items = Vec::new();
    let mut at = 0;
    for part in text.split([',', ' ', '\t']) {
        if !part.is_empty() {
            items.push(IgnoreEntry { text: part.to_owned(), span: span(at..at + part.len()) });
        }
        at += part.len() + 1;
    }
    items
}

/// Returns the edit that ignores findings of a lint on a line: a comment above it, or above the scalar of several lines that it
/// is in. `None` where no comment can stand: in JSON files, and in examples of text.
///
/// ```
/// use kvrules::{FileId, SourceFile, ignore_comment};
///
/// let text = "annotations:\n  validations: |\n    []\n";
/// let source = SourceFile::new(FileId(0), "a.yaml", text);
/// let found = kvrules::read_rules(&source).diagnostics;
/// let edit = ignore_comment(&source, found[0].primary.span, found[0].code).unwrap();
/// assert_eq!((edit.span.start, edit.replacement.as_str()), (13, "  # kvrules: ignore[KV111]\n"));
/// ```
pub fn ignore_comment(source: &SourceFile, place: Span, code: &str) -> Option<Edit> {
    if JsonDialect::from_file_name(source.name()).is_some() {
        return None;
    }
    with_documents(source, |file| {
        if file.input.is_text() {
            return None;
        }
        let text = source.text();
        let roots: Vec<_> = file.documents.iter().filter_map(|document| document.root()).collect();
        let scalars = ScalarRanges::from_nodes(text, &roots);
        let line_start = |at: usize| text.get(..at)?.rfind('\n').map_or(Some(0), |last| Some(last + 1));
        let mut start = line_start((place.start as usize).min(text.len()))?;
        // The line on which a scalar begins may have the end of another one.
        loop {
            let rest = text.get(start..)?;
            let end = rest.find('\n').map_or(text.len(), |end| start + end);
            let above = line_start(scalars.widen_line(start..end).start)?;
            if above >= start {
                break;
            }
            start = above;
        }
        let line = text.get(start..)?.lines().next().unwrap_or_default();
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let indent = line.get(..indent)?;
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let at = u32::try_from(start).ok()?;
        let span = Span::new(source.id(), at, at);
        Some(Edit { span, replacement: format!("{indent}# kvrules: ignore[{code}]{end}") })
    })
}
