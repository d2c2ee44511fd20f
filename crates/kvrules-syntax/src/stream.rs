//! A whole file: YAML or JSON, one document or many.

mod dialect;

use std::sync::Arc;

use kvrules_diagnostics::{FileId, SourceFile};
use self_cell::self_cell;

use crate::{Document, Problem, ProblemKind, json, parse_yaml, templated::Template};
pub use dialect::JsonDialect;

/// The documents of one file. Each has its problems.
#[derive(Debug)]
pub struct DocumentStream<'s> {
    /// The documents in the order of the file.
    pub documents: Vec<Document<'s>>,
}

self_cell!(
    /// A text with its documents.
    struct ParsedText {
        owner: Arc<String>,
        #[covariant]
        dependent: DocumentStream,
    }
);

/// The stream of a file that has a tree of another parser.
static NO_DOCUMENTS: DocumentStream<'static> = DocumentStream { documents: Vec::new() };

/// Returns the documents of a file, template tags as plain text. Each file is parsed once, when they are first asked for.
/// A file whose name says that it is JSON is read as such, and as YAML only if it does not begin like JSON.
///
/// ```
/// use kvrules_diagnostics::{FileId, SourceFile};
/// use kvrules_syntax::source_stream;
///
/// let file = SourceFile::new(FileId(0), "a.yaml", "a: 1\n---\nb: 2\n");
/// assert_eq!(source_stream(&file).documents.len(), 2);
/// assert!(std::ptr::eq(source_stream(&file), source_stream(&file)));
/// ```
pub fn source_stream(file: &SourceFile) -> &DocumentStream<'_> {
    let parsed = file.parsed_tree(|text| ParsedText::new(text, |text| parse_named(file, text)));
    parsed.map_or(&NO_DOCUMENTS, ParsedText::borrow_dependent)
}

fn parse_named<'s>(file: &SourceFile, text: &'s str) -> DocumentStream<'s> {
    match JsonDialect::from_file_name(file.name()) {
        Some(dialect) if dialect::begins_like_json(text) => {
            let mut documents = json::parse_documents(file.id(), text, 0);
            for document in &mut documents {
                document.problems.retain(|problem| !dialect.allows(problem.kind));
            }
            DocumentStream { documents }
        }
        _ => parse_stream(file.id(), text),
    }
}

/// Reads a file as JSON where it begins like JSON and is, as YAML otherwise.
pub fn parse_stream(file: FileId, text: &str) -> DocumentStream<'_> {
    parse_part(file, text, 0)
}

impl Template {
    /// Reads what is between the tags; all positions are the file's own.
    ///
    /// If that is not YAML, [`Document::template_problem`](crate::Document::template_problem) reports it instead of
    /// a problem, because the rendered text may be valid.
    pub fn parse(&self, file: FileId) -> DocumentStream<'_> {
        if self.is_in_scalars() {
            let mut stream = parse_part(file, self.written_text(), 0);
            stream.documents.iter_mut().for_each(|document| self.overwrite_tags(document));
            return stream;
        }
        let mut stream = parse_part(file, self.masked_text(), 0);
        for document in &mut stream.documents {
            let is_reported = |problem: &Problem| problem.kind != ProblemKind::Yaml;
            let (reported, cut) = std::mem::take(&mut document.problems).into_iter().partition(is_reported);
            document.problems = reported;
            document.unrendered = Vec::into_iter(cut).next();
            document.keep_reported(Some(self));
        }
        stream
    }
}

/// Reads a text that stands at offset `base` of its file.
pub(crate) fn parse_part(file: FileId, text: &str, base: u32) -> DocumentStream<'_> {
    let begins_like_json =
        text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with(['{', '[']);
    if !begins_like_json {
        return DocumentStream { documents: parse_yaml(file, text, base) };
    }
    let documents = json::parse_documents(file, text, base);
    let errors = count_problems(&documents);
    if errors == 0 {
        return DocumentStream { documents };
    }
    let as_yaml = parse_yaml(file, text, base);
    // Flow style with plain scalars is valid YAML. If YAML has as many problems, the text is invalid JSON.
    DocumentStream { documents: if count_problems(&as_yaml) < errors { as_yaml } else { documents } }
}

fn count_problems(documents: &[Document<'_>]) -> usize {
    documents.iter().map(|document| document.problems().len()).sum()
}
