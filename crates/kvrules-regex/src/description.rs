//! Regular expressions in words: `^[a-z0-9-]{1,63}$` is "1 to 63 of a–z, 0–9, `-`".
//!
//! Words stop helping where an expression says much: what would take more than a few parts is not read at all, and
//! [`Regex::describe_in_words`](crate::Regex::describe_in_words) says so by answering nothing.

use crate::Regex;
use crate::ast::{Anchor, Node};
use crate::class::Class;

/// A piece of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DescriptionPiece {
    /// Words.
    Words(String),
    /// Characters of the text itself.
    Code(String),
}

/// Readings of more parts than this do not help.
const MOST_PARTS: usize = 12;
/// Longer lists of texts do not help.
const MOST_TEXTS: usize = 12;
/// More ranges than this do not help.
const MOST_RANGES: usize = 8;
/// Groups within groups deeper than this do not help.
const DEEPEST: usize = 2;

/// An expression in words; nothing if it says too much for that.
pub(crate) fn describe_regex(regex: &Regex) -> Option<Vec<DescriptionPiece>> {
    if let Some(texts) = regex.literal_alternatives().filter(|texts| texts.len() <= MOST_TEXTS) {
        return describe_alternatives(texts.iter());
    }
    let mut reader = DescriptionWriter::default();
    reader.whole(regex.ast().without_groups())?;
    Some(reader.pieces)
}

fn describe_alternatives<'t>(
    texts: impl ExactSizeIterator<Item = &'t String>,
) -> Option<Vec<DescriptionPiece>> {
    let mut reader = DescriptionWriter::default();
    reader.words("exactly ");
    let last = texts.len().checked_sub(1)?;
    for (index, text) in texts.enumerate() {
        reader.words(separator(index, last));
        match text.as_str() {
            "" => reader.words("nothing"),
            text => reader.code(text)?,
        }
    }
    Some(reader.pieces)
}

fn separator(index: usize, last: usize) -> &'static str {
    match index {
        0 => "",
        index if index == last => " or ",
        _ => ", ",
    }
}

fn is_anchor(node: &Node, anchor: Anchor) -> bool {
    *node.without_groups() == Node::Anchor(anchor)
}

/// Pieces that were read so far.
#[derive(Default)]
struct DescriptionWriter {
    pieces: Vec<DescriptionPiece>,
    parts: usize,
}

impl DescriptionWriter {
    fn words(&mut self, words: &str) {
        match self.pieces.last_mut() {
            _ if words.is_empty() => {}
            Some(DescriptionPiece::Words(last)) => last.push_str(words),
            _ => self.pieces.push(DescriptionPiece::Words(words.to_owned())),
        }
    }

    /// Characters that can be seen; others have no reading.
    fn code(&mut self, code: &str) -> Option<()> {
        let is_seen = |c: char| c.is_alphanumeric() || c.is_ascii_punctuation() || c == ' ';
        let misleads = code.starts_with(' ') || code.ends_with(' ') || !code.chars().all(is_seen);
        self.pieces.push(DescriptionPiece::Code(code.to_owned()));
        (!misleads || code == " ").then_some(())
    }

    /// An expression against a text that it is looked for in.
    fn whole(&mut self, node: &Node) -> Option<()> {
        if let Node::Alternate(parts) = node {
            for (index, part) in parts.iter().enumerate() {
                self.words(if index == 0 { "" } else { ", or " });
                self.whole(part.without_groups())?;
            }
            return Some(());
        }
        let parts =
            if let Node::Concat(parts) = node { parts.as_slice() } else { std::slice::from_ref(node) };
        let starts = parts.first().is_some_and(|part| is_anchor(part, Anchor::TextStart));
        let ends = parts.last().is_some_and(|part| is_anchor(part, Anchor::TextEnd))
            && parts.len() > usize::from(starts);
        let inner = parts.get(usize::from(starts)..parts.len() - usize::from(ends))?;
        if inner.iter().all(|part| *part == Node::Empty) {
            self.words(if starts && ends { "nothing" } else { "anything" });
            return Some(());
        }
        self.words(match (starts, ends) {
            (true, true) => "",
            (true, false) => "begins with ",
            (false, true) => "ends with ",
            (false, false) => "contains ",
        });
        self.sequence(inner, 0)
    }

