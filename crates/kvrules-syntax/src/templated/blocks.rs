//! Finds the parts of a text under a condition or in a loop, and those that exclude each other.

use std::ops::Range;

use super::lexer::{Tag, TagRole};

/// A part between two tags of a condition or a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BlockArm {
    range: Range<usize>,
    /// The arm around it.
    parent: usize,
}

/// The arms of a text; the first is the text itself.
#[derive(Clone, Debug)]
pub(crate) struct BlockArms {
    arms: Vec<BlockArm>,
    /// From each of these offsets on, the text lies in this arm.
    changes: Vec<(usize, usize)>,
    /// From the opening to the closing tag, as indices, of each part that closes.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// From each tag that ends an arm to the tag that opened its part, as indices.
    pub(crate) endings: Vec<(usize, usize)>,
}

impl BlockArms {
    /// Finds the parts. One that begins in a scalar ends with it at the latest; `scalar_at` returns the scalar at an offset.
    pub(crate) fn from_tags(
        tags: &[Tag],
        len: usize,
        scalar_at: impl Fn(usize) -> Option<Range<usize>>,
    ) -> Self {
        let whole = BlockArm { range: 0..len, parent: 0 };
        let mut blocks =
            Self { arms: vec![whole], changes: vec![(0, 0)], pairs: Vec::new(), endings: Vec::new() };
        // Each with the end of the scalar that it began in.
        let mut open: Vec<(usize, usize, usize)> = Vec::new();
        for (index, tag) in tags.iter().enumerate() {
            blocks.end_scalars(&mut open, tag.range.start);
            // A tag in a scalar does not end a part that began outside.
            let scalar = scalar_at(tag.range.start).map_or(usize::MAX, |scalar| scalar.end);
            let around = open.last().copied();
            match (tag.role, around.filter(|(.., end)| *end == scalar)) {
                (TagRole::Open, _) => {
                    let arm = blocks.begin(tag.range.end, len, around.map_or(0, |(arm, ..)| arm));
                    open.push((arm, index, scalar));
                }
                (TagRole::Middle, Some((arm, opening, _))) => {
                    let parent = blocks.end(arm, tag.range.start);
                    open.pop();
                    open.push((blocks.begin(tag.range.end, len, parent), opening, scalar));
                    blocks.endings.push((index, opening));
                }
                (TagRole::Close, Some((arm, opening, _))) => {
                    let parent = blocks.end(arm, tag.range.start);
                    open.pop();
                    blocks.changes.push((tag.range.end, parent));
                    blocks.pairs.push((opening, index));
                    blocks.endings.push((index, opening));
                }
                _ => {}
            }
        }
        blocks.end_scalars(&mut open, len);
        blocks
    }

    /// Ends the parts that began in scalars that are over.
    fn end_scalars(&mut self, open: &mut Vec<(usize, usize, usize)>, at: usize) {
        while let Some((arm, _, end)) = open.last().copied().filter(|(.., end)| *end <= at) {
            let parent = self.end(arm, end);
            self.changes.push((end, parent));
            open.pop();
        }
    }

    fn begin(&mut self, at: usize, len: usize, parent: usize) -> usize {
        self.arms.push(BlockArm { range: at..len, parent });
        self.changes.push((at, self.arms.len() - 1));
        self.arms.len() - 1
    }

    fn end(&mut self, arm: usize, at: usize) -> usize {
        let Some(arm) = self.arms.get_mut(arm) else { return 0 };
        arm.range.end = at;
        arm.parent
    }

    fn arm(&self, at: usize) -> usize {
        let behind = self.changes.partition_point(|(from, _)| *from <= at);
        behind.checked_sub(1).and_then(|change| self.changes.get(change)).map_or(0, |(_, arm)| *arm)
    }

    /// True if the text at this offset may be left out, or repeated.
    pub(crate) fn is_conditional(&self, at: usize) -> bool {
        self.arm(at) != 0
    }

    /// True if the text at the inner offset may be left out, or repeated, where that at the outer one is rendered.
    pub(crate) fn is_conditional_within(&self, inner: usize, outer: usize) -> bool {
        self.arm(inner) != self.arm(outer)
    }

    /// True if the texts at the two offsets are always rendered together.
    pub(crate) fn are_together(&self, one: usize, other: usize) -> bool {
        let range = |at: usize| self.arms.get(self.arm(at)).map(|arm| arm.range.clone()).unwrap_or_default();
        let (one, other) = (range(one), range(other));
        let holds =
            |outer: &Range<usize>, inner: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
        holds(&one, &other) || holds(&other, &one)
    }
}
