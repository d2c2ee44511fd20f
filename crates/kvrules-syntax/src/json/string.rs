//! Strings, and where a string ends that has the wrong quotation marks.

use std::ops::Range;

use crate::{
    ProblemKind,
    json::{
        parser::{Parser, StringRole, is_curly},
        unescape::{StringFlaw, unescape_string},
    },
};

/// End of a string, and the problem with its quotation marks.
struct StringExtent {
    /// The bytes of the content.
    inner: Range<usize>,
    /// Offset just past the closing mark, if there is one.
    end: usize,
    problem: Option<(ProblemKind, Range<usize>)>,
}

impl Parser<'_> {
    pub(super) fn string(&mut self, position: StringRole) {
        let start = self.at;
        let extent = match self.peek() {
            Some('"') => self.straight(start, position),
            Some('\'') => self.single(start, position),
            _ => self.curly(start, position),
        };
        self.at = extent.end;
        let range = start..extent.end;
        if let Some((kind, place)) = extent.problem {
            if kind == ProblemKind::JsonUnclosed {
                self.problem_related(kind, place, extent.end..extent.end);
            } else {
                let text = self.text().get(range.clone()).unwrap_or_default().to_owned();
                self.problem(kind, place, &text);
            }
        }
        self.content(&range, &extent.inner);
    }

    /// Undoes escapes and makes the node.
    fn content(&mut self, range: &Range<usize>, inner: &Range<usize>) {
        let written = self.text().get(inner.clone()).unwrap_or_default();
        if !written.bytes().any(|byte| byte == b'\\' || byte < 0x20) {
            return self.string_node(range, inner, None);
        }
        let (text, flaws) = unescape_string(written);
        for flaw in flaws {
            let (kind, place) = match flaw {
                StringFlaw::Escape(place) => (ProblemKind::JsonEscape, place),
                StringFlaw::Control(place) => (ProblemKind::JsonControl, place),
            };
            let place = inner.start + place.start..inner.start + place.end;
            let detail = self.text().get(place.clone()).unwrap_or_default().to_owned();
            self.problem(kind, place, &detail);
        }
        self.string_node(range, inner, Some(&text));
    }

    /// A string that opens as JSON does. If it does not also close so, the nearest sensible end is taken.
    fn straight(&self, start: usize, position: StringRole) -> StringExtent {
        let first = start + 1;
        let close = self.closing(first);
        let line_end = self.line_end(first);
        let in_line = close.filter(|close| *close < line_end);
        if let Some(close) = in_line.or(close).filter(|close| self.value_may_end(close + 1)) {
            return StringExtent { inner: first..close, end: close + 1, problem: None };
        }
        if let Some(mark) = self.curly_close(first, close.unwrap_or(line_end).min(line_end)) {
            let end = mark.end;
            return StringExtent {
                inner: first..mark.start,
                end,
                problem: Some((ProblemKind::JsonCurlyQuote, start..end)),
            };
        }
        match in_line {
            Some(close) => self.inner_quote(start, close, line_end, position),
            None => self.unclosed_string(start, first..line_end, position),
        }
    }

    /// A quotation mark closes early: a colon inside means a key without its end, a later mark an inner quote.
    fn inner_quote(&self, start: usize, close: usize, line_end: usize, position: StringRole) -> StringExtent {
        let first = start + 1;
        let head = self.text().get(first..close).unwrap_or_default();
        let cut_key = position == StringRole::Key && head.trim_end().ends_with(':');
        if let Some(colon) = head.find(':').filter(|_| cut_key) {
            let end = first + colon;
            return StringExtent {
                inner: first..end,
                end,
                problem: Some((ProblemKind::JsonUnclosed, start..end)),
            };
        }
        let mut next = close;
        let value_begins = self.after(close + 1).starts_with(['"', '{', '[']);
        while let Some(later) = self.closing(next + 1).filter(|later| *later < line_end && !value_begins) {
            if self.value_may_end(later + 1) {
                let problem = Some((ProblemKind::JsonInnerQuote, close..close + 1));
                return StringExtent { inner: first..later, end: later + 1, problem };
            }
            next = later;
        }
        StringExtent { inner: first..close, end: close + 1, problem: None }
    }

    /// No closing mark on the line: the string ends with the line, before a comma.
    fn unclosed_string(&self, start: usize, line: Range<usize>, position: StringRole) -> StringExtent {
        let first = line.start;
        let line = self.text().get(line).unwrap_or_default().trim_end();
        let line = without_closers(line.strip_suffix(',').unwrap_or(line));
        let word = |at: &usize| position == StringRole::Key && line.get(..*at).is_some_and(is_word);
        let key = line.find(':').filter(word);
        let end = first + key.unwrap_or(line.len());
        StringExtent {
            inner: first..end,
            end,
            problem: Some((ProblemKind::JsonUnclosed, start..end.max(first))),
        }
    }

    fn single(&self, start: usize, position: StringRole) -> StringExtent {
        let first = start + 1;
        let rest = self.text().get(first..).unwrap_or_default();
        let line = rest.get(..self.line_end(first).saturating_sub(first)).unwrap_or_default();
        let ends = line.match_indices('\'').map(|(at, _)| first + at);
        let close = ends.clone().find(|at| self.value_may_end(at + 1)).or_else(|| ends.clone().next_back());
        match close {
            Some(close) => {
                let problem = Some((ProblemKind::JsonSingleQuote, start..close + 1));
                StringExtent { inner: first..close, end: close + 1, problem }
            }
            None => self.unclosed_string(start, first..first + line.len(), position),
        }
    }

    fn curly(&self, start: usize, position: StringRole) -> StringExtent {
        let first =
            start + self.text().get(start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        let line_end = self.line_end(first);
        if let Some(mark) = self
            .curly_close(first, line_end)
            .or_else(|| self.closing(first).filter(|at| *at < line_end).map(|at| at..at + 1))
        {
            let problem = Some((ProblemKind::JsonCurlyQuote, start..mark.end));
            StringExtent { inner: first..mark.start, end: mark.end, problem }
        } else {
            let extent = self.unclosed_string(start, first..line_end, position);
            StringExtent { inner: first.min(extent.inner.end)..extent.inner.end, ..extent }
        }
    }

    /// The next `"` at or behind `from` that no backslash hides.
    fn closing(&self, from: usize) -> Option<usize> {
        let mut hidden = false;
        let bytes = self.text().as_bytes().get(from..)?;
        let found = bytes.iter().position(|byte| {
            let closes = *byte == b'"' && !hidden;
            hidden = *byte == b'\\' && !hidden;
            closes
        })?;
        Some(from + found)
    }

    /// A typographic mark (or, behind a typographic opening, a straight one) after which an entry may end.
    fn curly_close(&self, from: usize, to: usize) -> Option<Range<usize>> {
        let text = self.text().get(from..to)?;
        text.char_indices().find_map(|(at, c)| {
            let end = from + at + c.len_utf8();
            ((is_curly(c) || c == '"') && self.value_may_end(end)).then_some(from + at..end)
        })
    }

    fn after(&self, at: usize) -> &str {
        self.text().get(at..).unwrap_or_default().trim_start_matches([' ', '\t', '\r', '\n'])
    }

    /// True if a key or a value may end at this offset.
    fn value_may_end(&self, at: usize) -> bool {
        let rest = self.text().get(at..).unwrap_or_default().trim_start_matches([' ', '\t', '\r']);
        rest.is_empty() || rest.starts_with([':', ',', '}', ']', '\n'])
    }
}

/// Cuts brackets at the end that close nothing in the text itself.
fn without_closers(text: &str) -> &str {
    let cut = text.trim_end_matches(['}', ']', ' ']);
    if cut.contains(['{', '[']) { text } else { cut }
}

fn is_word(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}
