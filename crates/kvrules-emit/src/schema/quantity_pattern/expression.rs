//! Regular expressions as small trees that simplify while they are built and print with no more brackets than needed.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// A regular expression that matches whole texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expression(Node);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    /// Characters as they are; none of them for the empty text.
    Literal(String),
    /// One character of several.
    OneOf(BTreeSet<char>),
    /// One character of a class that is spelled already.
    Class(&'static str),
    Sequence(Vec<Node>),
    /// No alternative at all matches nothing.
    Either(Vec<Node>),
    Repeated(Box<Node>, usize, Option<usize>),
}

impl Expression {
    /// Matches no text.
    pub(super) fn never() -> Self {
        Self(Node::Either(Vec::new()))
    }

    /// Matches the empty text.
    pub(super) fn empty() -> Self {
        Self::literal("")
    }

    pub(super) fn literal(text: &str) -> Self {
        Self(Node::Literal(text.to_owned()))
    }

    pub(super) fn one_of(characters: &str) -> Self {
        Self::one_of_digits(characters.chars())
    }

    pub(super) fn one_of_digits(characters: impl IntoIterator<Item = char>) -> Self {
        let characters: BTreeSet<char> = characters.into_iter().collect();
        Self(if characters.is_empty() { Node::Either(Vec::new()) } else { Node::OneOf(characters) })
    }

    /// One character of a class in brackets.
    pub(super) fn class(brackets: &'static str) -> Self {
        Self(Node::Class(brackets))
    }

    /// Any digits, `least` to `most` of them.
    pub(super) fn digits(least: usize, most: Option<usize>) -> Self {
        Self::one_of("0123456789").repeated(least, most)
    }

    /// One after the other.
    pub(super) fn sequence(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut nodes: Vec<Node> = Vec::new();
        for Self(part) in parts {
            match part {
                Node::Either(alternatives) if alternatives.is_empty() => return Self::never(),
                Node::Sequence(inner) => {
                    for node in inner {
                        push_joined(&mut nodes, node);
                    }
                }
                node => push_joined(&mut nodes, node),
            }
        }
        match nodes.pop() {
            None => Self::empty(),
            Some(only) if nodes.is_empty() => Self(only),
            Some(last) => Self(Node::Sequence(nodes.into_iter().chain([last]).collect())),
        }
    }

    /// One or another.
    pub(super) fn either(alternatives: impl IntoIterator<Item = Self>) -> Self {
        let mut nodes: Vec<Node> = Vec::new();
        for Self(alternative) in alternatives {
            let inner = if let Node::Either(inner) = alternative { inner } else { vec![alternative] };
            for node in inner {
                push_alternative(&mut nodes, node);
            }
        }
        match nodes.pop() {
            Some(only) if nodes.is_empty() => Self(only),
            last => Self(Node::Either(nodes.into_iter().chain(last).collect())),
        }
    }

    pub(super) fn optional(self) -> Self {
        Self::either([self, Self::empty()])
    }

    pub(super) fn repeated(self, least: usize, most: Option<usize>) -> Self {
        match (least, most) {
            (0, Some(1)) => self.optional(),
            (1, Some(1)) => self,
            (_, Some(0)) => Self::empty(),
            (0, _) if self == Self::never() => Self::empty(),
            _ if self == Self::never() || self == Self::empty() => self,
            _ => Self(Node::Repeated(Box::new(self.0), least, most)),
        }
    }

    /// The text of the expression, checked against the whole of the text it is matched against.
    pub(super) fn anchored(&self) -> String {
        format!("^{}$", Operand(&self.0))
    }
}

/// Adds a part to a sequence, joining literals that meet.
fn push_joined(nodes: &mut Vec<Node>, node: Node) {
    match (nodes.last_mut(), node) {
        (_, Node::Literal(text)) if text.is_empty() => {}
        (Some(Node::Literal(before)), Node::Literal(text)) => before.push_str(&text),
        (_, node) => nodes.push(node),
    }
}

