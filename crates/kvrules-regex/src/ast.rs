//! The tree of a regular expression: small, flag-free, and always in normal form when built by its constructors.
//!
//! Flags are gone: `i` became [`Node::Literal`]'s `fold` or a wider class, `s` the `newline` of [`Node::Any`], `m`
//! the choice of [`Anchor`], `U` the `greedy` of [`Node::Repeat`]. Plain groups `(?:…)` leave no trace.

use crate::class::{Class, fold_orbit};

/// One part of a regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Matches the empty text, anywhere.
    Empty,
    /// One character, or (`fold`) any character that differs from it in case only.
    Literal {
        /// The character; of characters that fold together always the same one.
        char: char,
        /// True if case is ignored; only set if the character has another case.
        fold: bool,
    },
    /// Any character, including the line feed or not.
    Any {
        /// True if the line feed matches too (flag `s`).
        newline: bool,
    },
    /// One character out of a set.
    Class(Class),
    /// A place, not a character.
    Anchor(Anchor),
    /// A capturing group.
    Group {
        /// The group's name, if it has one; Go lets two groups have the same.
        name: Option<String>,
        /// Content of the group.
        node: Box<Node>,
    },
    /// A part that occurs `min` to `max` times.
    Repeat {
        /// Repeated part.
        node: Box<Node>,
        /// The least number of times.
        min: u32,
        /// The greatest number of times; none when there is no bound.
        max: Option<u32>,
        /// True if more repetitions are tried before fewer.
        greedy: bool,
    },
    /// Parts one after another; at least two, none of them `Empty` or `Concat`.
    Concat(Vec<Node>),
    /// Parts of which one matches, tried in order; at least two, none of them `Alternate`.
    Alternate(Vec<Node>),
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// `\A`, and `^` without flag `m`.
    TextStart,
    /// `\z`, and `$` without flag `m`: the very end, not before a last line feed.
    TextEnd,
    /// `^` with flag `m`.
    LineStart,
    /// `$` with flag `m`.
    LineEnd,
    /// `\b`, where words are made of ASCII letters, digits and `_`.
    WordBoundary,
    /// `\B`.
    NotWordBoundary,
}

impl Node {
    /// Returns the node inside groups that only capture.
    pub fn without_groups(&self) -> &Self {
        if let Node::Group { node, .. } = self { node.without_groups() } else { self }
    }

    /// The character itself.
    pub fn literal(char: char) -> Self {
        Node::Literal { char, fold: false }
    }

    /// The character in any case. Of its variants the lower-case ASCII letter stands for all, else the least.
    pub fn literal_any_case(char: char) -> Self {
        let orbit = fold_orbit(char);
        let ascii = orbit.iter().copied().find(char::is_ascii_lowercase);
        let char = ascii.or_else(|| orbit.first().copied()).unwrap_or(char);
        Node::Literal { char, fold: orbit.len() > 1 }
    }

    /// The set, as a literal or a dot where it is one.
    pub fn class(class: Class) -> Self {
        match class.ranges() {
            [(low, high)] if low == high => Node::literal(*low),
            [('\0', char::MAX)] => Node::Any { newline: true },
            [('\0', '\t'), ('\x0B', char::MAX)] => Node::Any { newline: false },
            _ => Node::Class(class),
        }
    }

    /// A capturing group.
    pub fn group(name: Option<String>, node: Node) -> Self {
        Node::Group { name, node: Box::new(node) }
    }

    /// A repetition.
    pub fn repeat(node: Node, min: u32, max: Option<u32>, greedy: bool) -> Self {
        Node::Repeat { node: Box::new(node), min, max, greedy }
    }

    /// The parts one after another.
    pub fn concat(parts: impl IntoIterator<Item = Node>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Node::Empty => {}
                Node::Concat(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        unwrap_single(flat, Node::Concat)
    }

    /// One of the parts.
    pub fn alternate(parts: impl IntoIterator<Item = Node>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Node::Alternate(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        unwrap_single(flat, Node::Alternate)
    }

    /// The parts directly inside this one.
    pub fn children(&self) -> &[Node] {
        match self {
            Node::Group { node, .. } | Node::Repeat { node, .. } => std::slice::from_ref(node),
            Node::Concat(parts) | Node::Alternate(parts) => parts,
            _ => &[],
        }
    }
}

fn unwrap_single(mut parts: Vec<Node>, wrap: impl FnOnce(Vec<Node>) -> Node) -> Node {
    if parts.len() > 1 {
        return wrap(parts);
    }
    parts.pop().unwrap_or(Node::Empty)
}
