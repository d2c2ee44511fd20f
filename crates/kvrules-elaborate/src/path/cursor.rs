//! A cursor over the text with the start of the token being read.

use std::ops::Range;

/// Position of the parser in its text.
pub(super) struct PathCursor<'t> {
    text: &'t str,
    start: usize,
    at: usize,
    /// The last character read, to go back over.
    width: usize,
}

impl<'t> PathCursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, start: 0, at: 0, width: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.width = c.map_or(0, char::len_utf8);
        self.at += self.width;
        c
    }

    pub(super) fn back(&mut self) {
        self.at -= self.width;
        self.width = 0;
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    /// Takes what was read since the last take.
    pub(super) fn take(&mut self) -> &'t str {
        let taken = self.text.get(self.start..self.at).unwrap_or_default();
        self.start = self.at;
        taken
    }

    /// The bytes read since the last take.
    pub(super) fn token(&self) -> Range<usize> {
        self.start..self.at
    }

    /// True if the byte before the last one read is a backslash.
    pub(super) fn escaped(&self) -> bool {
        self.at.checked_sub(2).and_then(|at| self.text.as_bytes().get(at)) == Some(&b'\\')
    }
}
