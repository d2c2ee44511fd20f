//! The parser: one pass over the pattern with an explicit stack of open groups, so that no input can exhaust the
//! call stack. What Go refuses is refused at the same place, with the same fragment.

mod class;
mod escape;
mod group;
mod limits;
mod repeat;

use std::collections::HashMap;
use std::ops::Range;

use regex_syntax::hir::ClassUnicode;

use crate::ast::{Anchor, Node};
use crate::cursor::Cursor;
use crate::error::{RegexError, RegexErrorKind as Kind};
use group::{FlagSet, GroupFrame};
use limits::{PieceLimit, SizedNode};

/// Reads a whole pattern.
pub(crate) fn parse(pattern: &str) -> Result<Node, RegexError> {
    let mut parser = Parser {
        pattern,
        cursor: Cursor::new(pattern),
        flags: FlagSet::default(),
        frame: GroupFrame::root(),
        outer: Vec::new(),
        class_ranges: 0,
        no_posix_end: false,
        properties: HashMap::new(),
    };
    parser.run()
}

/// State in the middle of a pattern.
struct Parser<'p> {
    pattern: &'p str,
    cursor: Cursor<'p>,
    flags: FlagSet,
    /// The innermost open group; outside of all groups, the pattern itself.
    frame: GroupFrame,
    /// The groups around it.
    outer: Vec<GroupFrame>,
    /// The ranges of all classes so far, which Go bounds.
    class_ranges: usize,
    /// True if no `:]` is left, so that a pattern full of `[:` is not searched to its end each time.
    no_posix_end: bool,
    /// Unicode classes already looked up; finding one is not cheap.
    properties: HashMap<String, Option<ClassUnicode>>,
}

type Parsed<T> = Result<T, RegexError>;

impl Parser<'_> {
    fn run(&mut self) -> Parsed<Node> {
        // Start of the quantifier that ends at the current position, because another one right after it is an
        // error.
        let mut last_repeat = None;
        while let Some(char) = self.cursor.peek() {
            let start = self.cursor.pos();
            let repeated = match char {
                '*' | '+' | '?' => self.symbol_repeat(char, last_repeat)?,
                '{' => self.counted_repeat(last_repeat)?,
                _ => {
                    self.term(char)?;
                    false
                }
            };
            last_repeat = repeated.then_some(start);
        }
        self.finish()
    }

    /// Reads one thing that is not a quantifier.
    fn term(&mut self, char: char) -> Parsed<()> {
        match char {
            '(' if self.cursor.rest().starts_with("(?") => return self.flag_group(),
            '(' => self.open_capture(None, 1),
            ')' => return self.close_group(),
            '[' => return self.bracket_class(),
            '\\' => return self.backslash(),
            '|' => {
                self.cursor.bump();
                return self.end_branch();
            }
            '^' => return self.single(Node::Anchor(self.flags.start_anchor())),
            '$' => return self.single(Node::Anchor(self.flags.end_anchor())),
            '.' => return self.single(Node::Any { newline: self.flags.dot_newline() }),
            _ => {
                self.cursor.bump();
                return self.push_literal(char);
            }
        }
        Ok(())
    }

    fn single(&mut self, node: Node) -> Parsed<()> {
        self.cursor.bump();
        self.push(SizedNode::leaf(node))
    }

    /// Reads what a backslash begins outside of a class.
    fn backslash(&mut self) -> Parsed<()> {
        let anchor = match self.cursor.second() {
            Some('A') => Anchor::TextStart,
            Some('z') => Anchor::TextEnd,
            Some('b') => Anchor::WordBoundary,
            Some('B') => Anchor::NotWordBoundary,
            Some('Q') => return self.quoted(),
            _ => return self.escape_term(),
        };
        self.cursor.advance(2);
        self.push(SizedNode::leaf(Node::Anchor(anchor)))
    }

    /// Reads `\Q…\E`; without `\E` it reaches to the end.
    fn quoted(&mut self) -> Parsed<()> {
        self.cursor.advance(2);
        let rest = self.cursor.rest();
        let (text, skip) = rest.split_once(r"\E").map_or((rest, 0), |(text, _)| (text, 2));
        for char in text.chars() {
            self.push_literal(char)?;
        }
        self.cursor.advance(text.len() + skip);
        Ok(())
    }

    /// Reads a class escape, or the escape of one character.
    fn escape_term(&mut self) -> Parsed<()> {
        if let Some(set) = self.escaped_class()? {
            return self.push_class(&set);
        }
        match char::from_u32(self.escaped_char()?) {
            Some(char) => self.push_literal(char),
            // Go accepts a surrogate, but no string contains one.
            None => self.push_class(&crate::class::to_set([])),
        }
    }

    fn push_literal(&mut self, char: char) -> Parsed<()> {
        let node = if self.flags.fold() { Node::literal_any_case(char) } else { Node::literal(char) };
        self.push(SizedNode::leaf(node))
    }

    fn push_class(&mut self, set: &ClassUnicode) -> Parsed<()> {
        self.class_ranges += set.ranges().len();
        if self.class_ranges > limits::MAX_RANGES {
            return Err(self.limit_error(PieceLimit::Size));
        }
        self.push(SizedNode::leaf(Node::class(crate::class::Class::from_set(set))))
    }

    fn push(&mut self, piece: SizedNode) -> Parsed<()> {
        piece.check_limits().map_err(|limit| self.limit_error(limit))?;
        self.frame.sequence.push(piece);
        Ok(())
    }

    /// Go names the whole pattern when it exceeds a limit.
    fn limit_error(&self, limit: PieceLimit) -> RegexError {
        let kind = match limit {
            PieceLimit::Size => Kind::TooLarge,
            PieceLimit::Depth => Kind::TooDeep,
        };
        let whole = 0..self.pattern.len();
        RegexError::new(kind, self.pattern, whole.clone(), whole)
    }

    fn error<T>(&self, kind: Kind, fragment: Range<usize>) -> Parsed<T> {
        Err(RegexError::new(kind, self.pattern, fragment.clone(), fragment))
    }

    /// An error where Go quotes more than the construct.
    fn error_at<T>(&self, kind: Kind, fragment: Range<usize>, span: Range<usize>) -> Parsed<T> {
        Err(RegexError::new(kind, self.pattern, fragment, span))
    }
}
