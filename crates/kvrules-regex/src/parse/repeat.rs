//! Quantifiers: `*`, `+`, `?`, `{n,m}` and their lazy forms.

use super::limits::{MAX_REPEAT, SizedNode};
use super::{Parsed, Parser};
use crate::ast::Node;
use crate::error::RegexErrorKind as Kind;

/// Numbers between braces. A number that is too long reads as the greatest there is.
struct Counts {
    min: u32,
    max: Option<u32>,
    bytes: usize,
}

impl Parser<'_> {
    /// Reads `*`, `+` or `?`.
    pub(super) fn symbol_repeat(&mut self, symbol: char, last: Option<usize>) -> Parsed<bool> {
        let start = self.cursor.pos();
        self.cursor.bump();
        let (min, max) = match symbol {
            '*' => (0, None),
            '+' => (1, None),
            _ => (0, Some(1)),
        };
        self.repeat(start, last, min, max)?;
        Ok(true)
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`; returns true if it was one, and not just a brace.
    pub(super) fn counted_repeat(&mut self, last: Option<usize>) -> Parsed<bool> {
        let start = self.cursor.pos();
        let Some(counts) = counts(self.cursor.rest()) else {
            self.cursor.bump();
            self.push_literal('{')?;
            return Ok(false);
        };
        self.cursor.advance(counts.bytes);
        let fragment = start..self.cursor.pos();
        let Counts { min, max, .. } = counts;
        if min.max(max.unwrap_or(min)) > MAX_REPEAT {
            return self.error(Kind::RepeatTooLarge, fragment);
        }
        if max.is_some_and(|max| max < min) {
            return self.error(Kind::RepeatOutOfOrder, fragment);
        }
        self.repeat(start, last, min, max)?;
        Ok(true)
    }

    /// Repeats the last piece; the quantifier began at `start`, the one right before it at `last`.
    fn repeat(&mut self, start: usize, last: Option<usize>, min: u32, max: Option<u32>) -> Parsed<()> {
        let symbol_end = self.cursor.pos();
        let lazy = self.cursor.eat("?");
        let end = self.cursor.pos();
        if let Some(last) = last {
            let kind = if self.pattern.get(start..symbol_end) == Some("+") {
                Kind::PossessiveQuantifier
            } else {
                Kind::NestedRepeat
            };
            return self.error(kind, last..end);
        }
        let Some(inner) = self.frame.sequence.pop() else {
            return self.error(Kind::MissingRepeatArgument, start..end);
        };
        let piece = SizedNode::repeat(inner, min, max, lazy == self.flags.swap_greed());
        let counted = min >= 2 || max.is_some_and(|max| max >= 2);
        if counted && !fits(&piece.node, MAX_REPEAT) {
            return self.error(Kind::RepeatTooLarge, start..end);
        }
        self.push(piece)
    }
}

/// True if nested counts multiply to no more than `limit`. It visits every node below, but counts of two and more can
/// nest only nine deep before they fail, so no node is visited more often than that.
fn fits(node: &Node, limit: u32) -> bool {
    let mut limit = limit;
    if let Node::Repeat { min, max, .. } = node {
        let times = max.unwrap_or(*min);
        if *max == Some(0) {
            return true;
        }
        if times > limit {
            return false;
        }
        limit /= times.max(1);
    }
    node.children().iter().all(|child| fits(child, limit))
}

/// Reads counts between braces at the start of the text; anything else there is plain text to Go.
fn counts(text: &str) -> Option<Counts> {
    let (min, rest) = number(text.strip_prefix('{')?)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => number(rest).map(|(max, rest)| (Some(max), rest))?,
    };
    let rest = rest.strip_prefix('}')?;
    Some(Counts { min, max, bytes: text.len() - rest.len() })
}

/// A decimal number without leading zeros, and what follows it.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    Some((digits.parse().unwrap_or(u32::MAX), rest))
}
