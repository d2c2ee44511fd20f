//! One YAML event after the other into nodes.

use std::{borrow::Cow, collections::HashMap};

use kvrules_diagnostics::{FileId, Span};
use saphyr_parser::{Event, ScalarStyle, Tag};

use super::{InputText, TextChanges};
use crate::{
    Document, MAX_DEPTH, NodeStyle, ProblemKind, SyntaxKind, builder::DocumentBuilder, chars::CharCursor,
    document::NodeText, offset::to_offset, scalar_map::ScalarMap,
};

/// More nodes than this, counting what aliases repeat, and a document is an attack and not a document.
const MAX_EXPANDED: u64 = 4_000_000;

/// Turns events into documents.
pub(super) struct Reader<'s, 'r> {
    file: FileId,
    text: &'s str,
    base: u32,
    cursor: CharCursor<'s>,
    builder: DocumentBuilder<'s>,
    changes: TextChanges<'r>,
    /// Open mappings and sequences.
    frames: Vec<Frame>,
    anchors: HashMap<usize, Anchor>,
    /// Nodes so far, counting what aliases repeat.
    expanded: u64,
    /// Offset of the first byte of the current document.
    pub(super) begin: usize,
    /// Offset just past the last event.
    pub(super) reached: usize,
}

struct Frame {
    /// No node of its own: a mapping whose entries belong to the mapping around it (see [`Repair`]), or one that
    /// is too deep to be read.
    spliced: bool,
    anchor: usize,
    expanded_before: u64,
}

struct Anchor {
    node: u32,
    /// Nodes behind the anchor; none while it is still open.
    size: Option<u64>,
}

impl<'s, 'r> Reader<'s, 'r> {
    pub(super) fn new(file: FileId, text: InputText<'s>, base: u32, changes: TextChanges<'r>) -> Self {
        let InputText { text, ascii } = text;
        Self {
            file,
            text,
            base,
            cursor: CharCursor::new(text, ascii),
            builder: Self::builder(file, text, base),
            changes,
            frames: Vec::new(),
            anchors: HashMap::new(),
            expanded: 0,
            begin: 0,
            reached: 0,
        }
    }

    fn builder(file: FileId, text: &'s str, base: u32) -> DocumentBuilder<'s> {
        DocumentBuilder::new(Document::new(file, Cow::Borrowed(text), ScalarMap::with_base(base)))
    }

    /// The byte offset, in the text, of the YAML parser's character index.
    pub(super) fn offset(&mut self, chars: usize) -> usize {
        self.cursor.byte(chars)
    }

    /// Takes one event; returns the document that it ends.
    pub(super) fn event(&mut self, event: Event<'_>, span: saphyr_parser::Span) -> Option<Document<'s>> {
        let start = self.offset(span.start.index());
        let end = self.offset(span.end.index()).max(start);
        let bracket = end > start;
        if self.frames.len() > MAX_DEPTH
            && !matches!(
                event,
                Event::SequenceStart(..) | Event::MappingStart(..) | Event::SequenceEnd | Event::MappingEnd
            )
        {
            return None;
        }
        match event {
            Event::DocumentStart(_) => self.begin = start,
            Event::DocumentEnd => {
                (self.reached, self.begin) = (end, end);
                return Some(self.take());
            }
            Event::Alias(id) => self.alias(id, start, end),
            Event::Scalar(value, style, anchor, tag) => {
                self.scalar(&value, style, anchor, tag.as_deref(), start, end);
            }
            Event::SequenceStart(anchor, _) => self.begin_container(SyntaxKind::List, anchor, start),
            Event::MappingStart(anchor, _) => self.begin_container(SyntaxKind::Map, anchor, start),
            Event::SequenceEnd | Event::MappingEnd => self.end_container(bracket.then(|| self.place(end))),
            Event::Nothing | Event::StreamStart | Event::StreamEnd => {}
        }
        self.reached = end;
        None
    }

    /// Ends the current document where the parser could not go on.
    pub(super) fn give_up(mut self, kind: ProblemKind, at: usize, info: &str) -> Document<'s> {
        let end = at + self.text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        self.builder.add_problem(kind, (self.place(at), self.place(end)), info);
        self.take()
    }

    fn take(&mut self) -> Document<'s> {
        self.builder.finish_all();
        self.frames.clear();
        self.anchors.clear();
        self.expanded = 0;
        let mut fresh = Self::builder(self.file, self.text, self.base);
        // The documents of a bundle are similar, so reserve what the last one needed.
        fresh.document.nodes.reserve(self.builder.document.nodes.len());
        fresh.document.side.reserve(self.builder.document.side.len());
        std::mem::replace(&mut self.builder, fresh).document
    }

