//! The JSON inside a string of another document.

use std::borrow::Cow;

use kvrules_diagnostics::{FileId, Span};

use crate::{
    Document, Node, NodeStyle, Notation,
    document::{NodePayload, NodeText},
    json,
    offset::to_offset,
    scalar_map::{ScalarMap, map_scalar},
};

/// Reads a JSON text that is at the start of a file.
pub fn parse_json(file: FileId, text: &str) -> Document<'_> {
    let document = Document::new(file, Cow::Borrowed(text), ScalarMap::with_base(0));
    json::parse_one(document.written_in(Notation::Json(None)))
}

/// Reads the JSON inside a scalar. The nodes carry their places in the file that the scalar is in.
pub fn parse_embedded(node: Node<'_>) -> Document<'_> {
    let outer = node.document;
    let map = scalar_position(node);
    let notation = match map {
        ScalarMap::Exact(_) => Notation::Json(Some(node.style())),
        ScalarMap::Coarse(..) => Notation::Unclear,
    };
    let document = Document::new(outer.file_id(), Cow::Borrowed(node.text()), map);
    let mut document = json::parse_one(document.written_in(notation));
    document.keep_reported(outer.template);
    document
}

impl Node<'_> {
    /// The place of a part of the text, given in bytes of [`Node::text`], through escapes, folding and indentation.
    ///
    /// [`Node::span_of`] is quicker, and gives the whole node where the text is not written as it is.
    pub fn place_of(self, range: std::ops::Range<usize>) -> Span {
        let map = scalar_position(self);
        let (start, end) = (map.to_file(to_offset(range.start)), map.end_to_file(to_offset(range.end)));
        Span::new(self.document.file_id(), start, end)
    }
}

/// Returns the map from the bytes of a scalar's text to the file.
fn scalar_position(node: Node<'_>) -> ScalarMap {
    let outer = node.document;
    let data = node.data();
    if let NodePayload::Text(NodeText::Own { start, .. }) = data.payload {
        ScalarMap::with_base(outer.map.to_file(start))
    } else {
        let base = outer.map.to_file(0);
        let own = |offset: u32| (offset.saturating_sub(base) as usize).min(outer.text.len());
        let (start, end) = (own(data.start), own(data.end));
        let start = match data.style {
            NodeStyle::Literal | NodeStyle::Folded => block_start(&outer.text, start, node.text()),
            _ => start,
        };
        // A block extends to the line break after its last line.
        let end = if start == own(data.start) { end } else { line_end(&outer.text, end) };
        let source = outer.text.get(start..end).unwrap_or_default();
        map_scalar(source, base + to_offset(start), data.style, node.text())
    }
}

/// The start of the first line of a block whose content begins at `offset`: empty lines before it are content too.
fn block_start(text: &str, offset: usize, content: &str) -> usize {
    let empty_lines = content.len() - content.trim_start_matches('\n').len();
    (0..empty_lines).fold(line_start(text, offset), |start, _| previous_line(text, start))
}

/// The start of the line before the one that starts at `start`.
fn previous_line(text: &str, start: usize) -> usize {
    let before = text.get(..start).unwrap_or_default();
    let before = before.strip_suffix("\r\n").or_else(|| before.strip_suffix(['\n', '\r'])).unwrap_or(before);
    line_start(text, before.len())
}

fn line_start(text: &str, offset: usize) -> usize {
    text.get(..offset).and_then(|before| before.rfind(['\n', '\r'])).map_or(0, |at| at + 1)
}

fn line_end(text: &str, offset: usize) -> usize {
    text.get(offset..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| offset + at + 1)
}
