//! Edits on the values, entries and items of a document.

use kvrules_diagnostics::{Edit, SourceFile, Span};

use super::{
    block,
    gap::{GapContent, classify_gap, span_between},
    scalar::{ScalarEdit, write_scalar},
};
use crate::{Entry, Node, NodeStyle, Notation, SyntaxKind};

/// Makes edits of one file.
#[derive(Clone, Copy, Debug)]
pub struct Rewriter<'s> {
    pub(super) source: &'s SourceFile,
}

/// A container, and where its members stand: entries from key to value, or items.
struct Members<'d> {
    container: Node<'d>,
    spans: Vec<Span>,
}

/// Puts a value in place of a scalar; `None` for what is none, and for block scalars.
pub fn scalar_edit(node: Node<'_>, value: ScalarEdit<'_>) -> Option<Edit> {
    let scalar = !matches!(node.kind(), SyntaxKind::List | SyntaxKind::Map | SyntaxKind::Hole);
    if !scalar || node.is_alias() || node.span().to_range().is_empty() {
        return None;
    }
    let replacement = write_scalar(value, node.notation(), node.style())?;
    Some(Edit { span: node.span(), replacement })
}

impl<'s> Rewriter<'s> {
    /// Makes edits of this file.
    pub fn new(source: &'s SourceFile) -> Self {
        Self { source }
    }

    /// Puts a value in place of a scalar.
    pub fn replace_scalar(self, node: Node<'_>, value: ScalarEdit<'_>) -> Option<Edit> {
        scalar_edit(node, value)
    }

    /// Gives an entry another key.
    pub fn rename_key(self, entry: Entry<'_>, key: &str) -> Option<Edit> {
        self.replace_scalar(entry.key, ScalarEdit::Text(key))
    }

    /// Exchanges two scalars with all their marks.
    pub fn swap_scalars(self, one: Node<'_>, other: Node<'_>) -> Option<[Edit; 2]> {
        let scalar =
            |node: Node<'_>| !matches!(node.kind(), SyntaxKind::List | SyntaxKind::Map | SyntaxKind::Hole);
        if !scalar(one) || !scalar(other) || one.is_alias() || other.is_alias() {
            return None;
        }
        let put = |node: Node<'_>, from: Node<'_>| Edit {
            span: node.span(),
            replacement: self.source.span_text(from.span()).to_owned(),
        };
        Some([put(one, other), put(other, one)])
    }

    /// Puts a new entry behind one of a map, laid out as its neighbours are.
    pub fn insert_after(
        self,
        map: Node<'_>,
        entry: Entry<'_>,
        key: &str,
        value: ScalarEdit<'_>,
    ) -> Option<Edit> {
        let members = Members::of_map(map)?;
        let at = members.position(entry.key.span())?;
        let notation = map.notation();
        if notation == Notation::Yaml && !self.is_flow(map) {
            let line = format!(
                "{}: {}",
                write_scalar(ScalarEdit::Text(key), notation, entry.key.style())?,
                write_scalar(value, notation, NodeStyle::Plain)?
            );
            return block::insert_line(self.source, &members.spans, at, entry.value, &line);
        }
        let colon = self.colon(entry, notation);
        let comma = self.comma(&members, at, colon.len() > 1)?;
        let key = write_scalar(ScalarEdit::Text(key), notation, entry.key.style())?;
        // In flow style a plain scalar would end at brackets and commas.
        let value = write_scalar(value, notation, NodeStyle::Double)?;
        let span = members.spans.get(at)?.at_end();
        Some(Edit { span, replacement: format!("{comma}{key}{colon}{value}") })
    }

    /// Takes an entry out of a map, with its comma or its line.
    pub fn remove_entry(self, map: Node<'_>, entry: Entry<'_>) -> Option<Edit> {
        let members = Members::of_map(map)?;
        let at = members.position(entry.key.span())?;
        self.remove_member(&members, at)
    }

    /// Takes an item out of a list, with its comma or its lines.
    pub fn remove_item(self, list: Node<'_>, item: Node<'_>) -> Option<Edit> {
        let members = Members::of_list(list)?;
        let at = members.position(item.span())?;
        if list.notation() == Notation::Yaml && !self.is_flow(list) {
            return block::remove_item(self.source, &members.spans, at);
        }
        self.remove_member(&members, at)
    }