    /// Parts one after another, letters that belong together in one.
    fn sequence(&mut self, parts: &[Node], depth: usize) -> Option<()> {
        let mut rest = parts;
        let mut is_first = true;
        while !rest.is_empty() {
            if !is_first {
                self.words(", then ");
            }
            is_first = false;
            let run = rest.iter().take_while(|part| letter(part).is_some()).count();
            if run > 0 {
                self.literal(rest.get(..run)?)?;
                rest = rest.get(run..)?;
            } else {
                let (first, others) = rest.split_first()?;
                self.part(first, depth)?;
                rest = others;
            }
        }
        Some(())
    }

    /// Letters in a row.
    fn literal(&mut self, run: &[Node]) -> Option<()> {
        self.count()?;
        let letters: Vec<(char, bool)> = run.iter().filter_map(letter).collect();
        let text: String = letters.iter().map(|(char, _)| *char).collect();
        let cased = |(char, _): &&(char, bool)| char.is_alphabetic();
        let folds = letters.iter().filter(cased).any(|(_, fold)| *fold);
        if folds && !letters.iter().filter(cased).all(|(_, fold)| *fold) {
            return None;
        }
        self.code(&text)?;
        if folds {
            self.words(" in upper or lower case");
        }
        Some(())
    }

    fn part(&mut self, node: &Node, depth: usize) -> Option<()> {
        match node {
            Node::Group { node, .. } => self.part(node, depth),
            Node::Empty => {
                self.words("nothing");
                Some(())
            }
            Node::Literal { .. } => self.literal(std::slice::from_ref(node)),
            Node::Any { .. } | Node::Class(_) => {
                self.count()?;
                self.words("one ");
                self.characters(node)
            }
            Node::Anchor(anchor) => self.anchor(*anchor),
            Node::Repeat { node, min, max, .. } => self.repeat(node, *min, *max, depth),
            Node::Concat(parts) => self.bracketed(depth, |reader| reader.sequence(parts, depth + 1)),
            Node::Alternate(parts) => self.choice(parts, depth),
        }
    }

    fn choice(&mut self, parts: &[Node], depth: usize) -> Option<()> {
        let last = parts.len().checked_sub(1).filter(|last| *last < MOST_TEXTS)?;
        let is_text = |part: &Node| match part.without_groups() {
            Node::Concat(parts) => parts.iter().all(|part| letter(part).is_some()),
            part => letter(part).is_some(),
        };
        if parts.iter().all(is_text) {
            for (index, part) in parts.iter().enumerate() {
                self.words(separator(index, last));
                match part.without_groups() {
                    Node::Concat(letters) => self.literal(letters)?,
                    part => self.literal(std::slice::from_ref(part))?,
                }
            }
            // A reader sees a list of strings as one part.
            self.parts = self.parts.saturating_sub(last);
            return Some(());
        }
        self.words("either ");
        for (index, part) in parts.iter().enumerate() {
            self.words(if index == 0 { "" } else { " or " });
            self.part(part.without_groups(), depth)?;
        }
        Some(())
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, depth: usize) -> Option<()> {
        let node = node.without_groups();
        if (min, max) == (0, Some(1)) {
            self.words("optionally ");
            return self.part(node, depth);
        }
        self.count()?;
        let times = match (min, max) {
            (0, None) => "any number".to_owned(),
            (min, None) => format!("{min} or more"),
            (min, Some(max)) if min == max => min.to_string(),
            (0, Some(max)) => format!("at most {max}"),
            (min, Some(max)) => format!("{min} to {max}"),
        };
        if let Node::Any { .. } | Node::Class(_) = node {
            let is_positive = matches!(node, Node::Class(class) if !is_negative(class));
            let of = if is_positive || (min, max) == (0, None) { "of " } else { "" };
            self.words(&format!("{times} {of}"));
            return self.many(node);
        }
        let of = if (min, max) == (0, None) { "of " } else { "" };
        self.words(&format!("{times} {of}times "));
        self.bracketed(depth, |reader| match node {
            Node::Concat(parts) => reader.sequence(parts, depth + 1),
            node => reader.part(node, depth + 1),
        })
    }

    fn bracketed(&mut self, depth: usize, inside: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if depth >= DEEPEST {
            return None;
        }
        self.words("(");
        inside(self)?;
        self.words(")");
        Some(())
    }

    fn anchor(&mut self, anchor: Anchor) -> Option<()> {
        self.count()?;
        self.words(match anchor {
            Anchor::WordBoundary => "the edge of a word",
            Anchor::NotWordBoundary => "no edge of a word",
            Anchor::LineStart => "the start of a line",
            Anchor::LineEnd => "the end of a line",
            // Anchors of the text in the middle of an expression have no simple description.
            Anchor::TextStart | Anchor::TextEnd => return None,
        });
        Some(())
    }

