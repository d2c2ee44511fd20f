//! Puts nodes into a document in the order of the text.

use std::{collections::HashMap, ops::Range};

use kvrules_diagnostics::Span;

use crate::{
    Document, NodeStyle, Problem, ProblemKind, SyntaxKind,
    document::{NodeData, NodePayload, NodeText},
    offset::to_offset,
};

/// Nearly all maps are small; comparing all keys beats a hash table up to about here.
const SMALL_MAP: usize = 24;

/// A document under construction.
pub(crate) struct DocumentBuilder<'s> {
    pub document: Document<'s>,
    /// Indices of the containers that are open, and how many nodes may refer to parameters before each.
    open: Vec<(u32, u32)>,
    /// Number of nodes that may refer to parameters.
    referring: u32,
    signs: DollarSearch,
    /// The furthest end of any node so far.
    pub last_end: u32,
    /// The keys of the map that is being closed; kept for its memory alone.
    keys: Vec<(u64, u32)>,
}

impl<'s> DocumentBuilder<'s> {
    pub(crate) fn new(document: Document<'s>) -> Self {
        Self {
            document,
            open: Vec::new(),
            referring: 0,
            signs: DollarSearch::default(),
            last_end: 0,
            keys: Vec::new(),
        }
    }

    /// The index that the next node will get.
    pub(crate) fn next_index(&self) -> u32 {
        to_offset(self.document.nodes.len())
    }

    pub(crate) fn add_scalar(
        &mut self,
        kind: SyntaxKind,
        style: NodeStyle,
        span: (u32, u32),
        text: NodeText,
    ) {
        self.push(kind, style, span, NodePayload::Text(text));
    }

    /// A node that stands where something could not be read, or was missing.
    pub(crate) fn add_hole(&mut self, span: (u32, u32)) {
        self.add_scalar(SyntaxKind::Hole, NodeStyle::Plain, span, NodeText::Own { start: 0, len: 0 });
    }

    pub(crate) fn add_alias(&mut self, span: (u32, u32), target: u32) {
        self.push(SyntaxKind::Alias, NodeStyle::Plain, span, NodePayload::Target(target));
    }

    pub(crate) fn begin_container(&mut self, kind: SyntaxKind, start: u32) {
        self.open.push((self.next_index(), self.referring));
        let past = self.next_index() + 1;
        self.push(kind, NodeStyle::Plain, (start, start), NodePayload::Container { past, merges: false });
    }

    /// Closes the innermost container and returns its index.
    ///
    /// With no `end` (a YAML block has no closing bracket) it ends where its last node ends.
    pub(crate) fn finish_container(&mut self, end: Option<u32>) -> Option<u32> {
        let (container, before) = self.open.pop()?;
        let past = self.next_index();
        let merges = self.check_keys(container);
        let end = end.unwrap_or(self.last_end);
        let node = self.document.nodes.get_mut(container as usize)?;
        node.payload = NodePayload::Container { past, merges };
        node.may_refer = self.referring > before;
        node.end = end.max(node.start);
        self.last_end = self.last_end.max(end);
        Some(container)
    }

    /// Closes every container that is still open, and gives a key without a value a hole.
    pub(crate) fn finish_all(&mut self) {
        while let Some((container, _)) = self.open.last().copied() {
            if self.dangling_key(container) {
                self.add_hole((self.last_end, self.last_end));
            }
            self.finish_container(None);
        }
    }

    /// Keeps a text next to the source.
    pub(crate) fn side_text(&mut self, text: &str) -> NodeText {
        let start = to_offset(self.document.side.len());
        self.document.side.push_str(text);
        NodeText::Side { start, len: to_offset(text.len()) }
    }

    pub(crate) fn add_problem(&mut self, kind: ProblemKind, span: (u32, u32), detail: impl Into<String>) {
        self.problem_related(kind, span, None, detail);
    }

    pub(crate) fn problem_related(
        &mut self,
        kind: ProblemKind,
        span: (u32, u32),
        related: Option<Span>,
        detail: impl Into<String>,
    ) {
        let span = self.document.span(span.0, span.1);
        let (notation, detail) = (self.document.notation, detail.into());
        self.document.problems.push(Problem { kind, span, related, notation, detail });
    }

    fn push(&mut self, kind: SyntaxKind, style: NodeStyle, (start, end): (u32, u32), payload: NodePayload) {
        self.last_end = self.last_end.max(end);
        let may_refer = match payload {
            NodePayload::Text(NodeText::Own { start, len }) => {
                self.signs.has_sign(&self.document.text, start as usize, (start + len) as usize)
            }
            NodePayload::Text(text @ NodeText::Side { .. }) => self.document.text_of(text).contains('$'),
            NodePayload::Target(_) => true,
            NodePayload::Container { .. } => false,
        };
        self.referring += u32::from(may_refer);
        self.document.nodes.push(NodeData { kind, style, may_refer, start, end, payload });
    }

