//! Questions about the shape of an expression: is it tied to the ends of the text, is it a plain list of texts?

use std::collections::BTreeSet;

use crate::ast::{Anchor, Node};
use crate::class::fold_orbit;

/// More texts than this are not a list that a person or an `enum` keyword wants.
const MAX_TEXTS: usize = 256;
/// Bounds the work: the characters of all texts together.
const MAX_SYMBOLS: usize = 1 << 16;

/// True if every match passes through the given anchor. A part that must hold at the start of the text forces all that
/// stands before it to be empty, so one such part anywhere in a sequence is enough.
pub(crate) fn requires_anchor(node: &Node, anchor: Anchor) -> bool {
    match node {
        Node::Anchor(found) => *found == anchor,
        Node::Group { node, .. } => requires_anchor(node, anchor),
        Node::Repeat { node, min, .. } => *min > 0 && requires_anchor(node, anchor),
        Node::Concat(parts) => parts.iter().any(|part| requires_anchor(part, anchor)),
        Node::Alternate(parts) => parts.iter().all(|part| requires_anchor(part, anchor)),
        Node::Empty | Node::Literal { .. } | Node::Any { .. } | Node::Class(_) => false,
    }
}

/// True if an anchor occurs in an expression.
pub(crate) fn mentions_anchor(node: &Node, anchor: Anchor) -> bool {
    *node == Node::Anchor(anchor) || node.children().iter().any(|part| mentions_anchor(part, anchor))
}

/// The texts of an expression without anchors that is one literal text, or an alternation of some.
pub(crate) fn literal_list(node: &Node) -> Option<Vec<String>> {
    match node {
        Node::Group { node, .. } => literal_list(node),
        Node::Alternate(parts) => parts.iter().map(literal_text).collect(),
        other => literal_text(other).map(|text| vec![text]),
    }
}

fn literal_text(node: &Node) -> Option<String> {
    match node {
        Node::Literal { char, .. } => Some(char.to_string()),
        Node::Concat(parts) => parts.iter().map(literal_text).collect(),
        _ => None,
    }
}

/// The texts an anchored expression matches, when they are few.
pub(crate) fn literal_alternatives(node: &Node) -> Option<BTreeSet<String>> {
    let mut texts = BTreeSet::new();
    for run in symbol_runs(node)? {
        match whole_text(&run) {
            RunText::Exact(text) => texts.insert(text),
            RunText::Impossible => continue,
            RunText::Unanchored => return None,
        };
    }
    Some(texts)
}

/// Input symbol of a run through the expression.
#[derive(Clone, Copy, PartialEq)]
enum RunSymbol {
    Start,
    End,
    Char(char),
}

type SymbolRun = Vec<RunSymbol>;

enum RunText {
    Exact(String),
    Impossible,
    Unanchored,
}

/// The one text that a run accepts. A start after a character, or a character after an end, accepts none.
fn whole_text(run: &[RunSymbol]) -> RunText {
    let mut text = String::new();
    let (mut started, mut ended) = (false, false);
    for symbol in run {
        match symbol {
            RunSymbol::Start if !text.is_empty() => return RunText::Impossible,
            RunSymbol::Start => started = true,
            RunSymbol::End => ended = true,
            RunSymbol::Char(_) if ended => return RunText::Impossible,
            RunSymbol::Char(char) => text.push(*char),
        }
    }
    if started && ended { RunText::Exact(text) } else { RunText::Unanchored }
}

/// Every run through the expression, or none when there are too many or one cannot be reported.
fn symbol_runs(node: &Node) -> Option<Vec<SymbolRun>> {
    match node {
        Node::Empty => Some(vec![Vec::new()]),
        Node::Literal { char, fold: false } => Some(vec![vec![RunSymbol::Char(*char)]]),
        Node::Literal { char, fold: true } => Some(one_of(fold_orbit(*char))),
        Node::Class(class) if class.len() <= MAX_TEXTS => {
            Some(one_of(class.ranges().iter().flat_map(|(low, high)| *low..=*high)))
        }
        Node::Anchor(Anchor::TextStart) => Some(vec![vec![RunSymbol::Start]]),
        Node::Anchor(Anchor::TextEnd) => Some(vec![vec![RunSymbol::End]]),
        Node::Group { node, .. } => symbol_runs(node),
        Node::Repeat { node, min, max: Some(max), .. } => repeat_runs(&symbol_runs(node)?, *min, *max),
        Node::Concat(parts) => {
            parts.iter().try_fold(vec![Vec::new()], |so_far, part| join_runs(&so_far, &symbol_runs(part)?))
        }
        Node::Alternate(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(symbol_runs(part)?);
                check_run_count(&all)?;
            }
            Some(all)
        }
        Node::Any { .. } | Node::Class(_) | Node::Anchor(_) | Node::Repeat { .. } => None,
    }
}

fn one_of(chars: impl IntoIterator<Item = char>) -> Vec<SymbolRun> {
    chars.into_iter().map(|char| vec![RunSymbol::Char(char)]).collect()
}

fn repeat_runs(once: &[SymbolRun], min: u32, max: u32) -> Option<Vec<SymbolRun>> {
    let mut all = Vec::new();
    let mut times = vec![Vec::new()];
    for count in 0..=max {
        if count >= min {
            all.extend(times.iter().cloned());
            check_run_count(&all)?;
        }
        if count < max {
            times = join_runs(&times, once)?;
        }
    }
    Some(all)
}

/// Each left run followed by each right one.
fn join_runs(left: &[SymbolRun], right: &[SymbolRun]) -> Option<Vec<SymbolRun>> {
    if left.len().saturating_mul(right.len()) > MAX_TEXTS {
        return None;
    }
    let pairs = left.iter().flat_map(|head| right.iter().map(move |tail| (head, tail)));
    let all: Vec<SymbolRun> = pairs.map(|(head, tail)| head.iter().chain(tail).copied().collect()).collect();
    check_run_count(&all)?;
    Some(all)
}

fn check_run_count(runs: &[SymbolRun]) -> Option<()> {
    let symbols: usize = runs.iter().map(Vec::len).sum();
    (runs.len() <= MAX_TEXTS && symbols <= MAX_SYMBOLS).then_some(())
}
