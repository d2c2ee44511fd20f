//! A place in a text that is known to be JSON.

use std::borrow::Cow;

use super::text::decode_string;

/// Moves over a text that [`check`](super::check) has passed.
#[derive(Clone, Copy, Debug)]
// No method can fail, because `check_json` has passed the text; the byte 0, which JSON cannot have, marks the end.
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// Stands before the text's value.
    pub(crate) fn new(text: &'t str) -> Self {
        let mut cursor = Self { text, at: 0 };
        cursor.blanks();
        cursor
    }

    /// The first character of what comes next, which says what it is; 0 at the end.
    pub(crate) fn first(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    fn blanks(&mut self) {
        while matches!(self.first(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// Steps over an opening bracket, a comma or a colon.
    pub(crate) fn step(&mut self) {
        self.at += 1;
        self.blanks();
    }

    /// Steps over the closing bracket if it comes next, or else over a comma if one does.
    pub(crate) fn closes(&mut self, bracket: u8) -> bool {
        let next = self.first();
        if next == bracket || next == b',' {
            self.step();
        }
        next == bracket || next == 0
    }

    /// The key that comes next, with its colon stepped over.
    pub(crate) fn key(&mut self) -> Cow<'t, str> {
        let literal = self.scalar();
        self.step();
        decode_string(literal)
    }

    /// The literal of the string, number or word that comes next.
    pub(crate) fn scalar(&mut self) -> &'t str {
        let start = self.at;
        if self.first() == b'"' {
            self.at += 1;
            while !matches!(self.first(), b'"' | 0) {
                self.at += if self.first() == b'\\' { 2 } else { 1 };
            }
            self.at += 1;
        } else {
            while !matches!(self.first(), b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n' | 0) {
                self.at += 1;
            }
        }
        let literal = self.text.get(start..self.at).unwrap_or_default();
        self.blanks();
        literal
    }

    /// The text of the value that comes next, whatever it is.
    pub(crate) fn value(&mut self) -> &'t str {
        let (start, mut depth) = (self.at, 0_usize);
        loop {
            let from = self.at;
            let mut length = 1;
            match self.first() {
                0 => break,
                b'{' | b'[' => {
                    depth += 1;
                    self.step();
                }
                b'}' | b']' => {
                    depth -= depth.min(1);
                    self.step();
                }
                b',' | b':' => self.step(),
                _ => length = self.scalar().len(),
            }
            if depth == 0 {
                return self.text.get(start..from + length).unwrap_or_default();
            }
        }
        self.text.get(start..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_skipped_whole() {
        let mut cursor = Cursor::new(r#" {"a" : [1, {"b": "]}\""}] , "c":-1.5e3 }"#);
        cursor.step();
        assert_eq!(cursor.key(), "a");
        assert_eq!(cursor.value(), r#"[1, {"b": "]}\""}]"#);
        assert!(!cursor.closes(b'}'));
        assert_eq!(cursor.key(), "c");
        assert_eq!(cursor.value(), "-1.5e3");
        assert!(cursor.closes(b'}'));
    }
}
