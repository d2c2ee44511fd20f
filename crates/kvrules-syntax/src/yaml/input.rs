//! The text of a file as the YAML parser reads it.

use saphyr_parser::{
    Input,
    input::{is_blank_or_breakz, is_breakz, is_flow},
};

/// Characters that the parser may look ahead. It reserves as many for each plain scalar beyond the 32 that it begins
/// with, so that more than 31 would allocate twice.
const BUFFER: usize = 24;

/// A text, read byte by byte: nearly all characters are ASCII.
///
/// It gives the parser the same characters as `saphyr_parser::StrInput`.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextInput<'t> {
    text: &'t str,
    /// Offset of the next character.
    at: usize,
}

impl<'t> TextInput<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn char_at(&self, at: usize) -> Option<char> {
        let byte = *self.text.as_bytes().get(at)?;
        if byte.is_ascii() { Some(char::from(byte)) } else { self.wide_char_at(at) }
    }

    #[cold]
    fn wide_char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// The offset of the character that follows the one at an offset.
    #[inline]
    fn after(&self, at: usize) -> usize {
        match self.text.as_bytes().get(at) {
            None => at,
            Some(byte) if byte.is_ascii() => at + 1,
            Some(_) => at + self.wide_char_at(at).map_or(1, char::len_utf8),
        }
    }
}

impl Input for TextInput<'_> {
    #[inline]
    fn lookahead(&mut self, _count: usize) {}

    #[inline]
    fn buflen(&self) -> usize {
        BUFFER
    }

    #[inline]
    fn bufmaxlen(&self) -> usize {
        BUFFER
    }

    #[inline]
    fn raw_read_ch(&mut self) -> char {
        let next = self.peek();
        self.skip();
        next
    }

    #[inline]
    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        let next = self.peek_opt().filter(|next| !is_breakz(*next) && *next != '\u{feff}')?;
        self.skip();
        Some(next)
    }

    #[inline]
    fn skip(&mut self) {
        self.at = self.after(self.at);
    }

    #[inline]
    fn skip_n(&mut self, count: usize) {
        (0..count).for_each(|_| self.skip());
    }

    #[inline]
    fn peek(&self) -> char {
        self.char_at(self.at).unwrap_or('\0')
    }

    #[inline]
    fn peek_nth(&self, n: usize) -> char {
        let at = (0..n).fold(self.at, |at, _| self.after(at));
        self.char_at(at).unwrap_or('\0')
    }

    #[inline]
    fn peek_opt(&self) -> Option<char> {
        self.char_at(self.at)
    }

    #[inline]
    fn next_is_blank_or_breakz(&self) -> bool {
        self.byte().is_none_or(|byte| byte <= b' ' && matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0))
    }

    #[inline]
    fn next_is_blank_or_break(&self) -> bool {
        self.byte().is_some_and(|byte| byte <= b' ' && matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
    }

    #[inline]
    fn next_can_be_plain_scalar(&self, in_flow: bool) -> bool {
        match self.byte() {
            Some(b':') => {
                let next = self.char_at(self.at + 1).unwrap_or('\0');
                !(is_blank_or_breakz(next) || in_flow && is_flow(next))
            }
            Some(b',' | b'[' | b']' | b'{' | b'}') => !in_flow,
            // The first byte of a byte order mark.
            Some(0xef) => self.peek() != '\u{feff}',
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use saphyr_parser::Parser;

    use super::TextInput;

    /// Events with their places, and the error at the end if there is one.
    fn events<T: saphyr_parser::Input>(parser: Parser<'_, T>) -> Vec<String> {
        let mut events = Vec::new();
        for event in parser {
            events.push(format!("{event:?}"));
            // From here on the parser repeats the error for ever.
            if event.is_err() {
                break;
            }
        }
        events
    }

    #[test]
    fn the_parser_reads_the_same_as_from_its_own_input() {
        for text in [
            "a: b\nlist:\n- 'x'\n- \"y\\n\"\nblock: |\n  one\n   two\n\n  three\nfolded: >-\n  a\n  b\n",
            "%YAML 1.2\n---\na: &x !!str b # comment\nb: *x\n...\n---\n{a: [b, c], ? d : e}\n--- |\n text",
            "é: ü # ß\nklammer: {ö: \"\\u00e4€\", 'ï': ﬁ}\n? 😀\n: |\n   ß€😀\n   é\n",
            "\u{feff}a: b\n---\n\u{feff}c: d\n",
            "long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
            "deep:\n                                        - |\n                                          text\n",
            "a: \0b\n",
            "a:\tb\n\tc: d\n",
            "a: b#c\r\nd: e # f\r\n",
            "a: 'b\n",
            "a: b: c\n",
            "a: \"b\"#c\n",
            "---",
            "...",
            "-- -",
            "",
        ] {
            let (ours, theirs) = (Parser::new(TextInput::new(text)), Parser::new_from_str(text));
            assert_eq!(events(ours), events(theirs), "{text:?}");
        }
    }
}
