//! Regular expressions as railroad diagrams.

mod block;
mod draw;

use kvrules_regex::Regex;
use kvrules_regex::ast::{Anchor, Node};
use kvrules_regex::description::DescriptionPiece;

use self::block::{Block, BoxKind, PartBudget};
use crate::pictures::canvas::{Align, Canvas, MARGIN, Tone};
use crate::pictures::picture::Picture;
use crate::pictures::shown::shown_text;
use crate::pictures::text_width::TextFont;

/// Most boxes and branches of a diagram. An expression with more has a picture that reports this instead.
pub const MOST_PARTS: usize = 48;

/// Draws a regular expression as Go reads it; `None` if it has a syntax error.
///
/// ```
/// let picture = kvrules_pages::pictures::draw_pattern("^(virtio|scsi)$").unwrap();
/// assert_eq!(picture.title(), "Railroad diagram of the pattern ^(virtio|scsi)$");
/// assert_eq!(picture.description(), "In words: exactly scsi or virtio.");
/// ```
pub fn draw_pattern(pattern: &str) -> Option<Picture> {
    kvrules_regex::parse(pattern).ok().map(|regex| draw_regex(&regex))
}

/// Draws a regular expression: every way through the tracks from left to right spells a text that matches.
pub fn draw_regex(regex: &Regex) -> Picture {
    let title = format!("Railroad diagram of the pattern {}", shown_text(regex.source()));
    let mut budget = PartBudget::new(MOST_PARTS);
    let blocks = top_blocks(regex, &mut budget);
    if let Some(canvas) = blocks.and_then(|blocks| draw::draw_rows(&blocks)) {
        return canvas.finish(title, describe_pattern(regex));
    }
    let mut canvas = Canvas::default();
    let line = "This pattern is too large for a railroad diagram.";
    canvas.text((MARGIN, MARGIN + 13), Align::Start, TextFont::Words, Tone::Soft, line);
    canvas.finish(title, line.to_owned())
}

/// The parts of the expression one after another, with boxes for the text around a match.
fn top_blocks(regex: &Regex, budget: &mut PartBudget) -> Option<Vec<Block>> {
    let node = regex.ast().without_groups();
    if let Some(inner) = anchored_branches(node) {
        return Some(vec![block::read_branches(&inner, budget)?]);
    }
    let parts = if let Node::Concat(parts) = node { parts.as_slice() } else { std::slice::from_ref(node) };
    // The ends of the tracks are the ends of the text, so anchors there need no box.
    let starts = parts.first().is_some_and(|part| *part == Node::Anchor(Anchor::TextStart));
    let rest = parts.get(usize::from(starts)..).unwrap_or_default();
    let ends = rest.last().is_some_and(|part| *part == Node::Anchor(Anchor::TextEnd));
    let inner = rest.get(..rest.len() - usize::from(ends)).unwrap_or_default();
    let around = || Block::label("any text", BoxKind::Place);
    let mut blocks = Vec::new();
    if !regex.is_anchored_start() {
        blocks.push(around());
    }
    blocks.extend(block::read_sequence(inner, budget, 0)?);
    if !regex.is_anchored_end() {
        blocks.push(around());
    }
    Some(blocks)
}

/// The parts of each branch between its anchors, if all branches are whole texts: `^$|^[a-z]+$`.
fn anchored_branches(node: &Node) -> Option<Vec<&[Node]>> {
    let Node::Alternate(branches) = node else { return None };
    let inner = branches.iter().map(|branch| match branch.without_groups() {
        Node::Concat(parts) => match parts.as_slice() {
            [Node::Anchor(Anchor::TextStart), inner @ .., Node::Anchor(Anchor::TextEnd)] => Some(inner),
            _ => None,
        },
        _ => None,
    });
    inner.collect()
}

fn describe_pattern(regex: &Regex) -> String {
    let Some(pieces) = regex.describe_in_words() else {
        return format!("The pattern is {}.", shown_text(&regex.to_re2()));
    };
    let pieces = pieces.into_iter().map(|piece| match piece {
        DescriptionPiece::Words(words) => words,
        DescriptionPiece::Code(code) => shown_text(&code),
    });
    format!("In words: {}.", pieces.collect::<String>())
}
