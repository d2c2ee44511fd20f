//! Layouts that libyaml and the YAML libraries of Go read although YAML 1.2 forbids them.
//!
//! The parser in use follows YAML 1.2: lines inside quotation marks and brackets have to be indented more than the
//! key they belong to, a comment needs a blank before it, a tab may not follow a colon. libyaml has none of these
//! rules, and neither have kubectl and the API server. [`build_overlay`] rewrites such layouts byte for byte: line breaks
//! in brackets become blanks, and a quoted scalar of several lines becomes one line, its real value kept next to it.
//! No byte moves, so every position remains valid.

use std::ops::Range;

use saphyr_parser::{Event, Parser};

use super::input::TextInput;

/// A text of the same length that the YAML parser accepts.
pub(super) struct TextOverlay {
    pub(super) text: String,
    /// The scalars whose text was overwritten, in their order.
    pub(super) scalars: Vec<OverwrittenScalar>,
}

/// A scalar that was overwritten.
#[derive(Debug)]
pub(super) struct OverwrittenScalar {
    pub(super) range: Range<usize>,
    pub(super) value: String,
}

/// The overlay of one document; none if there is nothing to overwrite.
pub(super) fn build_overlay(text: &str) -> Option<TextOverlay> {
    let bytes = text.as_bytes();
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut walk = TokenWalk {
        text,
        bytes,
        out: bytes.to_vec(),
        scalars: Vec::new(),
        at: start,
        line: start,
        flow: 0,
        indent: None,
        key: None,
    };
    while walk.at < bytes.len() {
        walk.token()?;
    }
    let text = String::from_utf8(walk.out).ok().filter(|out| out != text)?;
    Some(TextOverlay { text, scalars: walk.scalars })
}

struct TokenWalk<'t> {
    text: &'t str,
    bytes: &'t [u8],
    out: Vec<u8>,
    scalars: Vec<OverwrittenScalar>,
    at: usize,
    /// Start of the current line.
    line: usize,
    /// Number of open brackets.
    flow: usize,
    /// Column of the innermost key or dash; none at the root.
    indent: Option<usize>,
    /// Column of the token that may be a key, if the line has one so far.
    key: Option<usize>,
}

