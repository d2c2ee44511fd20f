//! Text for ECMA-262 engines with the `u` flag: no inline flags, no names, only the escapes legal there.
//!
//! Everything in RE2 can be expressed. With `u` and without `i` or `m`, ECMAScript's `^`, `$`, `\b` and `\B` mean what
//! Go's mean without flags; a line anchor becomes a look-around over one character.

use super::DialectPrinter;
use super::escape::Alphabet;
use crate::ast::{Anchor, Node};

// An empty class could be `[]`, but validators may pass the pattern to engines that refuse it.
pub(crate) const ALPHABET: Alphabet =
    Alphabet { special_in_class: r"\[]^-", open_code: r"\u{", never: r"[^\s\S]" };

/// Spells a tree.
pub(crate) fn print_ecma(node: &Node) -> String {
    super::print_node(&Ecma, node)
}

struct Ecma;

impl DialectPrinter for Ecma {
    fn alphabet(&self) -> &'static Alphabet {
        &ALPHABET
    }

    fn any(&self, newline: bool) -> &'static str {
        if newline { r"[\s\S]" } else { r"[^\n]" }
    }

    fn anchor(&self, anchor: Anchor) -> &'static str {
        match anchor {
            Anchor::TextStart => "^",
            Anchor::TextEnd => "$",
            Anchor::LineStart => r"(?<![^\n])",
            Anchor::LineEnd => r"(?![^\n])",
            Anchor::WordBoundary => r"\b",
            Anchor::NotWordBoundary => r"\B",
        }
    }
}
