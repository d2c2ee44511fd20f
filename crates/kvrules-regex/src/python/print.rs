//! A Python pattern for other engines. Classes by name keep their names, so that people can read the result.

use super::ast::{CharacterSet, Greediness, NamedClass, Node, PythonAnchor, SetItem, WrittenSet};
use super::error::{Construct, PythonError};
use super::{PythonRegex, unicode};
use crate::class::Class;
use crate::print::escape::Alphabet;
use crate::print::{ecma, re2, rust};

/// The engine that a pattern is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatternDialect {
    /// RE2 and Go.
    Re2,
    /// ECMA-262 with flag `u`, as JSON Schema reads patterns.
    Ecma,
    /// The Rust `regex` crate.
    Rust,
}

/// A pattern for another engine, tied to both ends of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedPattern {
    /// The pattern.
    pub text: String,
    /// The constructs with another result than in Python; empty if the pattern is exact.
    pub inexact: Vec<Inexactness>,
}

/// A way in which a printed pattern may differ from Python's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Inexactness {
    /// The engine's Unicode version decides which characters are digits or letters.
    UnicodeVersion,
    /// The engine's words are not Python's, which matters at `\b`.
    WordBoundary,
}

/// Writes a pattern.
pub(super) fn print_pattern(
    regex: &PythonRegex,
    dialect: PatternDialect,
) -> Result<PrintedPattern, PythonError> {
    let mut printer = Printer { dialect, out: String::new(), inexact: Vec::new() };
    printer.out.push('^');
    let written = printer.within(&regex.node, has_branches(&regex.node), true);
    written.map_err(|construct| PythonError::unsupported(construct, 0..regex.source.len()))?;
    if !printer.out.ends_with(END) {
        printer.out.push('$');
    }
    printer.inexact.sort_unstable();
    printer.inexact.dedup();
    let text = printer.out.replace(END, "$");
    let text = text.strip_prefix("^^").map_or(text.clone(), |rest| format!("^{rest}"));
    Ok(PrintedPattern { text, inexact: printer.inexact })
}

/// Stands for an end of the text until it is known whether another follows.
const END: char = '\u{F8FF}';

struct Printer {
    dialect: PatternDialect,
    out: String,
    inexact: Vec<Inexactness>,
}

type PrintResult = Result<(), Construct>;

