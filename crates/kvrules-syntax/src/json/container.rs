//! Objects and arrays, with what is missing between and behind their entries.

use crate::{
    MAX_DEPTH, ProblemKind, SyntaxKind,
    json::parser::{Parser, StringRole, is_quote},
};

/// Token after an entry.
enum AfterEntry {
    /// Another entry.
    Next,
    /// The end, with its bracket (true) or without.
    End(bool),
}

impl Parser<'_> {
    pub(super) fn array(&mut self) {
        let open = self.at;
        if self.too_deep() {
            return;
        }
        self.begin(SyntaxKind::List, open);
        self.bump();
        let mut comma = None;
        let closed = loop {
            match self.before_entry(open, ']', &mut comma) {
                AfterEntry::End(closed) => break closed,
                AfterEntry::Next => {}
            }
            self.value();
            match self.after_entry(open, ']', &mut comma) {
                AfterEntry::End(closed) => break closed,
                AfterEntry::Next => {}
            }
        };
        self.end(closed);
    }

    pub(super) fn object(&mut self) {
        let open = self.at;
        if self.too_deep() {
            return;
        }
        self.begin(SyntaxKind::Map, open);
        self.bump();
        let mut comma = None;
        let closed = loop {
            match self.before_entry(open, '}', &mut comma) {
                AfterEntry::End(closed) => break closed,
                AfterEntry::Next => {}
            }
            if self.peek_is(|c| matches!(c, '{' | '[')) && self.missed_end(open) {
                break false;
            }
            self.entry();
            match self.after_entry(open, '}', &mut comma) {
                AfterEntry::End(closed) => break closed,
                AfterEntry::Next => {}
            }
        };
        self.end(closed);
    }

    /// A key, a colon, a value.
    fn entry(&mut self) {
        let start = self.at;
        let is_key = self.key();
        let key_end = self.at;
        let ended = self.at_end_after_trivia();
        if self.eat(':') {
            self.entry_value(key_end);
        } else if !ended && self.peek_is(|c| c == '=') {
            self.bump();
            self.problem(ProblemKind::JsonMissingColon, self.at - 1..self.at, "=");
            self.entry_value(key_end);
        } else if !ended && self.peek_is(|c| !matches!(c, ',' | '}' | ']')) {
            // If there is no key, a colon would not correct anything.
            if is_key {
                self.problem(ProblemKind::JsonMissingColon, key_end..key_end, "");
            }
            self.value();
        } else {
            let key = self.text().get(start..key_end).unwrap_or_default().to_owned();
            self.problem(ProblemKind::JsonMissingValue, start..key_end, &key);
            self.hole(key_end);
        }
    }

    fn entry_value(&mut self, key_end: usize) {
        let colon = self.at;
        if self.at_end_after_trivia() || self.peek_is(|c| matches!(c, ',' | '}' | ']')) {
            self.problem(ProblemKind::JsonMissingValue, key_end..colon, "");
            self.hole(colon);
        } else {
            self.value();
        }
    }

    /// Reads a key; whether there was one.
    fn key(&mut self) -> bool {
        match self.peek() {
            Some(c) if is_quote(c) => self.string(StringRole::Key),
            Some(c) if c.is_alphanumeric() || matches!(c, '_' | '$') => self.bare_key(),
            _ => {
                self.unexpected();
                return false;
            }
        }
        true
    }

    /// Skips to the next entry: reports commas too many, and the end of the container.
    fn before_entry(&mut self, open: usize, close: char, comma: &mut Option<usize>) -> AfterEntry {
        while !self.at_end_after_trivia() && self.peek_is(|c| c == ',') {
            self.bump();
            self.problem(ProblemKind::JsonExtraComma, self.at - 1..self.at, "");
            *comma = None;
        }
        let end = self.container_end(open, close);
        if let (AfterEntry::End(_), Some(at)) = (&end, comma.take()) {
            self.problem(ProblemKind::JsonExtraComma, at..at + 1, "");
        }
        end
    }

    /// Reads the comma behind an entry, or misses it.
    fn after_entry(&mut self, open: usize, close: char, comma: &mut Option<usize>) -> AfterEntry {
        let end_of_value = self.at;
        let recovered = std::mem::take(&mut self.recovered);
        loop {
            let at_end = self.at_end_after_trivia();
            if !at_end && self.peek_is(|c| c == ',') {
                *comma = Some(self.at);
                self.bump();
                return AfterEntry::Next;
            }
            if let AfterEntry::End(closed) = self.container_end(open, close) {
                return AfterEntry::End(closed);
            }
            if close == '}' && self.peek_is(|c| c == '{') && self.missed_end(open) {
                return AfterEntry::End(false);
            }
            if self.begins_entry() {
                if !recovered {
                    self.problem(ProblemKind::JsonMissingComma, end_of_value..end_of_value, "");
                }
                return AfterEntry::Next;
            }
            self.skip_unexpected();
        }
    }

    /// Returns the end of the container, if it ends here: by its bracket, by another's, or with the text.
    fn container_end(&mut self, open: usize, close: char) -> AfterEntry {
        match self.peek() {
            Some(c) if c == close => {
                self.bump();
                AfterEntry::End(true)
            }
            None => {
                self.unclosed(open);
                AfterEntry::End(false)
            }
            Some(']' | '}') if self.depth > 1 => {
                self.unclosed(open);
                AfterEntry::End(false)
            }
            Some(']' | '}') => {
                self.skip_unexpected();
                if self.at_end_after_trivia() { self.container_end(open, close) } else { AfterEntry::Next }
            }
            Some(_) => AfterEntry::Next,
        }
    }

    /// An object inside a list meets the next object: its own end was forgotten.
    fn missed_end(&mut self, open: usize) -> bool {
        let inside_list = self.depth > 1;
        if inside_list {
            self.unclosed(open);
        }
        inside_list
    }

    fn unclosed(&mut self, open: usize) {
        // If several brackets are missing at one position, only the innermost is reported.
        if self.missed != Some(self.at) {
            self.problem_related(ProblemKind::JsonUnclosed, open..open + 1, self.at..self.at);
        }
        self.missed = Some(self.at);
        self.recovered = true;
    }

    fn begins_entry(&self) -> bool {
        self.peek_is(|c| is_quote(c) || c.is_alphanumeric() || matches!(c, '{' | '[' | '-' | '$' | '_'))
    }

    fn skip_unexpected(&mut self) {
        let start = self.at;
        self.bump();
        let detail = self.text().get(start..self.at).unwrap_or_default().to_owned();
        self.problem(ProblemKind::JsonUnexpected, start..self.at, &detail);
    }

    /// Gives up on what nests too deep: the rest of the text is not read.
    fn too_deep(&mut self) -> bool {
        let deep = self.depth >= MAX_DEPTH;
        if deep {
            self.problem(ProblemKind::TooDeep, self.at..self.at + 1, "");
            self.hole(self.at);
            self.at = self.text().len();
            self.missed = Some(self.at);
            self.recovered = true;
        }
        deep
    }
}
