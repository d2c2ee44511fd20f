//! The parts of a diagram, read from the tree of an expression.

use kvrules_regex::Class;
use kvrules_regex::ast::{Anchor, Node};

use crate::pictures::shown::shown_text;
use crate::pictures::text_width::{TextFont, fit_text};

/// The widest label of a box.
const LABEL: i32 = 230;
/// Groups within groups deeper than this do not help.
const DEEPEST: usize = 8;
/// Most ranges of a set that are listed.
const MOST_RANGES: usize = 8;

/// A part of a diagram.
#[derive(Clone, Debug)]
pub(super) enum Block {
    /// A track without a box.
    Track,
    /// A box with a text.
    Label { text: String, kind: BoxKind },
    /// Parts one after another.
    Sequence(Vec<Block>),
    /// Parts of which one is passed.
    Choice(Vec<Block>),
    /// A part that can be skipped.
    Optional(Box<Block>),
    /// A part that can be passed again, with the number of times if it is limited.
    Loop { block: Box<Block>, times: String },
}

/// Look of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoxKind {
    /// Characters as they are.
    Literal,
    /// One character of a set.
    Set,
    /// A position, or any text.
    Place,
}

/// The number of parts that may still be added.
#[derive(Debug)]
pub(super) struct PartBudget(usize);

impl PartBudget {
    pub(super) fn new(most: usize) -> Self {
        Self(most)
    }

    /// Takes one part; `None` if there are too many.
    fn spend(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }
}

impl Block {
    pub(super) fn label(text: &str, kind: BoxKind) -> Self {
        Self::Label { text: fit_text(text, label_font(kind), LABEL), kind }
    }
}

/// The font of the text in a box.
pub(super) fn label_font(kind: BoxKind) -> TextFont {
    if kind == BoxKind::Place { TextFont::Words } else { TextFont::Code }
}

/// Reads nodes one after another. Characters next to each other share a box.
pub(super) fn read_sequence(nodes: &[Node], budget: &mut PartBudget, depth: usize) -> Option<Vec<Block>> {
    let mut blocks = Vec::new();
    let is_joined = |one: &Node, next: &Node| match (one, next) {
        (Node::Literal { fold, .. }, Node::Literal { fold: next, .. }) => fold == next,
        _ => false,
    };
    for run in nodes.chunk_by(is_joined) {
        budget.spend()?;
        match run {
            [Node::Empty] => {}
            [Node::Literal { fold, .. }, ..] => blocks.push(literal_block(run, *fold)),
            [node] => blocks.push(read_node(node, budget, depth)?),
            _ => {}
        }
    }
    Some(blocks)
}

/// Reads sequences of which one is passed.
pub(super) fn read_branches(branches: &[&[Node]], budget: &mut PartBudget) -> Option<Block> {
    let read = branches.iter().map(|nodes| {
        budget.spend()?;
        Some(sequence(read_sequence(nodes, budget, 1)?))
    });
    read.collect::<Option<Vec<_>>>().map(Block::Choice)
}

fn literal_block(run: &[Node], fold: bool) -> Block {
    let chars =
        run.iter().filter_map(|node| if let Node::Literal { char, .. } = node { Some(*char) } else { None });
    let text: String = chars.collect();
    let suffix = if fold { " (any case)" } else { "" };
    Block::label(&format!("\"{}\"{suffix}", shown_text(&text)), BoxKind::Literal)
}

fn read_node(node: &Node, budget: &mut PartBudget, depth: usize) -> Option<Block> {
    if depth > DEEPEST {
        return None;
    }
    Some(match node {
        Node::Empty => Block::Track,
        Node::Literal { fold, .. } => literal_block(std::slice::from_ref(node), *fold),
        Node::Any { newline: true } => Block::label("any character", BoxKind::Place),
        Node::Any { newline: false } => Block::label("any character except a line break", BoxKind::Place),
        Node::Class(class) => Block::label(&class_text(class), BoxKind::Set),
        Node::Anchor(anchor) => Block::label(anchor_text(*anchor), BoxKind::Place),
        Node::Group { node, .. } => read_node(node, budget, depth)?,
        Node::Concat(parts) => sequence(read_sequence(parts, budget, depth + 1)?),
        Node::Alternate(parts) => {
            let mut branches = Vec::new();
            for part in parts {
                let part = if let Node::Group { node, .. } = part { node } else { part };
                let nodes = if let Node::Concat(nodes) = part {
                    nodes.as_slice()
                } else {
                    std::slice::from_ref(part)
                };
                branches.push(sequence(read_sequence(nodes, budget, depth + 1)?));
            }
            Block::Choice(branches)
        }
        Node::Repeat { node, min, max, .. } => repeat(read_node(node, budget, depth + 1)?, *min, *max),
    })
}

fn sequence(mut blocks: Vec<Block>) -> Block {
    match blocks.len() {
        0 => Block::Track,
        1 => blocks.pop().unwrap_or(Block::Track),
        _ => Block::Sequence(blocks),
    }
}

fn repeat(block: Block, min: u32, max: Option<u32>) -> Block {
    let times = match (min, max) {
        (_, Some(0)) => return Block::Track,
        (1, Some(1)) => return block,
        (0, Some(1)) => return Block::Optional(Box::new(block)),
        (0 | 1, None) => String::new(),
        (min, None) => format!("at least {min} times"),
        (0 | 1, Some(max)) => format!("at most {max} times"),
        (min, Some(max)) if min == max => format!("{min} times"),
        (min, Some(max)) => format!("{min} to {max} times"),
    };
    let block = Block::Loop { block: Box::new(block), times };
    if min == 0 { Block::Optional(Box::new(block)) } else { block }
}

fn anchor_text(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::TextStart => "start of text",
        Anchor::TextEnd => "end of text",
        Anchor::LineStart => "start of line",
        Anchor::LineEnd => "end of line",
        Anchor::WordBoundary => "edge of a word",
        Anchor::NotWordBoundary => "not at the edge of a word",
    }
}

/// The characters of a set: its ranges, or those of the characters that are not in it.
fn class_text(class: &Class) -> String {
    if class.is_empty() {
        return "no character".to_owned();
    }
    let negated = class.to_negated();
    if class.ranges().len() <= MOST_RANGES && !class.contains(char::MAX) {
        return range_text(class);
    }
    if negated.ranges().len() <= MOST_RANGES {
        return format!("not {}", range_text(&negated));
    }
    format!("one of {} characters", class.len())
}

fn range_text(class: &Class) -> String {
    let ranges = class.ranges().iter().map(|(low, high)| match (*low, *high) {
        (low, high) if low == high => char_text(low),
        (low, high) if u32::from(low) + 1 == u32::from(high) => {
            format!("{} {}", char_text(low), char_text(high))
        }
        (low, high) => format!("{}–{}", char_text(low), char_text(high)),
    });
    ranges.collect::<Vec<_>>().join(" ")
}

fn char_text(char: char) -> String {
    match char {
        ' ' => "space".to_owned(),
        '\n' => "line break".to_owned(),
        '\t' => "tab".to_owned(),
        char if char.is_alphanumeric() || char.is_ascii_graphic() => shown_text(&char.to_string()),
        char => format!("U+{:04X}", u32::from(char)),
    }
}
