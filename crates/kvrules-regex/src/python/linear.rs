//! The same pattern as a regular expression that engines in linear time can run, if there is one.

use super::ast::{Greediness, Node, PythonAnchor};
use super::error::Construct;
use crate::ast::{Anchor, Node as Linear};

/// The expression whose matches are exactly the texts that match as a whole.
pub(super) fn lower_to_linear(node: &Node) -> Result<Linear, Construct> {
    let inner = lower_at(node, true)?;
    Ok(Linear::concat([Linear::Anchor(Anchor::TextStart), inner, Linear::Anchor(Anchor::TextEnd)]))
}

/// `last` says that nothing behind this part can take a character.
fn lower_at(node: &Node, last: bool) -> Result<Linear, Construct> {
    Ok(match node {
        Node::Empty => Linear::Empty,
        Node::Literal(char) => Linear::literal(*char),
        Node::Any { newline } => Linear::Any { newline: *newline },
        Node::Set(set) => Linear::class(set.class.clone()),
        Node::Place(place) => lower_anchor(*place, last)?,
        Node::Group { name, node, .. } => Linear::group(name.clone(), lower_at(node, last)?),
        Node::Repeat { greed: Greediness::Possessive, .. } => return Err(Construct::PossessiveQuantifier),
        Node::Repeat { node, min, max, greed } => {
            let inner = lower_at(node, last && *max == Some(1))?;
            // Repeating the empty string has no effect, so drop the repetition.
            if inner == Linear::Empty {
                return Ok(Linear::Empty);
            }
            Linear::repeat(inner, *min, *max, *greed == Greediness::Greedy)
        }
        Node::Concat(parts) => lower_concat(parts, last)?,
        Node::Alternate(parts) => {
            let parts: Result<Vec<_>, _> = parts.iter().map(|part| lower_at(part, last)).collect();
            // An alternation of single characters is not turned into a class, because the order of its branches
            // matters.
            Linear::alternate(parts?)
        }
        Node::Atomic(_) => return Err(Construct::AtomicGroup),
        Node::Look { behind: None, .. } => return Err(Construct::LookAhead),
        Node::Look { .. } => return Err(Construct::LookBehind),
        Node::BackReference { .. } => return Err(Construct::BackReference),
        Node::Conditional { .. } => return Err(Construct::Conditional),
    })
}

fn lower_concat(parts: &[Node], last: bool) -> Result<Linear, Construct> {
    let mut lowered = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let behind = parts.get(index + 1..).unwrap_or_default();
        let last = last && behind.iter().all(|part| matches!(part, Node::Place(_) | Node::Empty));
        lowered.push(lower_at(part, last)?);
    }
    Ok(Linear::concat(lowered))
}

fn lower_anchor(place: PythonAnchor, last: bool) -> Result<Linear, Construct> {
    Ok(Linear::Anchor(match place {
        PythonAnchor::TextStart => Anchor::TextStart,
        PythonAnchor::TextEnd => Anchor::TextEnd,
        // At the end of a pattern for `re.fullmatch`, `$` is the end of the text, because no line break can follow.
        PythonAnchor::LastLineEnd if last => Anchor::TextEnd,
        PythonAnchor::LastLineEnd => return Err(Construct::EndBeforeMore),
        PythonAnchor::LineStart => Anchor::LineStart,
        PythonAnchor::LineEnd => Anchor::LineEnd,
        PythonAnchor::Word { ascii: true, negated: false } => Anchor::WordBoundary,
        PythonAnchor::Word { .. } => return Err(Construct::UnicodeWordBoundary),
    }))
}
