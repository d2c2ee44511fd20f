//! Pieces of the tree with the figures by which Go bounds an expression.
//!
//! Go refuses a tree higher than 1000 nodes, one that would compile to more than 128 MiB of instructions, and more
//! than 128 MiB of class ranges. Height and size follow Go's own tree, in which a run of literals is one node and
//! an alternation of single characters is a class; Go also factors common prefixes out of alternations, which
//! changes the figures of expressions near a limit and is not imitated.

use crate::ast::Node;

/// The greatest height of a tree.
const MAX_HEIGHT: u32 = 1000;
/// The greatest number of instructions, at 40 bytes each.
const MAX_SIZE: u64 = (128 << 20) / 40;
/// The greatest number of class ranges, at 8 bytes each.
pub(super) const MAX_RANGES: usize = (128 << 20) / 8;
/// The greatest product of nested counts.
pub(super) const MAX_REPEAT: u32 = 1000;

/// A limit that was exceeded.
#[derive(Clone, Copy)]
pub(super) enum PieceLimit {
    Size,
    Depth,
}

/// A node with its figures.
pub(super) struct SizedNode {
    pub(super) node: Node,
    height: u32,
    size: u64,
}

impl SizedNode {
    pub(super) fn leaf(node: Node) -> Self {
        Self { node, height: 1, size: 1 }
    }

    pub(super) fn group(name: Option<String>, inner: SizedNode) -> Self {
        let (height, size) = (inner.height + 1, inner.size.saturating_add(2));
        Self { node: Node::group(name, inner.node), height, size }
    }

    pub(super) fn repeat(inner: SizedNode, min: u32, max: Option<u32>, greedy: bool) -> Self {
        let least = u64::from(min).saturating_mul(inner.size);
        let size = match max {
            None if min == 0 => inner.size.saturating_add(2),
            None => least.saturating_add(1),
            Some(max) => {
                u64::from(max).saturating_mul(inner.size).saturating_add(u64::from(max - min)).max(1)
            }
        };
        let height = inner.height + 1;
        Self { node: Node::repeat(inner.node, min, max, greedy), height, size }
    }

    pub(super) fn concat(pieces: Vec<SizedNode>) -> Self {
        let (height, size, nodes) = Self::join_pieces(pieces, |node| matches!(node, Node::Concat(_)));
        let node = Node::concat(nodes);
        let height = if is_text(&node) { 1 } else { height };
        Self { node, height, size: size.max(1) }
    }

    pub(super) fn alternate(pieces: Vec<SizedNode>) -> Self {
        let branches = u64::try_from(pieces.len()).unwrap_or(u64::MAX);
        let (height, size, nodes) = Self::join_pieces(pieces, |node| matches!(node, Node::Alternate(_)));
        let node = Node::alternate(nodes);
        let size = size.saturating_add(branches.saturating_sub(1));
        if is_choice_of_chars(&node) { Self::leaf(node) } else { Self { node, height, size } }
    }

    /// The figures of a node over the pieces. One of the same kind as the whole is taken apart there, so it adds
    /// no level of its own; a single piece needs no node above it.
    fn join_pieces(pieces: Vec<SizedNode>, is_same: impl Fn(&Node) -> bool) -> (u32, u64, Vec<Node>) {
        let level = u32::from(pieces.len() > 1);
        let (mut height, mut size) = (1, 0u64);
        let mut nodes = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let own = if is_same(&piece.node) { 0 } else { level };
            height = height.max(piece.height + own);
            size = size.saturating_add(piece.size);
            nodes.push(piece.node);
        }
        (height, size, nodes)
    }

    /// Checks that the piece is within the limits.
    pub(super) fn check_limits(&self) -> Result<(), PieceLimit> {
        if self.size > MAX_SIZE {
            return Err(PieceLimit::Size);
        }
        if self.height > MAX_HEIGHT {
            return Err(PieceLimit::Depth);
        }
        Ok(())
    }
}

/// A run of literals that are all case-sensitive, or all are not: one node in Go.
fn is_text(node: &Node) -> bool {
    let Node::Concat(parts) = node else { return false };
    let Some(Node::Literal { fold: first, .. }) = parts.first() else { return false };
    parts.iter().all(|part| matches!(part, Node::Literal { fold, .. } if fold == first))
}

/// An alternation of single characters: a class in Go.
fn is_choice_of_chars(node: &Node) -> bool {
    let Node::Alternate(parts) = node else { return false };
    parts.iter().all(|part| matches!(part, Node::Literal { .. } | Node::Class(_) | Node::Any { .. }))
}