    fn remove_member(self, members: &Members<'_>, at: usize) -> Option<Edit> {
        let notation = members.container.notation();
        if notation == Notation::Yaml && !self.is_flow(members.container) {
            return block::remove_line(self.source, &members.spans, at);
        }
        let own = *members.spans.get(at)?;
        let has_comma = |span: Span| self.gap_content(span, notation) == GapContent::Mark(',');
        let span = match at.checked_sub(1) {
            Some(before) => {
                let comma = span_between(*members.spans.get(before)?, own);
                has_comma(comma).then(|| comma.cover_with(own))?
            }
            None => match members.spans.get(1) {
                Some(next) => {
                    let comma = span_between(own, *next);
                    has_comma(comma).then(|| own.cover_with(comma))?
                }
                None => own,
            },
        };
        Some(Edit { span, replacement: String::new() })
    }

    /// The comma between two entries, with the white space that the author puts around it.
    fn comma(self, members: &Members<'_>, at: usize, spacious: bool) -> Option<String> {
        let notation = members.container.notation();
        let own = *members.spans.get(at)?;
        let before = at.checked_sub(1).and_then(|before| members.spans.get(before));
        let gaps = [before.map(|before| span_between(*before, own)), {
            members.spans.get(at + 1).map(|behind| span_between(own, *behind))
        }];
        let good = |span: &Span| self.gap_content(*span, notation) == GapContent::Mark(',');
        if let Some(span) = gaps.into_iter().flatten().find(good) {
            return Some(self.source.span_text(span).to_owned());
        }
        // The white space before a single entry is also used before the next one.
        let open = members.container.span();
        let lead = Span { start: open.start + 1, end: own.start.max(open.start + 1), ..open };
        let shown = if at == 0 && members.spans.len() == 1 { self.source.span_text(lead) } else { "" };
        (self.gap_content(lead, notation) == GapContent::Blank || shown.is_empty()).then(|| {
            match shown.trim_end_matches(' ') {
                "" if spacious => ", ".to_owned(),
                "" => ",".to_owned(),
                _ => format!(",{shown}"),
            }
        })
    }

    /// The colon between a key and its value, with the author's white space.
    fn colon(self, entry: Entry<'_>, notation: Notation) -> String {
        let span = span_between(entry.key.span(), entry.value.span());
        let shown = self.source.span_text(span);
        let one_line =
            self.gap_content(span, notation) == GapContent::Mark(':') && !shown.contains(['\n', '\\']);
        // In YAML a colon needs the space behind it.
        let enough = notation != Notation::Yaml || shown.ends_with(' ');
        if one_line && enough { shown.to_owned() } else { ": ".to_owned() }
    }

    fn gap_content(self, span: Span, notation: Notation) -> GapContent {
        classify_gap(self.source.span_text(span), notation)
    }

    /// True if a container is written in brackets.
    fn is_flow(self, container: Node<'_>) -> bool {
        self.source.span_text(container.span()).starts_with(['{', '['])
    }
}

impl<'d> Members<'d> {
    fn of_map(map: Node<'d>) -> Option<Self> {
        let spans = map.entries().map(|entry| {
            let (key, value) = (entry.key.span(), entry.value.span());
            if value.to_range().is_empty() { key } else { key.cover_with(value) }
        });
        map.is_map().then(|| Self::new(map, spans.collect()))?
    }

    fn of_list(list: Node<'d>) -> Option<Self> {
        list.is_list().then(|| Self::new(list, list.items().map(Node::span).collect()))?
    }

    /// None if the places of the members are not known: they must follow one another inside of the container.
    fn new(container: Node<'d>, spans: Vec<Span>) -> Option<Self> {
        let in_order = spans.windows(2).all(|pair| matches!(pair, [one, next] if one.end <= next.start));
        let outside = container.span();
        let inside = spans.iter().all(|span| outside.start <= span.start && span.end <= outside.end);
        let known = !container.is_alias() && container.notation() != Notation::Unclear;
        (in_order && inside && known).then_some(Self { container, spans })
    }

    fn position(&self, member: Span) -> Option<usize> {
        self.spans.iter().position(|span| span.start == member.start)
    }
}
