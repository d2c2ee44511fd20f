//! Text for the Rust `regex` crate: case spelled out, `\b` and `\B` of ASCII words, groups without their names.
//!
//! Names are dropped because the crate refuses two of one name and names that begin with a digit.

use super::DialectPrinter;
use super::escape::Alphabet;
use crate::ast::{Anchor, Node};
use crate::class::Class;

pub(crate) const ALPHABET: Alphabet =
    Alphabet { special_in_class: r"\[]^-&~", open_code: r"\x{", never: r"[^\x00-\x{10FFFF}]" };

/// Spells a tree.
pub(crate) fn print_rust(node: &Node) -> String {
    super::print_node(&Rust, node)
}

struct Rust;

impl DialectPrinter for Rust {
    fn literals(&self, out: &mut String, chars: &[char], fold: bool) {
        for char in chars {
            if fold { ALPHABET.any_case(out, *char) } else { ALPHABET.write_literal(out, *char) }
        }
    }

    fn class(&self, out: &mut String, class: &Class) {
        ALPHABET.write_class(out, class);
    }

    fn any(&self, newline: bool) -> &'static str {
        if newline { "(?s:.)" } else { "." }
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

    fn open_group(&self, out: &mut String, _name: Option<&str>) {
        out.push('(');
    }
}
