//! Reading a pattern as Python 3.11's `re` does, down to what it refuses.

mod class;
mod escape;
mod group;
mod repeat;

use std::collections::HashMap;
use std::ops::Range;

use super::ast::{
    CaseFolding, CharacterSet, Greediness, NamedClass, Node, PythonAnchor, SetItem, WrittenSet,
};
use super::error::{Construct, PythonError, PythonErrorKind as Kind};
use super::unicode;
use crate::class::Class;
use crate::cursor::Cursor;

/// Deeper patterns are not read: Python itself stops at a depth that hangs on its caller.
const MAX_DEPTH: usize = 200;

/// A pattern that was read.
pub(super) struct ParsedPattern {
    pub(super) node: Node,
    /// The number of groups, the whole pattern (group 0) included.
    pub(super) groups: usize,
    /// Groups with names.
    pub(super) names: Vec<(String, usize)>,
}

/// Reads a whole pattern.
pub(super) fn parse(pattern: &str) -> Result<ParsedPattern, PythonError> {
    let mut parser = Parser::new(pattern, Flags::default());
    let mut node = parser.alternation(0, parser.flags)?;
    if parser.restart_verbose {
        parser = Parser::new(pattern, Flags { verbose: true, ..parser.flags });
        node = parser.alternation(0, parser.flags)?;
    }
    if parser.cursor.peek().is_some() {
        let at = parser.cursor.pos();
        return refuse_pattern(at..at + 1, "`)` closes no group");
    }
    if let Some((group, span)) = parser.conditions.iter().find(|(group, _)| *group >= parser.groups.len()) {
        return refuse_pattern(span.clone(), format!("unknown group {group}"));
    }
    Ok(ParsedPattern { node, groups: parser.groups.len(), names: parser.names() })
}

/// The flags in force.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a letter of Python's, and any may go with any")]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    dot_all: bool,
    verbose: bool,
    ascii: bool,
    unicode: bool,
}

impl Flags {
    fn fold(self) -> Option<CaseFolding> {
        self.ignore_case.then_some(if self.ascii { CaseFolding::Ascii } else { CaseFolding::Unicode })
    }
}

struct Parser<'p> {
    pattern: &'p str,
    cursor: Cursor<'p>,
    /// Flags for the whole pattern, which a group at its start may still change.
    flags: Flags,
    /// True if flag `x` was found at the start, so that the pattern must be read again.
    restart_verbose: bool,
    /// For each group from 0 on its width, once it is closed.
    groups: Vec<Option<(u64, u64)>>,
    by_name: HashMap<String, usize>,
    /// The groups that were there when the outermost look-behind began.
    behind: Option<usize>,
    /// Groups that conditionals ask about, which may follow later.
    conditions: Vec<(usize, Range<usize>)>,
}

type Result1<T> = Result<T, PythonError>;

impl<'p> Parser<'p> {
    fn new(pattern: &'p str, flags: Flags) -> Self {
        Self {
            pattern,
            cursor: Cursor::new(pattern),
            flags,
            restart_verbose: false,
            groups: vec![None],
            by_name: HashMap::new(),
            behind: None,
            conditions: Vec::new(),
        }
    }

    fn names(&self) -> Vec<(String, usize)> {
        let mut names: Vec<_> = self.by_name.iter().map(|(name, index)| (name.clone(), *index)).collect();
        names.sort_by_key(|(_, index)| *index);
        names
    }

    /// Reads branches up to `)` or the end.
    fn alternation(&mut self, depth: usize, flags: Flags) -> Result1<Node> {
        if depth > MAX_DEPTH {
            let at = self.cursor.pos();
            return Err(PythonError::unsupported(Construct::DeepNesting, at..at));
        }
        let mut branches = Vec::new();
        loop {
            let may_set = depth == 0 && branches.is_empty();
            // Flags that are set at the start of the pattern also apply to its later branches.
            let flags = if depth == 0 { self.flags } else { flags };
            branches.push(self.sequence(depth, flags, may_set)?);
            if self.restart_verbose || !self.cursor.eat("|") {
                return Ok(Node::alternate(branches));
            }
        }
    }

