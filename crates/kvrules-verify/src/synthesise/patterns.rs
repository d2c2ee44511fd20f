//! Texts that an expression matches and texts that it does not, made from the expression itself.

use std::collections::BTreeSet;

use kvrules_ir::Pattern;
use kvrules_regex::ast::Node;
use kvrules_regex::{Regex, fold_orbit};

/// At most so many texts are made from one part of an expression.
const MOST: usize = 24;

/// Texts from the expression, and each with something before, behind, within or taken away.
pub(super) fn texts(pattern: &Pattern) -> Vec<String> {
    kvrules_regex::parse(&pattern.0).map_or_else(|_| Vec::new(), |regex| texts_of(&regex))
}

/// The same for an expression that is read already.
pub(crate) fn texts_of(regex: &Regex) -> Vec<String> {
    let mut texts = BTreeSet::new();
    for text in made(regex.ast()) {
        for other in bent(&text) {
            texts.insert(other);
        }
        texts.insert(text);
    }
    texts.into_iter().collect()
}

/// Whether the expression can be read, and texts made from it.
pub(super) fn is_complete(pattern: &Pattern) -> bool {
    kvrules_regex::parse(&pattern.0).is_ok_and(|regex| regex.matcher().is_ok())
}

fn bent(text: &str) -> Vec<String> {
    let mut front = text.chars();
    front.next();
    let mut back = text.chars();
    back.next_back();
    let swapped = |c: char| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let mut bent =
        vec![front.as_str().to_owned(), back.as_str().to_owned(), text.chars().map(swapped).collect()];
    for extra in ["a", "0", "\n", "é", "-"] {
        bent.extend([format!("{extra}{text}"), format!("{text}{extra}")]);
    }
    bent.extend([format!("{text}{text}"), format!("a\n{text}"), format!("{text}\nb")]);
    bent
}

/// Texts that the part would match if its anchors allowed: every alternative, the ends of every class, the fewest and
/// more repetitions.
fn made(node: &Node) -> Vec<String> {
    let mut texts = match node {
        Node::Empty | Node::Anchor(_) => vec![String::new()],
        Node::Literal { char, fold: false } => vec![char.to_string()],
        Node::Literal { char, fold: true } => fold_orbit(*char).into_iter().map(String::from).collect(),
        Node::Any { newline } => {
            let all = ["a", "é", "😀", "\n"];
            all.into_iter().filter(|text| *newline || *text != "\n").map(str::to_owned).collect()
        }
        Node::Class(class) => {
            class.ranges().iter().flat_map(|(low, high)| [*low, *high]).map(String::from).collect()
        }
        Node::Group { node, .. } => made(node),
        Node::Repeat { node, min, max, .. } => repeated(node, *min, *max),
        Node::Concat(parts) => {
            parts.iter().map(made).fold(vec![String::new()], |texts, part| joined(&texts, &part))
        }
        Node::Alternate(parts) => parts.iter().flat_map(made).collect(),
    };
    let mut seen = BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    some(texts)
}

fn repeated(node: &Node, min: u32, max: Option<u32>) -> Vec<String> {
    let unit = made(node);
    let most = max.unwrap_or(min.saturating_add(2)).min(min.saturating_add(2)).min(1000);
    let mut texts = Vec::new();
    for times in [min, min.saturating_add(1), most].into_iter().filter(|times| *times <= most) {
        let times = usize::try_from(times).unwrap_or(0);
        texts.extend(unit.iter().map(|text| text.repeat(times)));
    }
    texts
}

/// Every text of the left before some of the right, and the reverse.
fn joined(left: &[String], right: &[String]) -> Vec<String> {
    if left.len() * right.len() <= MOST {
        return left
            .iter()
            .flat_map(|left| right.iter().map(move |right| format!("{left}{right}")))
            .collect();
    }
    let longest = left.len().max(right.len());
    let pair = |at: usize| {
        let left = left.get(at % left.len())?;
        Some(format!("{left}{}", right.get(at % right.len())?))
    };
    if left.is_empty() || right.is_empty() { Vec::new() } else { (0..longest).filter_map(pair).collect() }
}

fn some(texts: Vec<String>) -> Vec<String> {
    let stride = texts.len().div_ceil(MOST).max(1);
    texts.into_iter().step_by(stride).collect()
}