/// Adds an alternative unless it is there, joining digits into one class.
fn push_alternative(nodes: &mut Vec<Node>, node: Node) {
    let digits = node.as_digits();
    let known =
        nodes.iter_mut().find(|known| **known == node || digits.is_some() && known.as_digits().is_some());
    match (known, digits) {
        (Some(known), Some(more)) => {
            *known = Node::OneOf(known.as_digits().into_iter().flatten().chain(more).collect());
        }
        (Some(_), None) => {}
        (None, _) => nodes.push(node),
    }
}

impl Node {
    /// The digits of which this matches one.
    fn as_digits(&self) -> Option<BTreeSet<char>> {
        let characters = match self {
            Self::OneOf(characters) => characters.clone(),
            Self::Literal(text) if text.len() == 1 => text.chars().collect(),
            _ => return None,
        };
        characters.iter().all(char::is_ascii_digit).then_some(characters)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(text) => write_literal(f, text),
            Self::OneOf(characters) => write_class(f, characters),
            Self::Class(brackets) => f.write_str(brackets),
            Self::Sequence(parts) => parts.iter().try_for_each(|part| write!(f, "{}", Operand(part))),
            Self::Either(alternatives) => write_alternatives(f, alternatives),
            Self::Repeated(node, least, most) => {
                write!(f, "{}", Atom(node))?;
                write_repetition(f, *least, *most)
            }
        }
    }
}

/// A node as a part of a sequence: alternatives need brackets, unless all that is optional is one of them.
struct Operand<'a>(&'a Node);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Node::Either(alternatives) if !alternatives.iter().any(is_empty) => write!(f, "(?:{})", self.0),
            node => write!(f, "{node}"),
        }
    }
}

/// A node as what a repetition counts: one character, or brackets.
struct Atom<'a>(&'a Node);

impl fmt::Display for Atom<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Node::OneOf(_) | Node::Class(_) => write!(f, "{}", self.0),
            Node::Literal(text) if text.chars().count() == 1 => write!(f, "{}", self.0),
            node => write!(f, "(?:{node})"),
        }
    }
}

fn is_empty(node: &Node) -> bool {
    matches!(node, Node::Literal(text) if text.is_empty())
}

/// Alternatives without brackets; with them and a `?` where the empty text is among them.
fn write_alternatives(f: &mut fmt::Formatter<'_>, alternatives: &[Node]) -> fmt::Result {
    let rest: Vec<&Node> = alternatives.iter().filter(|node| !is_empty(node)).collect();
    if let [only] = rest.as_slice() {
        return write!(f, "{}?", Atom(only));
    }
    let text = rest.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
    if rest.len() == alternatives.len() { f.write_str(&text) } else { write!(f, "(?:{text})?") }
}

fn write_repetition(f: &mut fmt::Formatter<'_>, least: usize, most: Option<usize>) -> fmt::Result {
    match (least, most) {
        (0, None) => f.write_char('*'),
        (1, None) => f.write_char('+'),
        (least, None) => write!(f, "{{{least},}}"),
        (least, Some(most)) if least == most => write!(f, "{{{least}}}"),
        (least, Some(most)) => write!(f, "{{{least},{most}}}"),
    }
}

/// Writes characters as they are, long runs of one of them as a count.
fn write_literal(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let characters: Vec<char> = text.chars().collect();
    for run in characters.chunk_by(PartialEq::eq) {
        let Some(character) = run.first() else { continue };
        let character = if *character == '.' { r"\.".to_owned() } else { character.to_string() };
        if run.len() > 4 {
            write!(f, "{character}{{{}}}", run.len())?;
        } else {
            f.write_str(&character.repeat(run.len()))?;
        }
    }
    Ok(())
}

/// Writes a character class, neighbouring digits as a range, and a single letter or digit as it is.
fn write_class(f: &mut fmt::Formatter<'_>, characters: &BTreeSet<char>) -> fmt::Result {
    let sorted: Vec<char> = characters.iter().copied().collect();
    if let [only] = sorted.as_slice()
        && only.is_ascii_alphanumeric()
    {
        return f.write_char(*only);
    }
    f.write_char('[')?;
    for run in sorted.chunk_by(|left, right| left.is_ascii_digit() && *right as u32 == *left as u32 + 1) {
        match run {
            [first, _, .., last] => write!(f, "{first}-{last}")?,
            short => short.iter().try_for_each(|character| f.write_char(*character))?,
        }
    }
    f.write_char(']')
}
