//! Changes of files in the form of the protocol.

use std::collections::HashMap;

use gen_lsp_types::{
    DocumentChange, Edit, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextDocumentIdentifier,
    TextEdit, Uri, WorkspaceEdit,
};
use kvrules_diagnostics::Span;

use crate::capabilities::ClientSupport;
use crate::documents::Document;

/// Returns edits of kvrules as those of the protocol.
pub(crate) fn to_text_edits(
    edits: &[kvrules::Edit],
    document: &Document,
    client: &ClientSupport,
) -> Vec<TextEdit> {
    let range = |span| document.lines.range_of(document.source.text(), span, client.encoding);
    edits
        .iter()
        .map(|edit| TextEdit { range: range(edit.span), new_text: edit.replacement.clone() })
        .collect()
}

/// Returns the edit that makes another text of a file: it leaves the equal lines at both ends alone. Empty if nothing changes.
pub(crate) fn replace_text(document: &Document, new: &str, client: &ClientSupport) -> Vec<TextEdit> {
    let old = document.source.text();
    if old == new {
        return Vec::new();
    }
    let equal = |one: &mut dyn Iterator<Item = &str>, other: &mut dyn Iterator<Item = &str>| -> usize {
        one.zip(other).take_while(|(one, other)| one == other).map(|(line, _)| line.len()).sum()
    };
    let start = equal(&mut old.split_inclusive('\n'), &mut new.split_inclusive('\n'));
    let (old_rest, new_rest) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let end = equal(&mut old_rest.split_inclusive('\n').rev(), &mut new_rest.split_inclusive('\n').rev());
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let span = Span::new(document.source.id(), offset(start), offset(old.len() - end));
    let replacement = new_rest.get(..new_rest.len() - end).unwrap_or_default().to_owned();
    to_text_edits(&[kvrules::Edit { span, replacement }], document, client)
}

/// Returns the edits of one file, for the version that they were made for if the client knows versions.
pub(crate) fn workspace_edit(
    edits: Vec<TextEdit>,
    (uri, document): (&str, &Document),
    client: &ClientSupport,
) -> WorkspaceEdit {
    let uri = Uri::from(uri);
    if !client.versioned_edits {
        return WorkspaceEdit { changes: Some(HashMap::from([(uri, edits)])), ..WorkspaceEdit::default() };
    }
    let text_document = OptionalVersionedTextDocumentIdentifier {
        version: Some(document.version),
        text_document_identifier: TextDocumentIdentifier { uri },
    };
    let edits = edits.into_iter().map(Edit::TextEdit).collect();
    let change = DocumentChange::TextDocumentEdit(TextDocumentEdit { text_document, edits });
    WorkspaceEdit { document_changes: Some(vec![change]), ..WorkspaceEdit::default() }
}