impl TokenWalk<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(b'\n')
    }

    fn column(&self) -> usize {
        self.at - self.line
    }

    /// Reads one token. None if the text cannot be followed any further.
    fn token(&mut self) -> Option<()> {
        if self.column() == 0 && is_document_marker(self.bytes, self.at) {
            if self.flow > 0 {
                return None;
            }
            (self.at, self.indent, self.key) = (self.at + 3, None, None);
            return Some(());
        }
        match self.peek(0) {
            b'\n' | b'\r' => self.line_break(),
            b' ' => self.at += 1,
            b'\t' => self.tab(),
            b'#' => self.comment(),
            b'"' | b'\'' => self.quoted()?,
            b'[' | b'{' => {
                self.begin_key();
                (self.at, self.flow) = (self.at + 1, self.flow + 1);
            }
            b']' | b'}' | b',' if self.flow > 0 => {
                self.flow -= usize::from(self.peek(0) != b',');
                self.at += 1;
            }
            b'-' | b'?' if self.flow == 0 && is_blank(self.peek(1)) => {
                (self.indent, self.key) = (Some(self.column()), None);
                self.at += 1;
            }
            b':' if self.ends_key() => {
                if self.flow == 0 {
                    self.indent = self.key.take().or(self.indent);
                }
                self.at += 1;
            }
            b'%' if self.column() == 0 && self.flow == 0 => self.at = line_end(self.bytes, self.at),
            b'&' | b'*' | b'!' => self.property(),
            b'|' | b'>' if self.flow == 0 => self.block(),
            _ => self.plain()?,
        }
        Some(())
    }

    /// Notes where a key begins, unless the line has one already.
    fn begin_key(&mut self) {
        if self.flow == 0 && self.key.is_none() {
            self.key = Some(self.column());
        }
    }

    fn line_break(&mut self) {
        if self.flow > 0 {
            self.overwrite(self.at..self.at + 1, b' ');
        } else {
            self.key = None;
        }
        self.at += 1;
        self.line = self.at;
    }

    /// Tabs between tokens; at the start of a line of a block they stay, and stay forbidden.
    fn tab(&mut self) {
        let before = self.bytes.get(self.line..self.at).unwrap_or_default();
        let follows = !before.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        // After a dash a tab may be indentation.
        let is_value = follows && before.iter().rev().find(|byte| !is_blank(**byte)) == Some(&b':');
        if self.flow > 0 || is_value {
            self.overwrite(self.at..self.at + 1, b' ');
        }
        self.at += 1;
    }

    fn comment(&mut self) {
        let end = line_end(self.bytes, self.at);
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        if self.flow > 0 || before.is_some_and(|byte| !is_blank(*byte)) {
            self.overwrite(self.at..end, b' ');
        }
        self.at = end;
    }

    /// An anchor, an alias or a tag.
    fn property(&mut self) {
        self.begin_key();
        let in_flow = self.flow > 0;
        let ends = |byte: &u8| is_blank(*byte) || (in_flow && is_bracket(*byte));
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        self.at += 1 + rest.iter().position(ends).unwrap_or(rest.len());
    }

    /// True if the colon at the current position ends a key.
    fn ends_key(&self) -> bool {
        let next = self.peek(1);
        if is_blank(next) {
            return true;
        }
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at)).copied().unwrap_or(b' ');
        self.flow > 0 && (is_bracket(next) || matches!(before, b'"' | b'\'' | b']' | b'}'))
    }

    fn quoted(&mut self) -> Option<()> {
        self.begin_key();
        let end = quoted_end(self.bytes, self.at)?;
        let range = self.at..end;
        let source = self.text.get(range.clone())?;
        let breaks = source.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
        self.at = end;
        if breaks == 0 {
            return Some(());
        }
        self.line = self.bytes.get(..end)?.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'))? + 1;
        let after = self.bytes.get(end..)?.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
        let is_key = after.is_some_and(|after| self.bytes.get(end + after) == Some(&b':'));
        // libyaml does not accept a key of several lines, so keys stay as they are.
        if let Some(value) = quoted_value(source).filter(|_| !is_key) {
            self.overwrite(range.start + 1..end - 1, b'x');
            self.scalars.push(OverwrittenScalar { range, value });
        }
        Some(())
    }

    /// A block scalar: its header and all lines that are indented more than what holds it.
    fn block(&mut self) {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let header = rest.iter().take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9')).count();
        self.at += 1 + header;
        while matches!(self.peek(0), b' ' | b'\t') && self.at < self.bytes.len() {
            self.at += 1;
        }
        if self.peek(0) == b'#' {
            self.comment();
        }
        if !matches!(self.peek(0), b'\n' | b'\r') {
            return;
        }
        while self.at < self.bytes.len() {
            let line = after_break(self.bytes, self.at);
            let end = line_end(self.bytes, line);
            let content = self.bytes.get(line..end).unwrap_or_default();
            let column = content.iter().take_while(|byte| **byte == b' ').count();
            let is_inside = self.indent.is_none_or(|indent| column > indent);
            if column < content.len() && (!is_inside || is_document_marker(self.bytes, line)) {
                break;
            }
            (self.at, self.line) = (end, line);
        }
    }

    /// A plain scalar with its further lines. None if a tab indents what follows it, which libyaml refuses.
    fn plain(&mut self) -> Option<()> {
        self.begin_key();
        let (start, mut end) = (self.at, self.plain_line_end(self.at));
        let first = end;
        while let Some(next) = self.continuation(end) {
            end = self.plain_line_end(next);
            // An empty continuation means that another token follows, such as a comma on a line of its own.
            if end == next {
                break;
            }
        }
        let source = self.text.get(start..end).unwrap_or_default().trim_end();
        let range = start..start + source.len();
        if self.flow > 0 && first < range.end {
            self.overwrite_breaks(range.clone());
            self.scalars.push(OverwrittenScalar { range: range.clone(), value: fold_lines(source) });
        } else if self.flow > 0 && source == "-" {
            self.overwrite(range.clone(), b'x');
            self.scalars.push(OverwrittenScalar { range: range.clone(), value: "-".to_owned() });
        }
        self.at = range.end.max(start + 1);
        let lines = self.bytes.get(start..self.at).unwrap_or_default();
        if let Some(last) = lines.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line = start + last + 1;
        }
        let rest = self.bytes.get(range.end..).unwrap_or_default();
        let blanks = rest.split(|byte| !is_blank(*byte)).next().unwrap_or_default();
        let mut lines = source
            .split(['\n', '\r'])
            .skip(1)
            .map(str::as_bytes)
            .chain(blanks.split(|byte| *byte == b'\n').skip(1));
        let is_tabbed =
            lines.any(|line| line.iter().take_while(|byte| is_blank(**byte)).any(|byte| *byte == b'\t'));
        (self.flow == 0 || !is_tabbed).then_some(())
    }

    /// Returns the end of a plain scalar on the line of `from`.
    fn plain_line_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(byte) = self.bytes.get(at) {
            let next = self.bytes.get(at + 1).copied().unwrap_or(b'\n');
            let blank_before = at > from && matches!(self.bytes.get(at - 1), Some(b' ' | b'\t'));
            let ends = match byte {
                b'\n' | b'\r' => true,
                b':' => is_blank(next) || (self.flow > 0 && is_bracket(next)),
                b'#' => blank_before,
                b',' | b'[' | b']' | b'{' | b'}' => self.flow > 0,
                _ => false,
            };
            if ends {
                break;
            }
            at += 1;
        }
        at
    }

    /// The start of the next line of a plain scalar whose last line ended at `end`.
    fn continuation(&self, end: usize) -> Option<usize> {
        if !matches!(self.bytes.get(end), Some(b'\n' | b'\r')) {
            return None;
        }
        let rest = self.bytes.get(end..)?;
        let next = end + rest.iter().position(|byte| !is_blank(*byte))?;
        let line = self.bytes.get(..next)?.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'))? + 1;
        let is_inside = self.flow > 0 || self.indent.is_none_or(|indent| next - line > indent);
        let ends = self.bytes.get(next) == Some(&b'#') || is_document_marker(self.bytes, line);
        (is_inside && !ends).then_some(next)
    }

    fn overwrite(&mut self, range: Range<usize>, with: u8) {
        self.out.get_mut(range).into_iter().flatten().for_each(|byte| *byte = with);
    }

    fn overwrite_breaks(&mut self, range: Range<usize>) {
        let bytes = self.out.get_mut(range).into_iter().flatten();
        bytes.filter(|byte| matches!(byte, b'\n' | b'\r' | b'\t')).for_each(|byte| *byte = b' ');
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_bracket(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}

/// True if a line that begins at `line` is `---` or `...`, which also end all open nodes.
fn is_document_marker(bytes: &[u8], line: usize) -> bool {
    matches!(bytes.get(line..line + 3), Some(b"---" | b"..."))
        && bytes.get(line + 3).is_none_or(|byte| is_blank(*byte))
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len())
}