    /// Reads one branch. Flags for the whole pattern may stand at its start where `may_set`.
    fn sequence(&mut self, depth: usize, flags: Flags, may_set: bool) -> Result1<Node> {
        let mut parts: Vec<Node> = Vec::new();
        let mut flags = flags;
        while let Some(char) = self.cursor.peek() {
            if matches!(char, '|' | ')') {
                break;
            }
            if flags.verbose && self.cursor.skip_blank() {
                continue;
            }
            match char {
                '*' | '+' | '?' | '{' => self.repeat(char, &mut parts, flags)?,
                '(' => {
                    let setting = may_set && parts.is_empty();
                    if let Some(node) = self.group(depth, flags, setting)? {
                        parts.push(node);
                    } else {
                        if self.restart_verbose {
                            return Ok(Node::Empty);
                        }
                        if setting {
                            flags = self.flags;
                        }
                    }
                }
                _ => parts.push(self.atom(char, flags)?),
            }
        }
        Ok(Node::concat(parts))
    }

    fn atom(&mut self, char: char, flags: Flags) -> Result1<Node> {
        match char {
            '\\' => return self.escape(flags),
            '[' => return self.set(flags),
            _ => {}
        }
        self.cursor.bump();
        Ok(match char {
            '.' => Node::Any { newline: flags.dot_all },
            '^' if flags.multi_line => Node::Place(PythonAnchor::LineStart),
            '^' => Node::Place(PythonAnchor::TextStart),
            '$' if flags.multi_line => Node::Place(PythonAnchor::LineEnd),
            '$' => Node::Place(PythonAnchor::LastLineEnd),
            _ => literal(u32::from(char), flags),
        })
    }

    /// Returns the text at a span of the pattern, for messages.
    fn text(&self, span: &Range<usize>) -> &'p str {
        self.pattern.get(span.clone()).unwrap_or_default()
    }
}

fn refuse_pattern<T>(span: Range<usize>, message: impl Into<String>) -> Result1<T> {
    Err(PythonError::new(Kind::Refused, span, message))
}

/// The code point, in any case where case is ignored. No text has a surrogate.
fn literal(code: u32, flags: Flags) -> Node {
    let Some(char) = char::from_u32(code) else {
        return Node::Set(CharacterSet { class: Class::new([]), written: None });
    };
    let Some(fold) = flags.fold() else { return Node::Literal(char) };
    let orbit = unicode::case_variants(char, fold);
    if orbit.len() == 1 {
        return Node::Literal(char);
    }
    Node::Set(CharacterSet { class: Class::new(orbit.into_iter().map(|char| (char, char))), written: None })
}

/// The set of these members.
fn set_of(items: Vec<SetItem>, negated: bool, flags: Flags) -> Node {
    let plain = Class::new(items.iter().filter_map(|item| match item {
        SetItem::Range(low, high) => Some((*low, *high)),
        SetItem::Named(_) => None,
    }));
    let plain = flags.fold().map_or_else(|| plain.clone(), |fold| unicode::fold_class(&plain, fold));
    let named = items.iter().filter_map(|item| match item {
        SetItem::Named(named) => Some(resolve_class(*named)),
        SetItem::Range(..) => None,
    });
    let mut ranges = plain.ranges().to_vec();
    for class in named {
        ranges.extend_from_slice(class.ranges());
    }
    let class = Class::new(ranges);
    let class = if negated { class.to_negated() } else { class };
    let has_names = items.iter().any(|item| matches!(item, SetItem::Named(named) if !named.ascii));
    let written = (has_names && !flags.ignore_case).then_some(WrittenSet { items, negated });
    Node::Set(CharacterSet { class, written })
}

fn resolve_class(named: NamedClass) -> Class {
    let class = unicode::named_class(named.letter, named.ascii);
    if named.negated { class.to_negated() } else { class }
}