impl Printer {
    fn node(&mut self, node: &Node, last: bool) -> PrintResult {
        match node {
            Node::Empty => Ok(()),
            Node::Literal(_) | Node::Any { .. } | Node::Set(_) => {
                self.character(node);
                Ok(())
            }
            Node::Place(place) => self.place(*place, last),
            Node::Group { name, node, .. } => self.group(name.as_deref(), node, last),
            Node::Repeat { greed: Greediness::Possessive, .. } => Err(Construct::PossessiveQuantifier),
            Node::Repeat { node, min, max, greed } => self.repeat(node, *min, *max, *greed, last),
            Node::Concat(parts) => self.concat(parts, last),
            Node::Alternate(parts) => parts.iter().enumerate().try_for_each(|(index, part)| {
                self.out.push_str(if index > 0 { "|" } else { "" });
                self.node(part, last)
            }),
            Node::Atomic(_) => Err(Construct::AtomicGroup),
            Node::Look { node, behind, negated } => self.look(node, behind.is_some(), *negated),
            Node::BackReference { group, fold: None } if self.dialect == PatternDialect::Ecma => {
                // The group keeps digits that follow from becoming part of the number.
                self.out.extend([r"(?:\", &group.to_string(), ")"]);
                Ok(())
            }
            Node::BackReference { .. } => Err(Construct::BackReference),
            Node::Conditional { .. } => Err(Construct::Conditional),
        }
    }

    fn word(&mut self, ecma: &str, other: &str) {
        self.out.push_str(if self.dialect == PatternDialect::Ecma { ecma } else { other });
    }

    /// Writes what takes one character.
    fn character(&mut self, node: &Node) {
        match node {
            Node::Literal(char) => self.alphabet().write_literal(&mut self.out, *char),
            Node::Any { newline: true } => self.word(r"[\s\S]", "(?s:.)"),
            Node::Any { newline: false } => self.word(r"[^\n]", "."),
            Node::Set(set) => self.set(set),
            _ => {}
        }
    }

    fn within(&mut self, node: &Node, wrapped: bool, last: bool) -> PrintResult {
        self.out.push_str(if wrapped { "(?:" } else { "" });
        self.node(node, last)?;
        self.out.push_str(if wrapped { ")" } else { "" });
        Ok(())
    }

    fn concat(&mut self, parts: &[Node], last: bool) -> PrintResult {
        parts.iter().enumerate().try_for_each(|(index, part)| {
            let behind = parts.get(index + 1..).unwrap_or_default();
            let last = last && behind.iter().all(|part| matches!(part, Node::Place(_) | Node::Empty));
            self.within(part, has_branches(part) && parts.len() > 1, last)
        })
    }

    fn group(&mut self, name: Option<&str>, node: &Node, last: bool) -> PrintResult {
        // Names are dropped, because other engines accept fewer of them. The numbers of the groups stay the same.
        let _ = name;
        self.out.push('(');
        self.node(node, last)?;
        self.out.push(')');
        Ok(())
    }

    fn repeat(
        &mut self,
        node: &Node,
        min: u32,
        max: Option<u32>,
        greed: Greediness,
        last: bool,
    ) -> PrintResult {
        if self.dialect == PatternDialect::Re2 && max.unwrap_or(min).max(min) > 1000 {
            return Err(Construct::LargeCount);
        }
        if matches!(node, Node::Empty) {
            return Ok(());
        }
        let atom = matches!(node, Node::Literal(_) | Node::Any { .. } | Node::Set(_) | Node::Group { .. });
        self.within(node, !atom, last && max == Some(1))?;
        crate::print::write_counts(&mut self.out, min, max);
        self.out.push_str(if greed == Greediness::Lazy { "?" } else { "" });
        Ok(())
    }

    fn look(&mut self, node: &Node, behind: bool, negated: bool) -> PrintResult {
        if self.dialect != PatternDialect::Ecma {
            return Err(if behind { Construct::LookBehind } else { Construct::LookAhead });
        }
        self.out.push_str(match (behind, negated) {
            (false, false) => "(?=",
            (false, true) => "(?!",
            (true, false) => "(?<=",
            (true, true) => "(?<!",
        });
        self.node(node, false)?;
        self.out.push(')');
        Ok(())
    }

    fn place(&mut self, place: PythonAnchor, last: bool) -> PrintResult {
        let ecma = self.dialect == PatternDialect::Ecma;
        match place {
            PythonAnchor::TextStart => self.out.push('^'),
            PythonAnchor::TextEnd => self.out.push(END),
            PythonAnchor::LastLineEnd if last => self.out.push(END),
            PythonAnchor::LastLineEnd if ecma => self.out.push_str(r"(?=\n?$)"),
            PythonAnchor::LastLineEnd => return Err(Construct::EndBeforeMore),
            PythonAnchor::LineStart => self.word(r"(?<![^\n])", "(?m:^)"),
            PythonAnchor::LineEnd => self.word(r"(?![^\n])", "(?m:$)"),
            PythonAnchor::Word { ascii, negated } => self.boundary(ascii, negated),
        }
        Ok(())
    }

    /// Python alone finds no `\B` in an empty text.
    fn boundary(&mut self, ascii: bool, negated: bool) {
        let word = if negated { r"\B" } else { r"\b" };
        match (self.dialect, ascii) {
            (PatternDialect::Ecma, _) => {
                self.out.push_str(if negated { "(?!^$)" } else { "" });
                if ascii {
                    self.out.push_str(word);
                } else {
                    self.unicode_boundary(negated);
                }
                return;
            }
            (PatternDialect::Rust, true) => self.out.extend(["(?-u:", word, ")"]),
            _ => self.out.push_str(word),
        }
        if negated || !ascii {
            self.inexact.push(Inexactness::WordBoundary);
        }
    }

    fn unicode_boundary(&mut self, negated: bool) {
        let class = r"[\p{L}\p{N}_]";
        let (inside, outside) = if negated { ("(?=", "(?!") } else { ("(?!", "(?=") };
        self.inexact.push(Inexactness::UnicodeVersion);
        self.out.extend(["(?:(?<=", class, ")", inside, class, ")|(?<!", class, ")", outside, class, "))"]);
    }

    fn set(&mut self, set: &CharacterSet) {
        let alphabet = self.alphabet();
        match &set.written {
            None => alphabet.write_class(&mut self.out, &set.class),
            Some(written) => self.written(written),
        }
    }

    fn written(&mut self, written: &WrittenSet) {
        if let ([SetItem::Named(named)], false) = (written.items.as_slice(), written.negated) {
            return self.named_alone(*named);
        }
        self.out.push_str(if written.negated { "[^" } else { "[" });
        let mut ranges = Vec::new();
        for item in &written.items {
            match item {
                SetItem::Range(low, high) => ranges.push((*low, *high)),
                SetItem::Named(
                    NamedClass { letter: 'w', negated: true, .. } | NamedClass { letter: 's', .. },
                ) => {
                    ranges.extend_from_slice(resolve_item(item).ranges());
                }
                SetItem::Named(named) => self.named_inside(*named),
            }
        }
        let class = Class::new(ranges);
        if class.is_empty() {
            self.out.push(']');
        } else {
            // The opening bracket is written already. The positive form is used, because a class that reaches the
            // last character would otherwise be negated.
            let mut text = String::new();
            self.alphabet().write_positive_class(&mut text, &class);
            self.out.push_str(text.strip_prefix('[').unwrap_or_default());
        }
    }

    fn named_alone(&mut self, named: NamedClass) {
        match named {
            NamedClass { letter: 'w', negated, .. } => {
                self.inexact.push(Inexactness::UnicodeVersion);
                self.out.push_str(if negated { r"[^\p{L}\p{N}_]" } else { r"[\p{L}\p{N}_]" });
            }
            NamedClass { letter: 'd', .. } => self.named_inside(named),
            _ => self.alphabet().write_class(&mut self.out, &resolve_item(&SetItem::Named(named))),
        }
    }

    fn named_inside(&mut self, named: NamedClass) {
        self.inexact.push(Inexactness::UnicodeVersion);
        self.out.push_str(match (named.letter, named.negated) {
            ('d', false) => r"\p{Nd}",
            ('d', true) => r"\P{Nd}",
            _ => r"\p{L}\p{N}_",
        });
    }

    fn alphabet(&self) -> &'static Alphabet {
        match self.dialect {
            PatternDialect::Re2 => &re2::ALPHABET,
            PatternDialect::Ecma => &ecma::ALPHABET,
            PatternDialect::Rust => &rust::ALPHABET,
        }
    }
}

/// True if the printed form of a node has a `|` outside of parentheses.
fn has_branches(node: &Node) -> bool {
    match node {
        Node::Alternate(_) => true,
        Node::Concat(parts) => matches!(parts.as_slice(), [only] if has_branches(only)),
        _ => false,
    }
}

fn resolve_item(item: &SetItem) -> Class {
    let SetItem::Named(named) = item else { return Class::new([]) };
    let class = unicode::named_class(named.letter, named.ascii);
    if named.negated { class.to_negated() } else { class }
}