    fn place(&self, offset: usize) -> u32 {
        self.base.saturating_add(to_offset(offset))
    }

    fn begin_container(&mut self, kind: SyntaxKind, anchor: usize, start: usize) {
        let too_deep = self.frames.len() >= MAX_DEPTH;
        if too_deep && self.frames.len() == MAX_DEPTH {
            self.builder.add_problem(ProblemKind::TooDeep, (self.place(start), self.place(start)), "");
            self.builder.add_hole((self.place(start), self.place(start)));
        }
        let spliced = !too_deep && kind == SyntaxKind::Map && self.put_back_value(start);
        self.remember(anchor, None);
        self.frames.push(Frame { spliced: spliced || too_deep, anchor, expanded_before: self.expanded });
        if !spliced && !too_deep {
            self.expanded += 1;
            self.builder.begin_container(kind, self.place(start));
        }
    }

    fn end_container(&mut self, end: Option<u32>) {
        let Some(frame) = self.frames.pop() else { return };
        if !frame.spliced {
            self.builder.finish_container(end);
        }
        let size = self.expanded - frame.expanded_before;
        if let Some(anchor) = self.anchors.get_mut(&frame.anchor) {
            anchor.size = Some(size);
        }
    }

    /// If a repair blanked the value in front of the mapping that begins here, puts the value into the tree.
    fn put_back_value(&mut self, start: usize) -> bool {
        let Some(last) = self.builder.last_end.checked_sub(self.base) else { return false };
        let between = last as usize..=start;
        let Some(repair) = self.changes.repairs.iter().find(|repair| between.contains(&repair.value.start))
        else {
            return false;
        };
        let text = self.builder.side_text(&repair.text);
        let value = (self.place(repair.value.start), self.place(repair.value.end));
        self.builder.add_scalar(SyntaxKind::String, NodeStyle::Plain, value, text);
        let related = Span::new(self.file, value.0, value.1);
        let key = (self.place(repair.key.start), self.place(repair.key.end));
        let detail = self.text.get(repair.key.clone()).unwrap_or_default().to_owned();
        self.builder.problem_related(ProblemKind::YamlIndentation, key, Some(related), detail);
        true
    }

    fn alias(&mut self, id: usize, start: usize, end: usize) {
        let span = (self.place(start), self.place(end));
        match self.anchors.get(&id) {
            Some(Anchor { node, size: Some(size) }) if self.expanded + size <= MAX_EXPANDED => {
                self.expanded += size;
                self.builder.add_alias(span, *node);
            }
            _ => {
                let name = self.text.get(start..end).unwrap_or_default().to_owned();
                self.builder.add_problem(ProblemKind::AliasExpansion, span, name);
                self.builder.add_hole(span);
            }
        }
    }

    fn remember(&mut self, anchor: usize, size: Option<u64>) {
        if anchor > 0 {
            self.anchors.insert(anchor, Anchor { node: self.builder.next_index(), size });
        }
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        start: usize,
        end: usize,
    ) {
        let style = style_of(style);
        let (start, end) = self.written(style, start, end);
        let scalars = self.changes.scalars;
        let found = scalars.binary_search_by_key(&start, |scalar| scalar.range.start);
        let overwritten = found.ok().and_then(|at| scalars.get(at));
        let value = overwritten.map_or(value, |scalar| scalar.value.as_str());
        let text = match overwritten {
            Some(_) => self.builder.side_text(value),
            None => self.keep(value, style, start),
        };
        let kind = kind_of(value, style, tag);
        self.expanded += 1;
        self.remember(anchor, Some(1));
        self.builder.add_scalar(kind, style, (self.place(start), self.place(end)), text);
    }

    /// Cuts what the parser's span holds next to the scalar: anchors and tags in front, and blanks, breaks and a comment
    /// behind.
    fn written(&self, style: NodeStyle, start: usize, end: usize) -> (usize, usize) {
        let source = self.text.get(start..end).unwrap_or_default();
        let start = if source.starts_with(['!', '&']) {
            start + self.properties(style, start, source)
        } else {
            start
        };
        let source = self.text.get(start..end).unwrap_or_default();
        let len = match style {
            NodeStyle::Single | NodeStyle::Double if source.contains('#') => quoted_len(source),
            _ => source.trim_end_matches([' ', '\t', '\n', '\r']).len(),
        };
        (start, start + len)
    }

