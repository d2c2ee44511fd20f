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

    pub(super) fn rest(&self) -> &'p str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.pos += char.len_utf8();
        Some(char)
    }

    pub(super) fn eat(&mut self, char: char) -> bool {
        let found = self.peek() == Some(char);
        if found {
            self.pos += char.len_utf8();
        }
        found
    }

    /// Steps over at most `most` characters of a kind and answers them.
    pub(super) fn take_while(&mut self, most: usize, is: impl Fn(char) -> bool) -> &'p str {
        let rest = self.rest();
        let bytes: usize = rest.chars().take(most).take_while(|char| is(*char)).map(char::len_utf8).sum();
        self.pos += bytes;
        rest.get(..bytes).unwrap_or_default()
    }

    /// Steps over everything up to a character and over that; none, and no step, where it does not come.
    pub(super) fn take_until(&mut self, end: char) -> Option<&'p str> {
        let (text, _) = self.rest().split_once(end)?;
        self.pos += text.len() + end.len_utf8();
        Some(text)
    }

    /// Steps over what flag `x` ignores: a blank, or a comment with the end of its line.
    pub(super) fn skip_blank(&mut self) -> bool {
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
