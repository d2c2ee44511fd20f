//! A place in the pattern that only moves forward over whole characters.

/// The pattern and how far it has been read.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'p> {
    text: &'p str,
    pos: usize,
}

impl<'p> Cursor<'p> {
    pub(super) fn new(text: &'p str) -> Self {
        Self { text, pos: 0 }
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    pub(super) fn end(&self) -> usize {
        self.text.len()
    }

    /// Returns the text that has not been read.
    pub(super) fn rest(&self) -> &'p str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    /// Returns the text that was read since an offset.
    pub(super) fn since(&self, start: usize) -> &'p str {
        self.text.get(start..self.pos).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.pos += char.len_utf8();
        Some(char)
    }

    /// Steps over the text if it is next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.pos += text.len();
        }
        found
    }

    /// Moves over bytes that were examined already and end on a whole character.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.pos += bytes;
    }
}