    /// The bytes of the anchor and the tag in front of a scalar; in front of the content of a block, those of its header too.
    fn properties(&self, style: NodeStyle, start: usize, source: &str) -> usize {
        let is_block = matches!(style, NodeStyle::Literal | NodeStyle::Folded);
        let line = self.text.get(..start).unwrap_or_default();
        let line = line.get(line.rfind(['\n', '\r']).map_or(0, |at| at + 1)..).unwrap_or_default();
        // The content of a block begins its line, and may begin like an anchor.
        if is_block && line.trim().is_empty() {
            return 0;
        }
        let mut rest = source;
        while rest.starts_with(['!', '&', '#']) {
            let ends: &[char] = if rest.starts_with('#') { &['\n', '\r'] } else { &[' ', '\t', '\n', '\r'] };
            let end = rest.find(ends).unwrap_or(rest.len());
            rest = rest.get(end..).unwrap_or_default().trim_start();
        }
        if is_block {
            let header = rest.find('\n').unwrap_or(rest.len());
            rest = rest.get(header..).unwrap_or_default().trim_start();
        }
        source.len() - rest.len()
    }

    /// Refers to the source if it contains the text unchanged; else keeps a copy.
    fn keep(&mut self, value: &str, style: NodeStyle, start: usize) -> NodeText {
        let quote = usize::from(matches!(style, NodeStyle::Single | NodeStyle::Double));
        let start = start + quote;
        if self.text.get(start..start + value.len()) == Some(value) {
            return NodeText::Own { start: to_offset(start), len: to_offset(value.len()) };
        }
        self.builder.side_text(value)
    }
}

/// The length of a quoted scalar, behind which a comment may stand.
fn quoted_len(source: &str) -> usize {
    let is_double = source.starts_with('"');
    let mut bytes = source.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if is_double => _ = bytes.next(),
            b'"' if is_double => return at + 1,
            b'\'' if !is_double && source.as_bytes().get(at + 1) == Some(&b'\'') => _ = bytes.next(),
            b'\'' if !is_double => return at + 1,
            _ => {}
        }
    }
    source.len()
}

fn style_of(style: ScalarStyle) -> NodeStyle {
    match style {
        ScalarStyle::Plain => NodeStyle::Plain,
        ScalarStyle::SingleQuoted => NodeStyle::Single,
        ScalarStyle::DoubleQuoted => NodeStyle::Double,
        ScalarStyle::Literal => NodeStyle::Literal,
        ScalarStyle::Folded => NodeStyle::Folded,
    }
}

/// Resolves a scalar by the YAML 1.2 core schema, as the Kubernetes tools do for all that matters here.
fn kind_of(value: &str, style: NodeStyle, tag: Option<&Tag>) -> SyntaxKind {
    if style != NodeStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str") {
        return SyntaxKind::String;
    }
    match value {
        "" | "~" | "null" | "Null" | "NULL" => SyntaxKind::Null,
        "true" | "True" | "TRUE" => SyntaxKind::True,
        "false" | "False" | "FALSE" => SyntaxKind::False,
        _ if is_number(value) => SyntaxKind::Number,
        _ if is_parameter(value) => SyntaxKind::Parameter,
        _ => SyntaxKind::String,
    }
}

/// `${{NAME}}` as a whole value; `${NAME}` always stands for a string.
fn is_parameter(value: &str) -> bool {
    value.starts_with("${{")
        && crate::parameters::parameter_at(value, 0)
            .is_some_and(|found| found.unquoted && found.range.end == value.len())
}

fn is_number(value: &str) -> bool {
    if !value.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.')) {
        return false;
    }
    let unsigned = value.strip_prefix(['-', '+']).unwrap_or(value);
    if let Some(hex) = value.strip_prefix("0x") {
        return !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    if let Some(octal) = value.strip_prefix("0o") {
        return !octal.is_empty() && octal.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(value, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let starts = unsigned.strip_prefix('.').unwrap_or(unsigned).bytes().next();
    let digits = starts.is_some_and(|byte| byte.is_ascii_digit());
    digits
        && unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'-' | b'+'))
        && unsigned.parse::<f64>().is_ok()
}
