//! Addresses as Go reads them (`net/mail`, `ParseAddress`): with a name or without, in a group of one, with comments.

use std::net::{Ipv4Addr, Ipv6Addr};

/// True if a string is one address.
// net/mail message.go, (*addrParser).parseSingleAddress
pub(super) fn is_address(text: &str) -> bool {
    let mut parser = Parser { rest: text };
    let Some(count) = parser.address(true) else { return false };
    parser.skip_comments() && parser.rest.is_empty() && count == 1
}

#[derive(Clone, Copy)]
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn take(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Spaces and comments; false for a comment that does not end.
    // message.go, skipCFWS
    fn skip_comments(&mut self) -> bool {
        self.skip_space();
        while self.rest.starts_with('(') {
            if self.comment().is_none() {
                return false;
            }
            self.skip_space();
        }
        true
    }

    // message.go, consumeComment
    fn comment(&mut self) -> Option<&'a str> {
        let text = self.rest.strip_prefix('(')?;
        let mut depth = 1;
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' if chars.as_str().is_empty() => {}
                '\\' => _ = chars.next(),
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.rest = chars.as_str();
                return text.get(..at);
            }
        }
        None
    }

    /// An address, or with `groups` a group of them; gives how many.
    // message.go, parseAddress
    fn address(&mut self, groups: bool) -> Option<usize> {
        self.skip_space();
        if self.rest.is_empty() {
            return None;
        }
        let start = *self;
        if self.spec().is_some() {
            self.skip_space();
            if self.rest.starts_with('(') {
                let comment = self.comment()?;
                return comment.split([' ', '\t']).all(is_decodable).then_some(1);
            }
            return Some(1);
        }
        *self = start;
        if !self.rest.starts_with('<') {
            self.phrase()?;
        }
        self.skip_space();
        if groups && self.take(':') {
            return self.group();
        }
        (self.take('<') && self.spec().is_some() && self.take('>')).then_some(1)
    }

    // message.go, consumeGroupList
    fn group(&mut self) -> Option<usize> {
        let mut count = 0;
        self.skip_space();
        if self.take(';') {
            return self.skip_comments().then_some(0);
        }
        loop {
            self.skip_space();
            count += self.address(false)?;
            if !self.skip_comments() {
                return None;
            }
            if self.take(';') {
                return self.skip_comments().then_some(count);
            }
            if !self.take(',') {
                return None;
            }
        }
    }

    // message.go, consumeAddrSpec
    fn spec(&mut self) -> Option<()> {
        self.skip_space();
        if self.rest.starts_with('"') {
            (!self.quoted()?.is_empty()).then_some(())?;
        } else {
            self.atom(false)?;
        }
        self.take('@').then_some(())?;
        self.skip_space();
        if self.rest.starts_with('[') {
            return self.domain_literal();
        }
        self.atom(false).map(|_| ())
    }

    // message.go, consumeDomainLiteral
    fn domain_literal(&mut self) -> Option<()> {
        let (literal, rest) = self.rest.strip_prefix('[')?.split_once(']')?;
        self.rest = rest;
        let is_address = literal.parse::<Ipv4Addr>().is_ok() || literal.parse::<Ipv6Addr>().is_ok();
        is_address.then_some(())
    }

    /// One word or several; an error behind the first ends them.
    // message.go, consumePhrase
    fn phrase(&mut self) -> Option<()> {
        let mut words = 0;
        loop {
            if words > 0 && !self.skip_comments() {
                return None;
            }
            self.skip_space();
            let before = *self;
            let word = if self.rest.starts_with('"') {
                self.quoted().map(|_| ())
            } else {
                self.atom(true).filter(|word| is_decodable(word)).map(|_| ())
            };
            if word.is_none() {
                if words > 0 && self.rest.len() == before.rest.len() {
                    *self = before;
                }
                return (words > 0).then_some(());
            }
            words += 1;
        }
    }

    // message.go, consumeAtom
    fn atom(&mut self, permissive: bool) -> Option<&'a str> {
        let end = self.rest.find(|c| !is_atom_char(c)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at_checked(end).filter(|(atom, _)| !atom.is_empty())?;
        self.rest = rest;
        let has_stray_dot = atom.starts_with('.') || atom.contains("..") || atom.ends_with('.');
        (permissive || !has_stray_dot).then_some(atom)
    }

    /// Returns the content of a quoted string, with its escapes.
    // message.go, consumeQuotedString
    fn quoted(&mut self) -> Option<&'a str> {
        let text = self.rest.strip_prefix('"')?;
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = chars.as_str();
                    return text.get(..at);
                }
                '\\' => {
                    chars.next().filter(|(_, c)| is_visible(*c) || is_blank(*c))?;
                }
                c if is_visible(c) || is_blank(c) => {}
                _ => return None,
            }
        }
        None
    }
}

fn is_visible(c: char) -> bool {
    matches!(c, '!'..='~') || !c.is_ascii()
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn is_atom_char(c: char) -> bool {
    is_visible(c) && !"()<>[]:;@\\,\"".contains(c)
}

/// False for an encoded word (`=?charset?q?text?=`) in a character set that Go does not know.
// message.go, decodeRFC2047Word
fn is_decodable(word: &str) -> bool {
    let inner = word.strip_prefix("=?").and_then(|rest| rest.strip_suffix("?="));
    let parts: Vec<&str> = inner.map(|inner| inner.split('?').collect()).unwrap_or_default();
    match parts.as_slice() {
        [charset, encoding, _] if ["q", "b"].iter().any(|it| encoding.eq_ignore_ascii_case(it)) => {
            ["utf-8", "iso-8859-1", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known))
        }
        _ => true,
    }
}
