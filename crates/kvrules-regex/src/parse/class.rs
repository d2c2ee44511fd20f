//! Classes in brackets.

use regex_syntax::hir::ClassUnicode;

use super::{Parsed, Parser};
use crate::class::{char_range, fold_case, to_set};
use crate::error::RegexErrorKind as Kind;
use crate::unicode;

/// Members of a class so far.
#[derive(Default)]
struct Items {
    /// Characters and ranges as written; case is still to be folded.
    plain: Vec<(char, char)>,
    /// Named classes, already folded and negated.
    named: Vec<(char, char)>,
}

impl Items {
    fn add_named(&mut self, set: &ClassUnicode) {
        self.named.extend(set.iter().map(|range| (range.start(), range.end())));
    }

    fn into_set(self, fold: bool) -> ClassUnicode {
        let plain = to_set(self.plain);
        let mut set = if fold { fold_case(plain) } else { plain };
        set.union(&to_set(self.named));
        set
    }
}

impl Parser<'_> {
    /// Reads `[…]`. A `]` right at the start is a member, and so is a `-` anywhere it makes no range.
    pub(super) fn bracket_class(&mut self) -> Parsed<()> {
        let start = self.cursor.pos();
        self.cursor.bump();
        let negated = self.cursor.eat("^");
        let mut items = Items::default();
        let mut first = true;
        while first || self.cursor.peek() != Some(']') {
            first = false;
            self.class_item(start, &mut items)?;
        }
        self.cursor.bump();
        let mut set = items.into_set(self.flags.fold());
        if negated {
            set.negate();
        }
        self.push_class(&set)
    }

    fn class_item(&mut self, class_start: usize, items: &mut Items) -> Parsed<()> {
        if let Some(set) = self.posix_class()? {
            items.add_named(&set);
            return Ok(());
        }
        if let Some(set) = self.escaped_class()? {
            items.add_named(&set);
            return Ok(());
        }
        let start = self.cursor.pos();
        let low = self.class_char(class_start)?;
        let mut high = low;
        let rest = self.cursor.rest();
        if rest.len() > 1 && rest.starts_with('-') && !rest.starts_with("-]") {
            self.cursor.bump();
            high = self.class_char(class_start)?;
            if high < low {
                return self.error(Kind::BadClassRange, start..self.cursor.pos());
            }
        }
        items.plain.extend(char_range(low, high));
        Ok(())
    }

    /// One member, as a code point.
    fn class_char(&mut self, class_start: usize) -> Parsed<u32> {
        if self.cursor.peek() == Some('\\') {
            return self.escaped_char();
        }
        match self.cursor.bump() {
            Some(char) => Ok(u32::from(char)),
            None => self.error(Kind::MissingBracket, class_start..self.cursor.end()),
        }
    }

    /// Reads `[:alpha:]` or `[:^alpha:]`, if one is next; without its `:]` it is plain members.
    fn posix_class(&mut self) -> Parsed<Option<ClassUnicode>> {
        let Some(rest) = self.cursor.rest().strip_prefix("[:") else { return Ok(None) };
        if self.no_posix_end {
            return Ok(None);
        }
        let Some((name, _)) = rest.split_once(":]") else {
            self.no_posix_end = true;
            return Ok(None);
        };
        let start = self.cursor.pos();
        self.cursor.advance(name.len() + 4);
        let (plain, negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
        match unicode::posix_class(plain) {
            Some(ranges) => Ok(Some(self.as_flagged(to_set(ranges.iter().copied()), negated))),
            None => self.error(Kind::UnknownPosixClass, start..self.cursor.pos()),
        }
    }
}
