//! The cursor, white space, comments, and what a value begins with.

use std::{cell::Cell, ops::Range};

use crate::{
    Document, NodeStyle, ProblemKind, SyntaxKind, builder::DocumentBuilder, document::NodeText,
    offset::to_offset,
};

/// Position of a string, which decides where one without an end must have ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StringRole {
    Key,
    Value,
}

/// Reads JSON from a document's own text into its nodes.
pub(super) struct Parser<'s> {
    builder: DocumentBuilder<'s>,
    /// Offset of the next byte.
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Set when a container was closed without its bracket, so that the rest is not reported as another error.
    pub(super) recovered: bool,
    /// Offset at which a closing bracket was last missing.
    pub(super) missed: Option<usize>,
    /// A line that was examined: where the search for its end began, and that end. A file may be one long line, so
    /// its end must not be searched for at each string.
    line: Cell<Range<usize>>,
}

impl<'s> Parser<'s> {
    pub(super) fn new(document: Document<'s>, at: usize) -> Self {
        Self {
            builder: DocumentBuilder::new(document),
            at,
            depth: 0,
            recovered: false,
            missed: None,
            line: Cell::default(),
        }
    }

    pub(super) fn finish(mut self) -> Document<'s> {
        self.builder.finish_all();
        let mut document = self.builder.document;
        document.problems.sort_by_key(|problem| problem.span);
        document
    }

    pub(super) fn text(&self) -> &str {
        &self.builder.document.text
    }

    pub(super) fn rest(&self) -> &str {
        self.text().get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn peek_is(&self, test: impl Fn(char) -> bool) -> bool {
        self.peek().is_some_and(test)
    }

    pub(super) fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.bump();
        }
        found
    }

    /// The place in the file of a range of the text.
    pub(super) fn place(&self, range: &Range<usize>) -> (u32, u32) {
        let map = &self.builder.document.map;
        let start = map.to_file(to_offset(range.start));
        if range.is_empty() {
            (start, start)
        } else {
            (start, map.end_to_file(to_offset(range.end)).max(start))
        }
    }

    pub(super) fn problem(&mut self, kind: ProblemKind, range: Range<usize>, detail: &str) {
        let place = self.place(&range);
        self.builder.add_problem(kind, place, detail);
    }

    pub(super) fn problem_related(&mut self, kind: ProblemKind, range: Range<usize>, related: Range<usize>) {
        let place = self.place(&range);
        let (start, end) = self.place(&related);
        let related = self.builder.document.span(start, end);
        let detail = self.text().get(range).unwrap_or_default().to_owned();
        self.builder.problem_related(kind, place, Some(related), detail);
    }

    pub(super) fn scalar(&mut self, kind: SyntaxKind, range: Range<usize>) {
        let text = NodeText::Own { start: to_offset(range.start), len: to_offset(range.len()) };
        self.builder.add_scalar(kind, NodeStyle::Plain, self.place(&range), text);
    }

    /// A string node over `range`, with the text that stands at `inner` or, where escapes changed it, `changed`.
    pub(super) fn string_node(&mut self, range: &Range<usize>, inner: &Range<usize>, changed: Option<&str>) {
        let text = match changed {
            Some(changed) => self.builder.side_text(changed),
            None => NodeText::Own { start: to_offset(inner.start), len: to_offset(inner.len()) },
        };
        self.builder.add_scalar(SyntaxKind::String, NodeStyle::Double, self.place(range), text);
    }

    pub(super) fn hole(&mut self, at: usize) {
        let place = self.place(&(at..at));
        self.builder.add_hole(place);
    }

    pub(super) fn begin(&mut self, kind: SyntaxKind, at: usize) {
        let (start, _) = self.place(&(at..at));
        self.builder.begin_container(kind, start);
        self.depth += 1;
    }

    /// Closes a container behind the last byte read.
    pub(super) fn end(&mut self, closed: bool) {
        let end = closed.then(|| self.place(&(self.at.saturating_sub(1)..self.at)).1);
        self.builder.finish_container(end);
        self.depth -= 1;
    }

    /// Skips white space and comments; true at the end of the text.
    pub(super) fn at_end_after_trivia(&mut self) -> bool {
        loop {
            match self.peek() {
                None => return true,
                Some(' ' | '\t' | '\r' | '\n') => self.at += 1,
                Some('/' | '#') if self.comment() => {}
                Some(c) if c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}') => {
                    let start = self.at;
                    self.bump();
                    self.problem(
                        ProblemKind::JsonUnexpected,
                        start..self.at,
                        &format!("U+{:04X}", u32::from(c)),
                    );
                }
                Some(_) => return false,
            }
        }
    }

    /// The end of the line around an offset.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let mut line = self.line.take();
        if !line.contains(&at) {
            let rest = self.text().get(at..).unwrap_or_default();
            line = at..at + rest.find('\n').unwrap_or(rest.len());
        }
        let end = line.end;
        self.line.set(line);
        end
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        let line = || rest.find('\n').unwrap_or(rest.len());
        let len = match rest {
            _ if rest.starts_with("//") || rest.starts_with('#') => line(),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            _ => return false,
        };
        let start = self.at;
        let shown = rest.get(..len).unwrap_or_default().trim_end().len();
        self.at += len;
        self.problem(ProblemKind::JsonComment, start..start + shown, "");
        true
    }

    /// Reads one value; white space before it is skipped already.
    pub(super) fn value(&mut self) {
        match self.peek() {
            Some('{') => self.object(),
            Some('[') => self.array(),
            Some(c) if is_quote(c) => self.string(StringRole::Value),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.word(),
            Some('$') => self.parameter(),
            _ => self.unexpected(),
        }
    }

    /// Skips what is not a value up to where an entry may end, and leaves a hole.
    pub(super) fn unexpected(&mut self) {
        let start = self.at;
        let first = self.rest().chars().next().map_or(0, char::len_utf8);
        let skipped = self.rest().find([',', ']', '}', '\n']).unwrap_or(self.rest().len()).max(first);
        self.at += skipped;
        let shown = self.text().get(start..self.at).unwrap_or_default().trim_end().len().max(first);
        let detail = self.text().get(start..start + shown).unwrap_or_default().to_owned();
        self.problem(ProblemKind::JsonUnexpected, start..start + shown, &detail);
        self.hole(start);
    }

    /// Text behind the one value there may be.
    pub(super) fn trailing(&mut self) {
        let start = self.at;
        let text = self.rest().trim_end();
        let (len, line) = (text.len(), text.lines().next().unwrap_or_default().to_owned());
        self.at = self.text().len();
        if !self.recovered {
            self.problem(ProblemKind::JsonTrailing, start..start + line.trim_end().len().min(len), &line);
        }
    }
}

/// True if a string begins here, in JSON or by error.
pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'') || is_curly(c)
}

/// Typographic quotation marks of the languages that word processors know.
pub(super) fn is_curly(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2039}' | '\u{203a}' | '\u{ff02}')
}
