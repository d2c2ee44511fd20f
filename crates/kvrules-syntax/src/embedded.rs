//! The JSON inside a string of another document.

use std::borrow::Cow;

use kvrules_diagnostics::{FileId, Span};

use crate::{
    Document, Node, NodeStyle, Notation,
    document::{NodeData, NodePayload, NodeText},
    json,
    offset::to_offset,
    scalar_map::{ScalarMap, Segment, map_scalar},
};

/// Reads a JSON text that is at the start of a file.
pub fn parse_json(file: FileId, text: &str) -> Document<'_> {
    let document = Document::new(file, Cow::Borrowed(text), ScalarMap::with_base(0));
    json::parse_one(document.written_in(Notation::Json(None)))
}

/// Reads the JSON inside a scalar. The nodes carry their places in the file that the scalar is in.
pub fn parse_embedded(node: Node<'_>) -> Document<'_> {
    parse_at(node, scalar_position(node))
}

fn parse_at(node: Node<'_>, map: ScalarMap) -> Document<'_> {
    let outer = node.document;
    let notation = match map {
        ScalarMap::Exact(_) => Notation::Json(Some(node.style())),
        ScalarMap::Coarse(..) => Notation::Unclear,
    };
    let document = Document::new(outer.file_id(), Cow::Borrowed(node.text()), map);
    let mut document = json::parse_one(document.written_in(notation));
    document.keep_reported(outer.template);
    document
}

/// Number of different texts that are remembered.
const MOST_TEXTS: usize = 16;

/// Reads the JSON inside of scalars. The templates of a bundle repeat texts, each of which is parsed once.
#[derive(Debug, Default)]
pub struct EmbeddedReader<'d> {
    read: Vec<ReadText<'d>>,
}

/// A text that was read without a problem.
#[derive(Debug)]
struct ReadText<'d> {
    /// The lines of its block in the file.
    lines: &'d str,
    text: &'d str,
    style: NodeStyle,
    /// Offset of the lines in the file.
    start: u32,
    segments: Vec<Segment>,
    nodes: Vec<NodeData>,
    side: String,
}

impl<'d> EmbeddedReader<'d> {
    /// Reads the JSON inside a scalar as [`parse_embedded`] does.
    pub fn parse(&mut self, node: Node<'d>) -> Document<'d> {
        let (style, text) = (node.style(), node.text());
        let is_block = matches!(style, NodeStyle::Literal | NodeStyle::Folded);
        if !is_block || node.document.template.is_some() || unchanged_start(node).is_some() {
            return parse_embedded(node);
        }
        let (lines, start) = written_lines(node);
        let is_same = |read: &&ReadText<'_>| read.lines == lines && read.text == text && read.style == style;
        if let Some(read) = self.read.iter().find(is_same) {
            return read.place_at(node, start);
        }
        let document = parse_at(node, map_scalar(lines, start, style, text));
        if let (ScalarMap::Exact(segments), true) = (&document.map, document.problems.is_empty())
            && self.read.len() < MOST_TEXTS
        {
            let (segments, nodes, side) = (segments.clone(), document.nodes.clone(), document.side.clone());
            self.read.push(ReadText { lines, text, style, start, segments, nodes, side });
        }
        document
    }
}

impl ReadText<'_> {
    /// The document of the same text whose lines begin at `start`.
    fn place_at<'d>(&self, node: Node<'d>, start: u32) -> Document<'d> {
        let moved = |offset: u32| offset.wrapping_sub(self.start).wrapping_add(start);
        let segments = self.segments.iter().map(|segment| Segment { file: moved(segment.file), ..*segment });
        let map = ScalarMap::Exact(segments.collect());
        let nodes = self.nodes.iter();
        let document = Document::new(node.document.file_id(), Cow::Borrowed(node.text()), map);
        Document {
            nodes: nodes
                .map(|node| NodeData { start: moved(node.start), end: moved(node.end), ..*node })
                .collect(),
            side: self.side.clone(),
            ..document.written_in(Notation::Json(Some(self.style)))
        }
    }
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
    if let Some(start) = unchanged_start(node) {
        return ScalarMap::with_base(node.document.map.to_file(start));
    }
    let (source, start) = written_lines(node);
    map_scalar(source, start, node.style(), node.text())
}

/// The offset in its document of a text that is written as it is.
fn unchanged_start(node: Node<'_>) -> Option<u32> {
    match node.data().payload {
        NodePayload::Text(NodeText::Own { start, .. }) => Some(start),
        _ => None,
    }
}

/// A scalar as it is written, a block in whole lines, and where in the file that begins.
fn written_lines(node: Node<'_>) -> (&str, u32) {
    let (outer, data) = (node.document, node.data());
    let base = outer.map.to_file(0);
    let own = |offset: u32| (offset.saturating_sub(base) as usize).min(outer.text.len());
    let (start, end) = (own(data.start), own(data.end));
    let start = match data.style {
        NodeStyle::Literal | NodeStyle::Folded => block_start(&outer.text, start, node.text()),
        _ => start,
    };
    // A block extends to the line break after its last line.
    let end = if start == own(data.start) { end } else { line_end(&outer.text, end) };
    (outer.text.get(start..end).unwrap_or_default(), base + to_offset(start))
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
