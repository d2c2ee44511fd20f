//! Escapes: of one character, of a Perl class, of a Unicode class.

use regex_syntax::hir::ClassUnicode;

use super::{Parsed, Parser};
use crate::class::{fold_case, to_set};
use crate::error::RegexErrorKind as Kind;
use crate::unicode;

impl Parser<'_> {
    /// Reads `\d`, `\pL`, `\p{Greek}` and their like, if one is next. Case is folded before a class is negated,
    /// so that `(?i)\W` leaves out what `(?i)\w` takes in.
    pub(super) fn escaped_class(&mut self) -> Parsed<Option<ClassUnicode>> {
        if self.cursor.peek() != Some('\\') {
            return Ok(None);
        }
        let Some(letter) = self.cursor.second() else { return Ok(None) };
        if let 'p' | 'P' = letter {
            return self.unicode_class(letter == 'P').map(Some);
        }
        let Some(ranges) = unicode::perl_class(letter.to_ascii_lowercase()) else { return Ok(None) };
        self.cursor.advance(2);
        let set = to_set(ranges.iter().copied());
        Ok(Some(self.as_flagged(set, letter.is_ascii_uppercase())))
    }

    /// The set with the flags in force applied, then negated or not.
    pub(super) fn as_flagged(&self, set: ClassUnicode, negated: bool) -> ClassUnicode {
        let mut set = if self.flags.fold() { fold_case(set) } else { set };
        if negated {
            set.negate();
        }
        set
    }

    fn unicode_class(&mut self, negated: bool) -> Parsed<ClassUnicode> {
        let start = self.cursor.pos();
        self.cursor.advance(2);
        let name = if self.cursor.eat("{") {
            let Some((name, _)) = self.cursor.rest().split_once('}') else {
                return self.error(Kind::UnknownUnicodeClass, start..self.cursor.end());
            };
            self.cursor.advance(name.len() + 1);
            name
        } else {
            let name_start = self.cursor.pos();
            self.cursor.bump();
            self.cursor.since(name_start)
        };
        let (name, flipped) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
        match self.property(name) {
            Some(set) => Ok(self.as_flagged(set, negated != flipped)),
            None => self.error(Kind::UnknownUnicodeClass, start..self.cursor.pos()),
        }
    }

    fn property(&mut self, name: &str) -> Option<ClassUnicode> {
        if let Some(known) = self.properties.get(name) {
            return known.clone();
        }
        let set = unicode::property_class(name);
        self.properties.insert(name.to_owned(), set.clone());
        set
    }

    /// Reads the escape of one character and answers its code point.
    pub(super) fn escaped_char(&mut self) -> Parsed<u32> {
        let start = self.cursor.pos();
        self.cursor.bump();
        let Some(char) = self.cursor.bump() else {
            let end = self.cursor.pos();
            return self.error_at(Kind::TrailingBackslash, end..end, start..end);
        };
        let code = match char {
            '1'..='7' if matches!(self.cursor.peek(), Some('0'..='7')) => self.octal(char),
            '0' => self.octal(char),
            'x' => self.hex(start)?,
            'a' => 0x07,
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'v' => 0x0B,
            _ if char.is_ascii() && !char.is_ascii_alphanumeric() => u32::from(char),
            _ => return self.error(escape_kind(char), start..self.cursor.pos()),
        };
        Ok(code)
    }

    /// Up to two more octal digits.
    fn octal(&mut self, first: char) -> u32 {
        let mut code = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(digit) = self.cursor.peek().and_then(|char| char.to_digit(8)) else { break };
            self.cursor.bump();
            code = code * 8 + digit;
        }
        code
    }

    /// `\x41` or `\x{1F600}`; Go quotes up to the character at which it gives up.
    fn hex(&mut self, start: usize) -> Parsed<u32> {
        let code = if self.cursor.eat("{") { self.braced_hex() } else { self.two_hex() };
        match code {
            Some(code) => Ok(code),
            None => self.error(Kind::BadCodePoint, start..self.cursor.pos()),
        }
    }

    fn two_hex(&mut self) -> Option<u32> {
        let high = self.cursor.bump()?.to_digit(16);
        let low = self.cursor.bump()?.to_digit(16);
        Some(high? * 16 + low?)
    }

    fn braced_hex(&mut self) -> Option<u32> {
        let mut code = 0;
        let mut digits = 0;
        loop {
            let char = self.cursor.bump()?;
            if char == '}' {
                return (digits > 0).then_some(code);
            }
            code = code * 16 + char.to_digit(16)?;
            digits += 1;
            if code > u32::from(char::MAX) {
                return None;
            }
        }
    }
}

fn escape_kind(char: char) -> Kind {
    match char {
        '1'..='9' | 'k' | 'g' => Kind::BackReference,
        _ => Kind::UnknownEscape,
    }
}
