//! A place in the pattern that only moves forward over whole characters.

/// The pattern and how far it has been read.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'p> {
    text: &'p str,
    pos: usize,
}

impl<'p> Cursor<'p> {
    pub(crate) fn new(text: &'p str) -> Self {
        Self { text, pos: 0 }
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    pub(crate) fn end(&self) -> usize {
        self.text.len()
    }

    /// Returns the text that has not been read.
    pub(crate) fn rest(&self) -> &'p str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    /// Returns the text that was read since an offset.
    pub(crate) fn since(&self, start: usize) -> &'p str {
        self.text.get(start..self.pos).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.pos += char.len_utf8();
        Some(char)
    }

    /// Steps over the text if it is next.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.pos += text.len();
        }
        found
    }

    /// Moves over bytes that were examined already and end on a whole character.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.pos += bytes;
    }

    /// Steps over at most `most` characters of a kind and answers them.
    pub(crate) fn take_while(&mut self, most: usize, is: impl Fn(char) -> bool) -> &'p str {
        let rest = self.rest();
        let bytes: usize = rest.chars().take(most).take_while(|char| is(*char)).map(char::len_utf8).sum();
        self.pos += bytes;
        rest.get(..bytes).unwrap_or_default()
    }

    /// Steps over everything up to a character and over that; none, and no step, where it does not come.
    pub(crate) fn take_until(&mut self, end: char) -> Option<&'p str> {
        let (text, _) = self.rest().split_once(end)?;
        self.pos += text.len() + end.len_utf8();
        Some(text)
    }

    /// Steps over what flag `x` ignores: a blank, or a comment with the end of its line.
    pub(crate) fn skip_blank(&mut self) -> bool {
        match self.peek() {
            Some(' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C') => {
                self.pos += 1;
                true
            }
            Some('#') => {
                if self.take_until('\n').is_none() {
                    self.pos = self.end();
                }
                true
            }
            _ => false,
        }
    }
}