    /// Indices of the direct children of a container whose nodes end at the end of the list.
    fn children(&self, container: u32) -> impl Iterator<Item = (u32, &NodeData)> {
        let mut next = container as usize + 1;
        std::iter::from_fn(move || {
            let node = self.document.nodes.get(next)?;
            let at = to_offset(next);
            next = match node.payload {
                NodePayload::Container { past, .. } => (past as usize).max(next + 1),
                _ => next + 1,
            };
            Some((at, node))
        })
    }

    fn dangling_key(&self, container: u32) -> bool {
        let is_map =
            self.document.nodes.get(container as usize).is_some_and(|node| node.kind == SyntaxKind::Map);
        is_map && self.children(container).count() % 2 == 1
    }

    /// Reports keys that stand twice in a map; says whether the map merges others in.
    fn check_keys(&mut self, container: u32) -> bool {
        if self.document.nodes.get(container as usize).is_none_or(|node| node.kind != SyntaxKind::Map) {
            return false;
        }
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let texts = self.children(container).step_by(2);
        keys.extend(texts.filter_map(|(at, key)| Some((digest(self.key_text(key)?), at))));
        for (first, second) in self.repeated(&keys) {
            self.repeated_key(first, second);
        }
        let is_plain =
            |at: u32| self.document.nodes.get(at as usize).is_some_and(|key| key.style == NodeStyle::Plain);
        // goyaml.v2, decode.go, isMerge: in quotation marks it is a key like others.
        let merges = keys.iter().any(|(key, at)| *key == digest("<<") && is_plain(*at));
        self.keys = keys;
        merges
    }

    fn repeated_key(&mut self, first: NodeData, second: NodeData) {
        let related = Some(self.document.span(first.start, first.end));
        let text = self.key_text(&second).unwrap_or_default().to_owned();
        self.problem_related(ProblemKind::DuplicateKey, (second.start, second.end), related, text);
    }

    /// Pairs of keys with the same text, the first one first.
    fn repeated(&self, keys: &[(u64, u32)]) -> Vec<(NodeData, NodeData)> {
        let node = |at: u32| self.document.nodes.get(at as usize).copied();
        let text = |at: u32| node(at).and_then(|key| self.key_text(&key)).filter(|text| *text != "<<");
        let mut found = Vec::new();
        let mut pair = |first: u32, second: u32| found.extend(node(first).zip(node(second)));
        if keys.len() > SMALL_MAP {
            let mut firsts = HashMap::new();
            for (key, at) in keys.iter().filter_map(|(_, at)| Some((text(*at)?, *at))) {
                if let Some(first) = firsts.insert(key, at) {
                    pair(first, at);
                }
            }
            return found;
        }
        for (index, (digest, second)) in keys.iter().enumerate() {
            let alike = keys.iter().take(index).filter(|(other, _)| other == digest);
            let same = |first: &u32| text(*first).is_some() && text(*first) == text(*second);
            if let Some(first) = alike.map(|(_, at)| *at).find(same) {
                pair(first, *second);
            }
        }
        found
    }

    fn key_text(&self, key: &NodeData) -> Option<&str> {
        match key.payload {
            NodePayload::Text(text) if key.kind != SyntaxKind::Hole => Some(self.document.text_of(text)),
            _ => None,
        }
    }
}

/// Search for dollar signs in texts that follow each other: a part of the document is searched for several texts at once.
#[derive(Default)]
struct DollarSearch {
    /// The part without a sign.
    clear: Range<usize>,
    /// True if a sign follows the part.
    is_before_sign: bool,
}

impl DollarSearch {
    /// Bytes that are searched for the next texts too.
    const AHEAD: usize = 1024;

    /// True if a part of a text has a dollar sign.
    fn has_sign(&mut self, text: &str, start: usize, end: usize) -> bool {
        let is_covered = end <= self.clear.end || self.is_before_sign;
        if !(self.clear.start..=self.clear.end).contains(&start) || !is_covered {
            let most = start.saturating_add(Self::AHEAD).max(end).min(text.len());
            let limit = (end..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(end);
            let found = text.get(start..limit).and_then(|part| part.find('$'));
            (self.clear, self.is_before_sign) =
                (start..found.map_or(limit, |at| start + at), found.is_some());
        }
        end > self.clear.end
    }
}

/// The length and the first bytes of a key: two keys with different ones differ.
fn digest(key: &str) -> u64 {
    let bytes = key.bytes().take(7).fold(0, |digest, byte| digest << 8 | u64::from(byte));
    bytes << 8 | u64::from(to_offset(key.len()) & 0xff)
}
