//! Text for the Rust `regex` crate: case spelled out, `\b` and `\B` of ASCII words, groups without their names.
//!
//! Names are dropped because the crate refuses two of one name and names that begin with a digit.

use super::DialectPrinter;
use super::escape::Alphabet;
use crate::ast::{Anchor, Node};

pub(crate) const ALPHABET: Alphabet =
    Alphabet { special_in_class: r"\[]^-&~", open_code: r"\x{", never: r"[^\x00-\x{10FFFF}]" };

/// Spells a tree.
pub(crate) fn print_rust(node: &Node) -> String {
    super::print_node(&Rust, node)
}

struct Rust;

impl DialectPrinter for Rust {
    fn alphabet(&self) -> &'static Alphabet {
        &ALPHABET
    }

    fn anchor(&self, anchor: Anchor) -> &'static str {
        match anchor {
            Anchor::TextStart => "^",
            Anchor::TextEnd => "$",
            Anchor::LineStart => "(?m:^)",
            Anchor::LineEnd => "(?m:$)",
            Anchor::WordBoundary => r"(?-u:\b)",
            // The ASCII `\B` also matches between the bytes of one character, so require a character boundary as
            // well.
            Anchor::NotWordBoundary => r"(?-u:\B)(?:\b|\B)",
        }
    }
}