    /// `of a–z or -`, after `one `.
    fn characters(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Class(class) if !is_negative(class) => {
                self.words("of ");
                self.ranges(class)
            }
            Node::Class(class) => {
                self.words("character other than ");
                self.ranges(&class.to_negated())
            }
            _ => {
                self.words(if *node == ANY { "character" } else { "character other than a line break" });
                Some(())
            }
        }
    }

    /// The same of several.
    fn many(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Class(class) if !is_negative(class) => self.ranges(class),
            Node::Class(class) => {
                self.words("characters other than ");
                self.ranges(&class.to_negated())
            }
            _ => {
                self.words(if *node == ANY { "characters" } else { "characters other than line breaks" });
                Some(())
            }
        }
    }

    fn ranges(&mut self, class: &Class) -> Option<()> {
        let mut ranges: Vec<(char, char)> = class.ranges().to_vec();
        if ranges.is_empty() || ranges.len() > MOST_RANGES {
            return None;
        }
        // Letters before digits before the rest, as people write them.
        let kind = |c: char| match c {
            'a'..='z' => 0,
            'A'..='Z' => 1,
            '0'..='9' => 2,
            _ => 3,
        };
        ranges.sort_by_key(|(low, _)| (kind(*low), *low));
        for (index, (low, high)) in ranges.into_iter().enumerate() {
            self.words(if index == 0 { "" } else { ", " });
            if low == '\n' && high == '\n' {
                self.words("line breaks");
                continue;
            }
            let is_range_of = |first: char, last: char| low >= first && high <= last;
            let is_known = is_range_of('a', 'z') || is_range_of('A', 'Z') || is_range_of('0', '9');
            if low != high && !is_known && u32::from(high) - u32::from(low) > 2 {
                return None;
            }
            if is_known && low != high {
                self.words(&format!("{low}–{high}"));
            } else {
                for (at, char) in (low..=high).enumerate() {
                    self.words(if at == 0 { "" } else { ", " });
                    self.code(&char.to_string())?;
                }
            }
        }
        Some(())
    }

    fn count(&mut self) -> Option<()> {
        self.parts += 1;
        (self.parts <= MOST_PARTS).then_some(())
    }
}

/// `.` with flag `s`.
const ANY: Node = Node::Any { newline: true };

fn letter(node: &Node) -> Option<(char, bool)> {
    match node {
        Node::Literal { char, fold } => Some((*char, *fold)),
        _ => None,
    }
}

/// True if a set is easier to describe by the characters that are not in it.
fn is_negative(class: &Class) -> bool {
    class.contains(char::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a pattern in words, its code in backticks.
    fn read(pattern: &str) -> Option<String> {
        let pieces = crate::parse(pattern).unwrap().describe_in_words()?;
        let wording = pieces.iter().map(|piece| match piece {
            DescriptionPiece::Words(words) => words.clone(),
            DescriptionPiece::Code(code) => format!("`{code}`"),
        });
        Some(wording.collect())
    }

    #[test]
    fn expressions_are_said_in_words() {
        let cases = [
            ("^(virtio|scsi)$", "exactly `scsi` or `virtio`"),
            ("^q35$", "exactly `q35`"),
            ("^[a-z0-9-]{1,63}$", "1 to 63 of a–z, 0–9, `-`"),
            ("virtio", "contains `virtio`"),
            ("virtio|scsi", "contains `virtio`, or contains `scsi`"),
            ("^pc-", "begins with `pc-`"),
            (r"\.iso$", "ends with `.iso`"),
            ("^pc.*", "begins with `pc`, then any number of characters other than line breaks"),
            ("^(pc|q35)-[0-9]+", "begins with `pc` or `q35`, then `-`, then 1 or more of 0–9"),
            ("^[^/]+$", "1 or more characters other than `/`"),
            ("^v[0-9](alpha)?$", "`v`, then one of 0–9, then optionally (`alpha`)"),
            ("^(ab)+$", "1 or more times (`ab`)"),
            ("(?i)^foo-", "begins with `foo-` in upper or lower case"),
            ("^$", "exactly nothing"),
            ("", "anything"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(read(pattern).as_deref(), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn what_would_take_too_many_words_is_not_said() {
        let ip = r"^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$";
        for pattern in [ip, r"^\pL+$", "a\tb", "^(((a+b)+c)+d)+$", "a|[b-\u{2028}]"] {
            assert_eq!(read(pattern), None, "{pattern}");
        }
    }
}
