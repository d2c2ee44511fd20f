//! Parses escapes, outside of sets and inside.

use super::class::Member;
use super::{
    Construct, Flags, NamedClass, Node, Parser, PythonAnchor, Result1, SetItem, literal, refuse_pattern,
    set_of,
};

impl Parser<'_> {
    /// Reads an escape outside of a set.
    pub(super) fn escape(&mut self, flags: Flags) -> Result1<Node> {
        let start = self.cursor.pos();
        let char = self.letter(start)?;
        if let Some(place) = place(char, flags) {
            return Ok(Node::Place(place));
        }
        if let Some(named) = named(char, flags) {
            return Ok(set_of(vec![SetItem::Named(named)], false, flags));
        }
        if let Some(code) = self.code(char, start)? {
            return Ok(literal(code, flags));
        }
        match char {
            '0' => {
                let more = self.cursor.take_while(2, is_octal);
                Ok(literal(u32::from_str_radix(more, 8).unwrap_or(0), flags))
            }
            '1'..='9' => self.octal_or_reference(char, start, flags),
            _ => self.plain(char, start).map(|code| literal(code, flags)),
        }
    }

    /// Reads an escape inside of a set.
    pub(super) fn escape_in_set(&mut self, flags: Flags) -> Result1<Member> {
        let start = self.cursor.pos();
        let char = self.letter(start)?;
        if char == 'b' {
            return Ok(Member::Code(0x08));
        }
        if let Some(named) = named(char, flags) {
            return Ok(Member::Item(SetItem::Named(named)));
        }
        if let Some(code) = self.code(char, start)? {
            return Ok(Member::Code(code));
        }
        match char {
            '0'..='7' => {
                let more = self.cursor.take_while(2, is_octal);
                let digits = format!("{char}{more}");
                self.octal(&digits, start).map(Member::Code)
            }
            '8' | '9' => self.unknown(start),
            _ => self.plain(char, start).map(Member::Code),
        }
    }

    fn letter(&mut self, start: usize) -> Result1<char> {
        self.cursor.bump();
        match self.cursor.bump() {
            Some(char) => Ok(char),
            None => refuse_pattern(start..self.cursor.end(), "the pattern ends with a lone `\\`"),
        }
    }

    /// The code point of an escape that means the same inside and outside of sets.
    fn code(&mut self, char: char, start: usize) -> Result1<Option<u32>> {
        Ok(Some(match char {
            'a' => 0x07,
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'v' => 0x0B,
            'x' => self.hex(2, start)?,
            'u' => self.hex(4, start)?,
            'U' => self.hex(8, start)?,
            'N' => return self.character_name(start),
            _ => return Ok(None),
        }))
    }

    fn hex(&mut self, count: usize, start: usize) -> Result1<u32> {
        let digits = self.cursor.take_while(count, |char| char.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
        if digits.len() < count || code > u32::from(char::MAX) {
            return self.unknown(start);
        }
        Ok(code)
    }

    /// `\N{…}`: Python knows the names of all characters, we do not.
    fn character_name(&mut self, start: usize) -> Result1<Option<u32>> {
        if !self.cursor.eat("{") || self.cursor.take_until('}').is_none_or(str::is_empty) {
            return self.unknown(start);
        }
        self.unsupported(Construct::CharacterName, start)
    }

    fn octal_or_reference(&mut self, first: char, start: usize, flags: Flags) -> Result1<Node> {
        let mut digits = first.to_string();
        digits.push_str(self.cursor.take_while(1, |char| char.is_ascii_digit()));
        if digits.len() == 2 && digits.chars().all(is_octal) {
            let third = self.cursor.take_while(1, is_octal);
            if !third.is_empty() {
                digits.push_str(third);
                return self.octal(&digits, start).map(|code| literal(code, flags));
            }
        }
        let group = digits.parse().unwrap_or(usize::MAX);
        self.reference(group, start, flags)
    }

    fn octal(&self, digits: &str, start: usize) -> Result1<u32> {
        match u32::from_str_radix(digits, 8) {
            Ok(code) if code <= 0o377 => Ok(code),
            _ => refuse_pattern(start..self.cursor.pos(), format!("`\\{digits}` is beyond `\\377`")),
        }
    }

    /// A reference to a group that is closed already.
    pub(super) fn reference(&self, group: usize, start: usize, flags: Flags) -> Result1<Node> {
        let span = start..self.cursor.pos();
        let text = self.text(&span);
        match self.groups.get(group) {
            None => refuse_pattern(span.clone(), format!("`{text}` refers to an unknown group")),
            Some(None) => {
                refuse_pattern(span.clone(), format!("`{text}` refers to a group that is still open"))
            }
            Some(Some(_)) if self.behind.is_some_and(|known| group >= known) => {
                refuse_pattern(span.clone(), format!("`{text}` refers to a group of the same look-behind"))
            }
            Some(Some(_)) => Ok(Node::BackReference { group, fold: flags.fold() }),
        }
    }

    /// A character that stands for itself; letters without a meaning are kept for later versions of Python.
    fn plain(&self, char: char, start: usize) -> Result1<u32> {
        if char.is_ascii_alphabetic() { self.unknown(start) } else { Ok(u32::from(char)) }
    }

    fn unknown<T>(&self, start: usize) -> Result1<T> {
        let span = start..self.cursor.pos();
        refuse_pattern(span.clone(), format!("`{}` is not an escape of Python's", self.text(&span)))
    }
}

fn place(char: char, flags: Flags) -> Option<PythonAnchor> {
    Some(match char {
        'A' => PythonAnchor::TextStart,
        'Z' => PythonAnchor::TextEnd,
        'b' | 'B' => PythonAnchor::Word { ascii: flags.ascii, negated: char == 'B' },
        _ => return None,
    })
}

fn named(char: char, flags: Flags) -> Option<NamedClass> {
    let letter = char.to_ascii_lowercase();
    matches!(letter, 'd' | 's' | 'w').then_some(NamedClass {
        letter,
        negated: char.is_ascii_uppercase(),
        ascii: flags.ascii,
    })
}

fn is_octal(char: char) -> bool {
    ('0'..='7').contains(&char)
}
