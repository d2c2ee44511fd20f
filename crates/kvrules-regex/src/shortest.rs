//! The shortest text that an expression matches, read off its tree.

use crate::ast::{Anchor, Node};
use crate::class::Class;

/// The longest text that is made.
const LONGEST: usize = 1_000;

/// Returns the shortest text that an expression matches; of several the first, where letters come before digits and these before all
/// else. `None` if that is not known: for word boundaries, anchors in the middle, and characters that people do not read.
pub(crate) fn shortest_text(node: &Node) -> Option<String> {
    shortest(node, Edges { is_start: true, is_end: true })
}

/// The edges of the text that a part of an expression is at.
#[derive(Clone, Copy)]
struct Edges {
    is_start: bool,
    is_end: bool,
}

fn shortest(node: &Node, edges: Edges) -> Option<String> {
    match node {
        Node::Empty | Node::Repeat { min: 0, .. } => Some(String::new()),
        Node::Literal { char, .. } => is_readable(*char).then(|| char.to_string()),
        Node::Any { .. } => Some("a".to_owned()),
        Node::Class(class) => first_of_class(class).map(String::from),
        Node::Anchor(anchor) => {
            let holds = match anchor {
                Anchor::TextStart | Anchor::LineStart => edges.is_start,
                Anchor::TextEnd | Anchor::LineEnd => edges.is_end,
                Anchor::WordBoundary | Anchor::NotWordBoundary => false,
            };
            holds.then(String::new)
        }
        Node::Group { node, .. } => shortest(node, edges),
        Node::Repeat { node, min, .. } => {
            let is_one = *min == 1;
            let edges = Edges { is_start: edges.is_start && is_one, is_end: edges.is_end && is_one };
            let text = shortest(node, edges)?;
            let count = usize::try_from(*min).ok()?;
            (text.len().saturating_mul(count) <= LONGEST).then(|| text.repeat(count))
        }
        Node::Concat(parts) => concat(parts, edges),
        Node::Alternate(parts) => {
            let texts = parts.iter().map(|part| shortest(part, edges)).collect::<Option<Vec<String>>>()?;
            texts.into_iter().min_by(|one, other| order(one).cmp(&order(other)))
        }
    }
}

fn concat(parts: &[Node], edges: Edges) -> Option<String> {
    let mut whole = String::new();
    for (at, part) in parts.iter().enumerate() {
        let is_last = || parts.iter().skip(at + 1).all(|part| least_length(part) == 0);
        let edges = Edges { is_start: edges.is_start && whole.is_empty(), is_end: edges.is_end && is_last() };
        whole.push_str(&shortest(part, edges)?);
        if whole.len() > LONGEST {
            return None;
        }
    }
    Some(whole)
}

/// The least number of characters that a part matches.
fn least_length(node: &Node) -> usize {
    match node {
        Node::Empty | Node::Anchor(_) => 0,
        Node::Literal { .. } | Node::Any { .. } | Node::Class(_) => 1,
        Node::Group { node, .. } => least_length(node),
        Node::Repeat { node, min, .. } => {
            least_length(node).saturating_mul(usize::try_from(*min).unwrap_or(usize::MAX))
        }
        Node::Concat(parts) => parts.iter().fold(0, |sum, part| sum.saturating_add(least_length(part))),
        Node::Alternate(parts) => parts.iter().map(least_length).min().unwrap_or(0),
    }
}

fn is_readable(char: char) -> bool {
    (' '..='~').contains(&char)
}

fn first_of_class(class: &Class) -> Option<char> {
    let readable = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain(' '..='~');
    let is_in = |char: &char| class.ranges().iter().any(|(low, high)| low <= char && char <= high);
    readable.into_iter().find(is_in)
}

/// Shorter texts come first, then those whose characters come first.
fn order(text: &str) -> (usize, Vec<(u8, u8)>) {
    let rank = |byte: u8| match byte {
        b'a'..=b'z' => (0, byte),
        b'0'..=b'9' => (1, byte),
        b'A'..=b'Z' => (2, byte),
        _ => (3, byte),
    };
    (text.len(), text.bytes().map(rank).collect())
}
