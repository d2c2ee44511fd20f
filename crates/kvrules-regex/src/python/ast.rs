//! The tree of a Python pattern: flags are resolved, and what only a backtracking engine knows is still there.

use crate::class::Class;

/// One part of a Python pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Matches the empty text, anywhere.
    Empty,
    /// One character.
    Literal(char),
    /// The dot, with the line feed or without.
    Any {
        /// True if the line feed matches too (flag `s`).
        newline: bool,
    },
    /// One character out of a set.
    Set(CharacterSet),
    /// A place, not a character.
    Place(PythonAnchor),
    /// A capturing group.
    Group {
        /// Its number, from 1.
        index: usize,
        /// Its name, if it has one.
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
        /// In which order counts are tried.
        greed: Greediness,
    },
    /// Parts one after another.
    Concat(Vec<Node>),
    /// Parts of which one matches, tried in order.
    Alternate(Vec<Node>),
    /// `(?>…)`: what was found first is kept.
    Atomic(Box<Node>),
    /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`.
    Look {
        /// Part that is searched for.
        node: Box<Node>,
        /// The number of characters to step back before looking; none for a look ahead.
        behind: Option<usize>,
        /// True if it must be absent.
        negated: bool,
    },
    /// `\1`, `(?P=name)`: the text that a group took.
    BackReference {
        /// The group's number.
        group: usize,
        /// True if case is ignored.
        fold: Option<CaseFolding>,
    },
    /// `(?(1)yes|no)`.
    Conditional {
        /// The group of the condition.
        group: usize,
        /// Part that must match if the group took part.
        yes: Box<Node>,
        /// Part that must match if it did not.
        no: Box<Node>,
    },
}

/// Order in which a repetition tries its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Greediness {
    /// Many first.
    Greedy,
    /// Few first.
    Lazy,
    /// Many, and never fewer afterwards (`*+`).
    Possessive,
}

/// Relation of characters that are equal except for case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaseFolding {
    /// Those of Unicode, as Python knows them.
    Unicode,
    /// ASCII letters only (flag `a`).
    Ascii,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PythonAnchor {
    /// `\A`, and `^` without flag `m`.
    TextStart,
    /// `\Z`.
    TextEnd,
    /// `$` without flag `m`: the end, or before a line feed that is the last character.
    LastLineEnd,
    /// `^` with flag `m`.
    LineStart,
    /// `$` with flag `m`.
    LineEnd,
    /// `\b` and `\B`.
    Word {
        /// True if words consist of ASCII's letters and digits, false if of Unicode's.
        ascii: bool,
        /// `\B`.
        negated: bool,
    },
}

/// A set of characters, resolved, and as it was written.
#[derive(Clone, Debug)]
pub struct CharacterSet {
    /// Every character in the set; negation and case are done.
    pub class: Class,
    /// The members as written, where `\d`, `\s` or `\w` is among them and case counts.
    pub(crate) written: Option<WrittenSet>,
}

impl PartialEq for CharacterSet {
    fn eq(&self, other: &Self) -> bool {
        self.class == other.class
    }
}

impl Eq for CharacterSet {}

/// The members of a set that has names among them.
#[derive(Clone, Debug)]
pub(crate) struct WrittenSet {
    pub(crate) items: Vec<SetItem>,
    pub(crate) negated: bool,
}

/// One member of a set as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetItem {
    Range(char, char),
    Named(NamedClass),
}

/// `\d`, `\s`, `\w` and their opposites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamedClass {
    /// `d`, `s` or `w`.
    pub(crate) letter: char,
    pub(crate) negated: bool,
    /// True if only ASCII counts (flag `a`).
    pub(crate) ascii: bool,
}

impl Node {
    /// The parts one after another, without needless levels.
    pub(crate) fn concat(mut parts: Vec<Node>) -> Node {
        if parts.len() > 1 {
            return Node::Concat(parts);
        }
        parts.pop().unwrap_or(Node::Empty)
    }

    /// One of the parts.
    pub(crate) fn alternate(mut parts: Vec<Node>) -> Node {
        if parts.len() > 1 {
            return Node::Alternate(parts);
        }
        parts.pop().unwrap_or(Node::Empty)
    }

    /// The parts directly inside this one.
    pub fn children(&self) -> Vec<&Node> {
        match self {
            Node::Group { node, .. }
            | Node::Repeat { node, .. }
            | Node::Atomic(node)
            | Node::Look { node, .. } => vec![node],
            Node::Concat(parts) | Node::Alternate(parts) => parts.iter().collect(),
            Node::Conditional { yes, no, .. } => vec![yes, no],
            _ => Vec::new(),
        }
    }

    /// True if a part of this kind is anywhere inside.
    pub(crate) fn has_node(&self, is: &impl Fn(&Node) -> bool) -> bool {
        is(self) || self.children().into_iter().any(|child| child.has_node(is))
    }

    /// The least and the greatest number of characters that match.
    pub(crate) fn width(&self, groups: &[(u64, u64)]) -> (u64, u64) {
        match self {
            Node::Empty | Node::Place(_) | Node::Look { .. } => (0, 0),
            Node::Literal(_) | Node::Any { .. } | Node::Set(_) => (1, 1),
            Node::Group { node, .. } | Node::Atomic(node) => node.width(groups),
            Node::Repeat { node, min, max, .. } => {
                let (low, high) = node.width(groups);
                let most = max.map_or(UNBOUNDED, u64::from);
                (low.saturating_mul(u64::from(*min)).min(UNBOUNDED), high.saturating_mul(most).min(UNBOUNDED))
            }
            Node::Concat(parts) => parts.iter().fold((0, 0), |(low, high), part| {
                let (least, most) = part.width(groups);
                ((low + least).min(UNBOUNDED), (high + most).min(UNBOUNDED))
            }),
            Node::Alternate(parts) => widest_range(parts.iter().map(|part| part.width(groups))),
            Node::Conditional { yes, no, .. } => widest_range([yes.width(groups), no.width(groups)]),
            Node::BackReference { group, .. } => groups.get(*group).copied().unwrap_or((0, UNBOUNDED)),
        }
    }
}

/// Bound that Python treats as unlimited when it measures a pattern.
const UNBOUNDED: u64 = 4_294_967_295;

fn widest_range(widths: impl IntoIterator<Item = (u64, u64)>) -> (u64, u64) {
    let mut all = widths.into_iter();
    let first = all.next().unwrap_or((0, 0));
    all.fold(first, |(low, high), (least, most)| (low.min(least), high.max(most)))
}
