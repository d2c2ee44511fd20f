//! Reading a tree: a node is a document and an index, cheap to copy.

use std::collections::HashSet;
use std::ops::Range;

use kvrules_diagnostics::Span;

use crate::{
    Document, NodeStyle, Notation, SyntaxKind,
    document::{NodeData, NodePayload, NodeText},
    templated::Template,
};

/// One node of a [`Document`].
///
/// Every accessor but [`Node::span`] looks through YAML aliases. Only merges are followed by recursion, whose
/// depth the parser bounds, so a hostile nesting costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d> {
    pub(crate) document: &'d Document<'d>,
    index: u32,
}

/// A key and its value.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'d> {
    /// The key.
    pub key: Node<'d>,
    /// The value.
    pub value: Node<'d>,
}

impl<'d> Entry<'d> {
    /// The rest of a line of block style that its author means as the value, and that begins with a tag of YAML: `!has(self.a)` is the tag of an
    /// empty value. `None` for the tags that YAML itself has, as in `!!str yes`.
    ///
    /// ```
    /// use kvrules_diagnostics::FileId;
    ///
    /// let text = "rule: !has(self.a)  # no a\nother: !!str yes\n";
    /// let stream = kvrules_syntax::parse_stream(FileId(0), text);
    /// let root = stream.documents[0].root().unwrap();
    /// let (span, line) = root.entry("rule").unwrap().tagged_line().unwrap();
    /// assert_eq!((line, &text[span.to_range()]), ("!has(self.a)", "!has(self.a)"));
    /// assert!(root.entry("other").unwrap().tagged_line().is_none());
    /// ```
    pub fn tagged_line(self) -> Option<(Span, &'d str)> {
        let document = self.key.document;
        if document.notation != Notation::Yaml {
            return None;
        }
        let end = self.key.raw().end as usize;
        let rest = document.text.get(end..)?;
        let line = rest.lines().next()?;
        let value = line.trim_start().strip_prefix(':')?.trim_start();
        let value = value.split(" #").next()?.trim_end();
        let is_local = value.starts_with('!') && !value.starts_with("!!");
        // In flow style the value ends at a comma or a bracket, which may be a part of what is meant.
        let is_block = document.text.get(..end)?.lines().next_back()?.trim_start_matches(['-', ' ']).len()
            == end - self.key.raw().start as usize;
        if !is_local || !is_block {
            return None;
        }
        let start = end + (line.len() - line.trim_start().strip_prefix(':')?.trim_start().len());
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Some((document.span(offset(start), offset(start + value.len())), value))
    }
}

const NOTHING: NodeData = NodeData {
    kind: SyntaxKind::Hole,
    style: NodeStyle::Plain,
    may_refer: false,
    start: 0,
    end: 0,
    payload: NodePayload::Text(NodeText::Own { start: 0, len: 0 }),
};

impl<'d> Node<'d> {
    pub(crate) fn new(document: &'d Document<'d>, index: u32) -> Self {
        Self { document, index }
    }

    fn raw(self) -> NodeData {
        self.document.nodes.get(self.index as usize).copied().unwrap_or(NOTHING)
    }

    /// The node behind an alias, or this one.
    fn target(self) -> Self {
        match self.raw().payload {
            NodePayload::Target(index) => Self { index, ..self },
            _ => self,
        }
    }

    pub(crate) fn data(self) -> NodeData {
        self.target().raw()
    }

    /// Returns the kind of the node; never [`SyntaxKind::Alias`].
    pub fn kind(self) -> SyntaxKind {
        self.data().kind
    }

    /// Returns the notation of a scalar.
    pub fn style(self) -> NodeStyle {
        self.data().style
    }

    /// The notation of the document that the node is in.
    pub fn notation(self) -> Notation {
        self.document.notation
    }

    /// False if no text in the node has a parameter. Most of a template has none, and need not be visited.
    pub fn may_have_parameters(self) -> bool {
        self.raw().may_refer
    }

    /// True if this is a YAML alias, so that its value is written elsewhere.
    pub fn is_alias(self) -> bool {
        self.raw().kind == SyntaxKind::Alias
    }

    /// Returns the location of the node, quotation marks and brackets included. An alias has its own location.
    pub fn span(self) -> Span {
        let data = self.raw();
        self.document.span(data.start, data.end)
    }

