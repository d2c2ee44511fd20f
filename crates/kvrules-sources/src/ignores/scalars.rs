//! Ranges of scalars: a `#` inside one is not a comment, and a comment next to a tall one is about all of it.

use std::ops::Range;

use kvrules_syntax::{Node, NodeStyle, SyntaxKind};

/// The scalars of a file.
#[derive(Debug, Default)]
pub(super) struct ScalarRanges {
    /// Those that may hold a `#`, in the order of the text.
    written: Vec<Range<usize>>,
    /// Those of several lines, from the line that a block's header is on.
    tall: Vec<Range<usize>>,
}

impl ScalarRanges {
    /// The scalars below these nodes.
    pub(super) fn from_nodes(text: &str, roots: &[Node<'_>]) -> Self {
        let mut scalars = Self::default();
        // Not recursive, so that deep nesting in a file cannot overflow the stack.
        let mut open: Vec<Node<'_>> = roots.to_vec();
        while let Some(node) = open.pop() {
            let span = node.span().to_range();
            // The target of an alias is elsewhere in the file, and is visited there.
            let own = |child: &Node<'_>| span.contains(&child.span().to_range().start);
            match node.kind() {
                SyntaxKind::List => open.extend(node.items().filter(own)),
                SyntaxKind::Map => {
                    open.extend(node.entries().flat_map(|entry| [entry.key, entry.value]).filter(own));
                }
                _ => scalars.add_scalars(text, node),
            }
        }
        scalars.written.sort_by_key(|range| range.start);
        scalars.tall.sort_by_key(|range| range.start);
        scalars
    }

    fn add_scalars(&mut self, text: &str, node: Node<'_>) {
        let range = node.span().to_range();
        let written = text.get(range.clone()).unwrap_or_default();
        if written.contains('#') {
            self.written.push(range.clone());
        }
        if matches!(node.style(), NodeStyle::Literal | NodeStyle::Folded) {
            self.tall.push(block_header_start(text, range.start)..range.end);
        } else if written.contains('\n') {
            self.tall.push(range);
        }
    }

    /// True if an offset lies inside a scalar.
    pub(super) fn contains_offset(&self, offset: usize) -> bool {
        let past = self.written.partition_point(|range| range.start <= offset);
        let last = past.checked_sub(1).and_then(|last| self.written.get(last));
        last.is_some_and(|range| offset < range.end)
    }

    /// A line, with all of the scalars that have a part in it.
    pub(super) fn widen_line(&self, line: Range<usize>) -> Range<usize> {
        // Scalars do not overlap, so their ends are in order too.
        let first = self.tall.partition_point(|range| range.end <= line.start);
        let touched = self.tall.iter().skip(first).take_while(|range| range.start < line.end);
        touched.fold(line.clone(), |all, range| all.start.min(range.start)..all.end.max(range.end))
    }
}

/// The start of the line with the header of a block whose text begins at `start`: the last before it that is not empty.
fn block_header_start(text: &str, start: usize) -> usize {
    let before = text.get(..start).unwrap_or_default();
    let before = before.get(..before.rfind('\n').unwrap_or(0)).unwrap_or_default().trim_end();
    before.rfind('\n').map_or(0, |at| at + 1)
}
