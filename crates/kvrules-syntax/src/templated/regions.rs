//! Decides what tags leave open about a place in the text.

use std::ops::Range;

use kvrules_diagnostics::Span;

use super::{Region, RegionKind, Template};
use crate::offset::to_offset;

impl Region {
    /// True if it may add keys, items or documents, or remove some.
    pub fn changes_structure(&self) -> bool {
        self.kind == RegionKind::Structure && self.scope.is_none()
    }

    /// True if it may add anything at a place, or remove anything.
    fn may_change(&self, start: usize, end: usize) -> bool {
        let is_within = |scope: &Range<usize>| scope.start <= start && end <= scope.end;
        self.kind == RegionKind::Structure && self.scope.as_ref().is_none_or(is_within)
    }

    /// The place of the tag, in the file of another place.
    fn span(&self, beside: Span) -> Span {
        Span { start: to_offset(self.range.start), end: to_offset(self.range.end), ..beside }
    }
}

impl Template {
    /// The parts of tags that a range of bytes shares with them. An empty range is touched by what is around it.
    pub(crate) fn regions_touching(&self, start: usize, end: usize) -> impl Iterator<Item = &Region> {
        let first = self.regions.partition_point(|region| region.range.end <= start);
        let behind = self.regions.iter().skip(first);
        behind.take_while(move |region| region.range.start < end.max(start + 1))
    }

    /// True if a tag is part of this place.
    pub fn touches_span(&self, span: Span) -> bool {
        let mut touching = self.regions_touching(span.start as usize, span.end as usize);
        touching.any(|region| region.kind != RegionKind::Nothing)
    }

    /// True if this place is under a condition or in a loop.
    pub fn is_conditional(&self, span: Span) -> bool {
        self.blocks.is_conditional(span.start as usize)
    }

    /// True if this place is under a condition or in a loop that an outer place is not in.
    pub fn is_conditional_within(&self, inner: Span, outer: Span) -> bool {
        self.blocks.is_conditional_within(inner.start as usize, outer.start as usize)
    }

    /// True if these places are always rendered together: none belongs to an alternative, or to a condition of its
    /// own, without the others.
    pub fn are_together(&self, spans: impl Iterator<Item = Span>) -> bool {
        let mut spans = spans;
        let Some(first) = spans.next() else { return true };
        spans.all(|span| self.blocks.are_together(first.start as usize, span.start as usize))
    }

    /// True if the rendered text may have more or less at this place than is written.
    pub fn is_open(&self, span: Span) -> bool {
        let (start, end) = (span.start as usize, span.end as usize);
        let last = end.checked_sub(1).and_then(|last| self.masked.as_bytes().get(last));
        let anything = |region: &&Region| region.may_change(start, end);
        if self.regions_touching(start, end).any(|region| anything(&region)) {
            return true;
        }
        // A missing value is located after the blank lines.
        if start == end && self.region_before(start).is_some_and(|region| anything(&region)) {
            return true;
        }
        // A block without a bracket goes on behind blank lines.
        let is_closed = matches!(last, Some(b'}' | b']'));
        let behind = self.regions.partition_point(|region| region.range.end <= end);
        // A missing value of a key may be located at its colon.
        let end = if start == end { end + 1 } else { end };
        !is_closed
            && self
                .regions
                .iter()
                .skip(behind)
                .take_while(|region| region.from <= end)
                // The end of a condition that contains the whole node adds nothing to the node.
                .any(|region| anything(&region) && region.ends.is_none_or(|opening| opening >= start))
    }

    /// True if a text shows a tag, or a placeholder of one.
    pub fn is_quoted_in(&self, text: &str) -> bool {
        let mut tags = self.regions.iter().filter_map(|region| self.written.get(region.range.clone()));
        text.contains("${_") || (text.contains('{') && tags.any(|tag| text.contains(tag)))
    }

    /// The tags that stand for a part of the value at a place, as they are written, in their order.
    pub fn values_in(&self, span: Span) -> impl Iterator<Item = &str> {
        let touching = self.regions_touching(span.start as usize, span.end as usize);
        let values = touching.filter(|region| region.kind == RegionKind::Value);
        values.filter_map(|region| self.written.get(region.range.clone()))
    }

    /// A digest of all tags as they are written, and how many of them begin before a place. Where both are equal in two
    /// texts, the same conditions and loops are around it.
    pub(crate) fn tags_around(&self, span: Span) -> (u64, usize) {
        let before = self.regions.partition_point(|region| region.range.start < span.start as usize);
        (self.digest, before)
    }

    /// The first tag in a place.
    pub fn first_tag_in(&self, span: Span) -> Option<Span> {
        let mut touching = self.regions_touching(span.start as usize, span.end as usize);
        touching.find(|region| region.kind != RegionKind::Nothing).map(|region| region.span(span))
    }

    /// The last tag that begins before the end of a place.
    pub fn last_tag_before(&self, span: Span) -> Option<Span> {
        let end = (span.end as usize).max(span.start as usize + 1);
        let before = self.regions.partition_point(|region| region.range.start < end);
        before.checked_sub(1).and_then(|at| self.regions.get(at)).map(|region| region.span(span))
    }

    /// The tag that ends before an offset with only blanks between them.
    fn region_before(&self, at: usize) -> Option<&Region> {
        let behind = self.regions.partition_point(|region| region.range.end <= at);
        let region = behind.checked_sub(1).and_then(|before| self.regions.get(before))?;
        self.masked.get(region.range.end..at)?.trim().is_empty().then_some(region)
    }

    /// True if a tag that may be anything is on the line of this place, or next to it.
    pub(crate) fn stands_beside(&self, start: usize, end: usize) -> bool {
        let anything = |region: &Region| region.may_change(start, end);
        let behind = self.regions.partition_point(|region| region.range.end <= start);
        let before = behind.checked_sub(1).and_then(|at| self.regions.get(at));
        let on_line = before.is_some_and(|region| anything(region) && start < region.lines.end);
        let follows = on_line || self.region_before(start).is_some_and(anything);
        let precedes = self
            .regions
            .get(behind)
            .is_some_and(|region| anything(region) && (region.from <= end || region.lines.start <= end));
        follows || precedes
    }
}
