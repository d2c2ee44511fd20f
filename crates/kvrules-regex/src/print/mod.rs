//! Spelling a tree for an engine. The walk and its parentheses are the same for all; a [`DialectPrinter`] knows the words.

pub(crate) mod ecma;
pub(crate) mod escape;
pub(crate) mod re2;
pub(crate) mod rust;

use crate::ast::{Anchor, Node};
use crate::class::Class;
use escape::Alphabet;

/// The words of an engine's language.
trait DialectPrinter {
    /// The escapes of the engine.
    fn alphabet(&self) -> &'static Alphabet;
    /// Spells a place.
    fn anchor(&self, anchor: Anchor) -> &'static str;
    /// Spells a run of literals of which all ignore case, or none does.
    fn literals(&self, out: &mut String, chars: &[char], fold: bool) {
        let alphabet = self.alphabet();
        for char in chars {
            if fold { alphabet.any_case(out, *char) } else { alphabet.write_literal(out, *char) }
        }
    }
    /// Spells a set of characters.
    fn class(&self, out: &mut String, class: &Class) {
        self.alphabet().write_class(out, class);
    }
    /// Spells the dot.
    fn any(&self, newline: bool) -> &'static str {
        if newline { "(?s:.)" } else { "." }
    }
    /// Spells the opening of a capturing group.
    fn open_group(&self, out: &mut String, _name: Option<&str>) {
        out.push('(');
    }
}

/// Spells a whole tree. The recursion is as deep as the tree, which the parser bounds.
fn print_node(dialect: &impl DialectPrinter, node: &Node) -> String {
    let mut out = String::new();
    write_node(dialect, &mut out, node);
    out
}

fn write_node(dialect: &impl DialectPrinter, out: &mut String, node: &Node) {
    match node {
        Node::Empty => {}
        Node::Literal { char, fold } => dialect.literals(out, &[*char], *fold),
        Node::Any { newline } => out.push_str(dialect.any(*newline)),
        Node::Class(class) => dialect.class(out, class),
        Node::Anchor(anchor) => out.push_str(dialect.anchor(*anchor)),
        Node::Group { name, node } => {
            dialect.open_group(out, name.as_deref());
            write_node(dialect, out, node);
            out.push(')');
        }
        Node::Repeat { node, min, max, greedy } => {
            let atom = matches!(
                **node,
                Node::Literal { .. } | Node::Any { .. } | Node::Class(_) | Node::Group { .. }
            );
            write_within(dialect, out, node, !atom);
            write_counts(out, *min, *max);
            out.push_str(if *greedy { "" } else { "?" });
        }
        Node::Concat(parts) => write_sequence(dialect, out, parts),
        Node::Alternate(parts) => {
            for (index, part) in parts.iter().enumerate() {
                out.push_str(if index > 0 { "|" } else { "" });
                write_within(dialect, out, part, matches!(part, Node::Alternate(_)));
            }
        }
    }
}

fn write_within(dialect: &impl DialectPrinter, out: &mut String, node: &Node, wrapped: bool) {
    out.push_str(if wrapped { "(?:" } else { "" });
    write_node(dialect, out, node);
    out.push_str(if wrapped { ")" } else { "" });
}

/// Spells parts one after another, literals in runs as long as can be.
fn write_sequence(dialect: &impl DialectPrinter, out: &mut String, parts: &[Node]) {
    let mut run = LiteralRun::default();
    for part in parts {
        if let Node::Literal { char, fold } = part {
            if !run.take(*char, *fold) {
                run.flush(dialect, out);
                run.take(*char, *fold);
            }
        } else {
            run.flush(dialect, out);
            write_within(dialect, out, part, matches!(part, Node::Alternate(_) | Node::Concat(_)));
        }
    }
    run.flush(dialect, out);
}

/// Literals that can be spelled together.
#[derive(Default)]
struct LiteralRun {
    chars: Vec<char>,
    fold: bool,
}

impl LiteralRun {
    /// Takes one more, if it fits. A character without another case fits into a run that ignores case.
    fn take(&mut self, char: char, fold: bool) -> bool {
        let fits =
            self.chars.is_empty() || self.fold == fold || (self.fold && crate::fold_orbit(char).len() == 1);
        if fits {
            self.fold = if self.chars.is_empty() { fold } else { self.fold };
            self.chars.push(char);
        }
        fits
    }

    fn flush(&mut self, dialect: &impl DialectPrinter, out: &mut String) {
        if !self.chars.is_empty() {
            dialect.literals(out, &self.chars, self.fold);
        }
        self.chars.clear();
    }
}

pub(crate) fn write_counts(out: &mut String, min: u32, max: Option<u32>) {
    let text = match (min, max) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (_, None) => format!("{{{min},}}"),
        (_, Some(max)) if max == min => format!("{{{min}}}"),
        (_, Some(max)) => format!("{{{min},{max}}}"),
    };
    out.push_str(&text);
}
