//! Sets in brackets.

use super::{Flags, Node, Parser, Result1, SetItem, refuse_pattern, set_of};

/// One member of a set, before it may turn out to begin a range.
#[derive(Clone, Copy)]
pub(super) enum Member {
    Code(u32),
    Item(SetItem),
}

impl Parser<'_> {
    /// Reads `[…]`. A `]` right at the start is a member, and so is a `-` where no range can be.
    pub(super) fn set(&mut self, flags: Flags) -> Result1<Node> {
        let start = self.cursor.pos();
        self.cursor.bump();
        let negated = self.cursor.eat("^");
        let mut items = Vec::new();
        let mut empty = true;
        loop {
            if !empty && self.cursor.eat("]") {
                return Ok(set_of(items, negated, flags));
            }
            empty = false;
            self.member_or_range(start, flags, &mut items)?;
        }
    }

    fn member_or_range(&mut self, open: usize, flags: Flags, items: &mut Vec<SetItem>) -> Result1<()> {
        let start = self.cursor.pos();
        let low = self.member(open, flags)?;
        let behind = self.cursor;
        if !self.cursor.eat("-") {
            push(items, low);
            return Ok(());
        }
        if self.cursor.peek() == Some(']') {
            // The hyphen is a member of its own.
            self.cursor = behind;
            push(items, low);
            self.cursor.bump();
            push(items, Member::Code(u32::from('-')));
            return Ok(());
        }
        let high = self.member(open, flags)?;
        let span = start..self.cursor.pos();
        match (low, high) {
            (Member::Code(low), Member::Code(high)) if low <= high => {
                items
                    .extend(crate::class::char_range(low, high).map(|(low, high)| SetItem::Range(low, high)));
                Ok(())
            }
            (Member::Code(_), Member::Code(_)) => refuse_pattern(
                span.clone(),
                format!("the range `{}` ends before it begins", self.text(&span)),
            ),
            _ => {
                let message =
                    format!("`{}` is not a range, for one of its ends is a class", self.text(&span));
                refuse_pattern(span, message)
            }
        }
    }

    fn member(&mut self, open: usize, flags: Flags) -> Result1<Member> {
        match self.cursor.peek() {
            Some('\\') => self.escape_in_set(flags),
            Some(char) => {
                self.cursor.bump();
                Ok(Member::Code(u32::from(char)))
            }
            None => refuse_pattern(open..self.cursor.end(), "the set has no closing `]`"),
        }
    }
}

fn push(items: &mut Vec<SetItem>, member: Member) {
    match member {
        Member::Code(code) => {
            items.extend(crate::class::char_range(code, code).map(|(low, high)| SetItem::Range(low, high)));
        }
        Member::Item(item) => items.push(item),
    }
}
