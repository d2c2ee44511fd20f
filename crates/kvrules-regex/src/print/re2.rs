//! RE2 text, as Go and RE2 itself read it: the canonical form of an expression.

use std::sync::OnceLock;

use super::DialectPrinter;
use super::escape::Alphabet;
use crate::ast::{Anchor, Node};
use crate::class::Class;
use crate::unicode;

pub(crate) const ALPHABET: Alphabet =
    Alphabet { special_in_class: r"\[]^-", open_code: r"\x{", never: r"[^\x00-\x{10FFFF}]" };

/// Fewer ranges than this are clearer than a name.
const NAME_FROM: usize = 8;

/// Spells a tree; reading the text again gives an equal one.
pub(crate) fn print_re2(node: &Node) -> String {
    super::print_node(&Re2, node)
}

struct Re2;

impl DialectPrinter for Re2 {
    fn alphabet(&self) -> &'static Alphabet {
        &ALPHABET
    }

    fn literals(&self, out: &mut String, chars: &[char], fold: bool) {
        out.push_str(if fold { "(?i:" } else { "" });
        for char in chars {
            ALPHABET.write_literal(out, *char);
        }
        out.push_str(if fold { ")" } else { "" });
    }

    fn class(&self, out: &mut String, class: &Class) {
        match name_of(class) {
            Some(name) => out.push_str(&name),
            None => ALPHABET.write_class(out, class),
        }
    }

    fn anchor(&self, anchor: Anchor) -> &'static str {
        match anchor {
            Anchor::TextStart => "^",
            Anchor::TextEnd => "$",
            Anchor::LineStart => "(?m:^)",
            Anchor::LineEnd => "(?m:$)",
            Anchor::WordBoundary => r"\b",
            Anchor::NotWordBoundary => r"\B",
        }
    }

    fn open_group(&self, out: &mut String, name: Option<&str>) {
        match name {
            Some(name) => out.extend(["(?P<", name, ">"]),
            None => out.push('('),
        }
    }
}

/// The escape that stands for exactly this class.
fn name_of(class: &Class) -> Option<String> {
    for letter in ['d', 's', 'w'] {
        let known = Class::new(unicode::perl_class(letter)?.iter().copied());
        if *class == known {
            return Some(format!(r"\{letter}"));
        }
        if *class == known.to_negated() {
            return Some(format!(r"\{}", letter.to_ascii_uppercase()));
        }
    }
    if class.ranges().len() < NAME_FROM {
        return None;
    }
    let name = |wanted: &Class| {
        unicode_properties().iter().find(|(_, known)| known == wanted).map(|(name, _)| braced_property(name))
    };
    name(class)
        .map(|name| format!(r"\p{name}"))
        .or_else(|| name(&class.to_negated()).map(|name| format!(r"\P{name}")))
}

fn braced_property(name: &str) -> String {
    if name.len() == 1 { name.to_owned() } else { format!("{{{name}}}") }
}

/// Every Unicode class by name; built when the first large class is printed.
fn unicode_properties() -> &'static [(&'static str, Class)] {
    static PROPERTIES: OnceLock<Vec<(&'static str, Class)>> = OnceLock::new();
    PROPERTIES.get_or_init(|| {
        unicode::property_names()
            .filter_map(|name| unicode::property_class(name).map(|set| (name, Class::from_set(&set))))
            .filter(|(_, class)| class.ranges().len() >= NAME_FROM / 2)
            .collect()
    })
}