/// The start of the line after the break at `at`.
fn after_break(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at..at + 2) == Some(b"\r\n") { at + 2 } else { (at + 1).min(bytes.len()) }
}

/// The end of the quoted scalar that begins at `start`; none if it is not closed in its document.
fn quoted_end(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = *bytes.get(start)?;
    let mut at = start + 1;
    loop {
        let byte = *bytes.get(at)?;
        if matches!(byte, b'\n' | b'\r') && is_document_marker(bytes, at + 1) {
            return None;
        }
        match byte {
            b'\\' if quote == b'"' => at += 1,
            b'\'' if byte == quote && bytes.get(at + 1) == Some(&quote) => at += 1,
            _ if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}

/// The value of a quoted scalar. At the root of a text there is no indentation that its lines could fall short of.
fn quoted_value(source: &str) -> Option<String> {
    let mut value = None;
    for event in Parser::new(TextInput::new(source)) {
        if let (Event::Scalar(text, ..), _) = event.ok()? {
            value = Some(text.into_owned());
        }
    }
    value
}

/// The value of a plain scalar: a single line break is a blank, and of several all except the first remain.
fn fold_lines(source: &str) -> String {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut value = String::new();
    let mut breaks = 0;
    for (number, line) in source.split('\n').map(|line| line.trim_matches([' ', '\t'])).enumerate() {
        if line.is_empty() {
            breaks += 1;
            continue;
        }
        match breaks {
            _ if number == 0 => {}
            0 => value.push(' '),
            more => value.extend(std::iter::repeat_n('\n', more)),
        }
        value.push_str(line);
        breaks = 0;
    }
    value
}