    /// The part of the document's text that the node is written in, as it is written there. The value of an alias
    /// is elsewhere.
    pub fn source_text(self) -> &'d str {
        let data = self.raw();
        self.document.text.get(data.start as usize..data.end as usize).unwrap_or(&self.document.text)
    }

    /// The text of a scalar (unquoted, unescaped, unfolded); empty for lists and maps.
    pub fn text(self) -> &'d str {
        match self.data().payload {
            NodePayload::Text(text) => self.document.text_of(text),
            _ => "",
        }
    }

    /// True if [`Node::text`] is a text. Most keys that a map is searched for differ from it in length already.
    fn has_text(self, text: &str) -> bool {
        match self.data().payload {
            NodePayload::Text(own @ (NodeText::Own { len, .. } | NodeText::Side { len, .. })) => {
                len as usize == text.len() && self.document.text_of(own) == text
            }
            _ => text.is_empty(),
        }
    }

    /// The text of a string; none for anything else.
    pub fn as_str(self) -> Option<&'d str> {
        (self.kind() == SyntaxKind::String).then(|| self.text())
    }

    /// The place of a part of the text, given in bytes of [`Node::text`].
    ///
    /// Exact unless an escape changed the text; then it is the whole node.
    pub fn span_of(self, range: Range<usize>) -> Span {
        let target = self.target();
        match target.raw().payload {
            NodePayload::Text(NodeText::Own { start, len }) => {
                let at = |offset: usize| start + u32::try_from(offset).unwrap_or(len).min(len);
                let map = &self.document.map;
                self.document.span(map.to_file(at(range.start)), map.end_to_file(at(range.end)))
            }
            _ => target.span(),
        }
    }

    /// True if a YAML tag is before a scalar, as in `!!str yes`.
    pub fn has_tag(self) -> bool {
        let NodePayload::Text(NodeText::Own { start, .. }) = self.data().payload else { return false };
        let mut before = self.document.text.get(..start as usize).unwrap_or_default();
        loop {
            before = before.trim_end();
            let word = before.rsplit(|c: char| c.is_whitespace() || "[{,".contains(c)).next();
            match word {
                Some(anchor) if anchor.starts_with('&') => {
                    before = before.strip_suffix(anchor).unwrap_or_default();
                }
                word => return word.is_some_and(|word| word.starts_with('!')),
            }
        }
    }

    /// True if template tags affect it: they are a part of it, or it is under a condition or in a loop.
    pub fn is_templated(self) -> bool {
        let span = self.span();
        self.document
            .template
            .is_some_and(|template| template.touches_span(span) || template.is_conditional(span))
    }

    /// True if template tags are a part of it.
    pub fn has_tags(self) -> bool {
        self.document.template.is_some_and(|template| template.touches_span(self.span()))
    }

    /// True if template tags affect it where a node around it is rendered.
    pub fn is_templated_within(self, outer: Node<'_>) -> bool {
        let is_conditional = |template: &Template| template.is_conditional_within(self.span(), outer.span());
        self.has_tags() || self.document.template.is_some_and(is_conditional)
    }

    /// True if template tags may add keys or items to it, or remove some.
    pub fn is_open(self) -> bool {
        let (document, span) = (self.document, self.span());
        let obscured = |template: &Template| document.obscured && template.touches_span(span);
        document.template.is_some_and(|template| template.is_open(span) || obscured(template))
    }

    /// A digest of all template tags of the text, and how many of them begin before the node; none without tags.
    pub fn tags_around(self) -> Option<(u64, usize)> {
        self.document.template.map(|template| template.tags_around(self.span()))
    }

    /// True if this is a list.
    pub fn is_list(self) -> bool {
        self.kind() == SyntaxKind::List
    }

    /// True for a list or a map.
    pub fn is_container(self) -> bool {
        self.is_list() || self.is_map()
    }

    /// True if this is a map.
    pub fn is_map(self) -> bool {
        self.kind() == SyntaxKind::Map
    }

    /// The items of a list; nothing for anything else.
    pub fn items(self) -> impl Iterator<Item = Node<'d>> {
        self.children(SyntaxKind::List)
    }

    /// The entries of a map in their order; nothing for anything else. YAML merge keys are entries like others.
    pub fn entries(self) -> impl Iterator<Item = Entry<'d>> {
        let mut nodes = self.children(SyntaxKind::Map);
        std::iter::from_fn(move || Some(Entry { key: nodes.next()?, value: nodes.next()? }))
    }

    fn children(self, kind: SyntaxKind) -> Children<'d> {
        let target = self.target();
        match target.raw() {
            NodeData { kind: found, payload: NodePayload::Container { past, .. }, .. } if found == kind => {
                Children { document: self.document, next: target.index + 1, past }
            }
            _ => Children { document: self.document, next: 0, past: 0 },
        }
    }

    /// The bytes of the texts of all scalars in the node, and one for each node; none if there are aliases in it.
    pub(crate) fn size_without_aliases(self) -> Option<usize> {
        let past = match self.raw().payload {
            NodePayload::Container { past, .. } => past,
            _ => self.index + 1,
        };
        let nodes = self.document.nodes.get(self.index as usize..past as usize)?;
        nodes.iter().try_fold(0usize, |size, node| match node.payload {
            NodePayload::Text(NodeText::Own { len, .. } | NodeText::Side { len, .. }) => {
                Some(size + len as usize + 1)
            }
            NodePayload::Container { .. } => Some(size + 1),
            NodePayload::Target(_) => None,
        })
    }

    /// The entries of a map, its own in their order and behind them those that it merges in with `<<`: its own keys win, and
    /// of several merged maps the first.
    pub fn entries_with_merged(self) -> impl Iterator<Item = Entry<'d>> {
        let has_merges = self.has_merges();
        let merged = if has_merges { self.merged_entries() } else { Vec::new() };
        self.entries().filter(move |entry| !has_merges || !entry.key.is_merge_key()).chain(merged)
    }

    /// The entries that a map merges in and does not have itself.
    fn merged_entries(self) -> Vec<Entry<'d>> {
        let mut known: HashSet<_> = self.entries().map(|entry| entry.key.text()).collect();
        let mut merged = Vec::new();
        for map in self.merge_sources() {
            // Of a key that one map has twice the last one counts.
            let mut entries: Vec<_> = map.entries_with_merged().collect();
            entries.reverse();
            entries.retain(|entry| known.insert(entry.key.text()));
            merged.extend(entries.into_iter().rev());
        }
        merged
    }

    /// The maps that a map merges in: the value of `<<`, or its items.
    fn merge_sources(self) -> impl Iterator<Item = Node<'d>> {
        let value = self.entries().find(|entry| entry.key.is_merge_key()).map(|entry| entry.value);
        value.into_iter().flat_map(|value| std::iter::once(value).chain(value.items()))
    }

    /// The value of a key of a map: the last one that the map itself has, else one that it merges in.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        self.entry(key).map(|entry| entry.value)
    }

    /// The entry with a key, found as by [`Node::get`].
    pub fn entry(self, key: &str) -> Option<Entry<'d>> {
        let own = self.entries().filter(|entry| entry.key.has_text(key)).last();
        own.or_else(|| self.merged(key))
    }

    /// True for the key `<<`, whose value a map merges in.
    pub fn is_merge_key(self) -> bool {
        self.has_text("<<") && self.style() == NodeStyle::Plain && self.notation() == Notation::Yaml
    }

    /// True if a map merges other maps, with `<<`.
    pub fn has_merges(self) -> bool {
        matches!(self.data().payload, NodePayload::Container { merges: true, .. })
    }

    /// The entry that a map merges in: of several maps the first one's, and of a merged map its own before those it merges.
    fn merged(self, key: &str) -> Option<Entry<'d>> {
        if !self.has_merges() {
            return None;
        }
        self.merge_sources().find_map(|map| map.entry(key))
    }
}

/// Walks the direct children of a container.
struct Children<'d> {
    document: &'d Document<'d>,
    next: u32,
    past: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        if self.next >= self.past {
            return None;
        }
        let node = Node::new(self.document, self.next);
        self.next = match node.raw().payload {
            NodePayload::Container { past, .. } => past.max(self.next + 1),
            _ => self.next + 1,
        };
        Some(node)
    }
}
