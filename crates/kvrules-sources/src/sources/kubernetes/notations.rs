//! Policies of other engines: the one place where the documents of a file become those that the rest reads.

use kvrules_crd::notations::{has_notations, is_supplement, restate_documents, written_findings};
use kvrules_diagnostics::Diagnostic;
use kvrules_syntax::{Document, DocumentStream, Node};

use crate::input::{ParsedFile, ParsedStreams};

impl<'s> ParsedStreams<'s> {
    /// Restates the policies of other engines in the documents of a file. All of them are one input, so that a document may say
    /// something about the policies of another one.
    pub(crate) fn restate_policies(self) -> Self {
        let streams = self.as_slice();
        let documents: Vec<&Document<'s>> = streams.iter().flat_map(|stream| &stream.documents).collect();
        let Some(restated) = restate_documents(&documents) else { return self };
        let mut restated = restated.into_iter();
        let take = |stream: &DocumentStream<'s>| DocumentStream {
            documents: restated.by_ref().take(stream.documents.len()).collect(),
        };
        let restated = streams.iter().map(take).collect();
        Self::Own(restated)
    }
}

/// Returns the findings about policies of other engines as their authors wrote them.
pub(super) fn find_written(file: &ParsedFile<'_>) -> Vec<Diagnostic> {
    if !file.documents.iter().any(|document| has_notations(document)) {
        return Vec::new();
    }
    let written = file.input.parse_written_streams(file.source);
    let documents = written.as_slice().iter().flat_map(|stream| &stream.documents);
    documents.flat_map(written_findings).collect()
}

/// Returns the locations of objects that only say something about policies of other engines.
pub(super) fn find_supplements<'d>(document: &'d Document<'d>) -> Vec<Node<'d>> {
    let Some(root) = document.root() else { return Vec::new() };
    let items = root.get("items").into_iter().flat_map(Node::items);
    std::iter::once(root).chain(items).filter(|object| is_supplement(*object)).collect()
}
