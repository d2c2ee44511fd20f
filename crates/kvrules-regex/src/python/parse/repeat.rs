//! Quantifiers.

use super::{Construct, Flags, Greediness, Kind, Node, Parser, PythonError, Result1, refuse_pattern};

/// The least count that Python cannot hold.
const TOO_MANY: u64 = 4_294_967_295;

impl Parser<'_> {
    /// Reads a quantifier for the last part, or a brace that is none.
    pub(super) fn repeat(&mut self, symbol: char, parts: &mut Vec<Node>, flags: Flags) -> Result1<()> {
        let start = self.cursor.pos();
        let Some((min, max)) = self.counts(symbol)? else {
            parts.push(super::literal(u32::from('{'), flags));
            return Ok(());
        };
        let span = start..self.cursor.pos();
        let greed = if self.cursor.eat("?") {
            Greediness::Lazy
        } else if self.cursor.eat("+") {
            Greediness::Possessive
        } else {
            Greediness::Greedy
        };
        match parts.pop() {
            None | Some(Node::Place(_)) => {
                refuse_pattern(span.clone(), format!("`{}` has nothing to repeat", self.text(&span)))
            }
            Some(Node::Repeat { .. }) => {
                refuse_pattern(span.clone(), format!("`{}` repeats a repetition", self.text(&span)))
            }
            Some(node) => {
                parts.push(Node::Repeat { node: Box::new(unwrapped(node)), min, max, greed });
                Ok(())
            }
        }
    }

    /// Reads the counts themselves; none for a brace that is a plain character.
    fn counts(&mut self, symbol: char) -> Result1<Option<(u32, Option<u32>)>> {
        let start = self.cursor.pos();
        self.cursor.bump();
        match symbol {
            '*' => return Ok(Some((0, None))),
            '+' => return Ok(Some((1, None))),
            '?' => return Ok(Some((0, Some(1)))),
            _ => {}
        }
        let before = self.cursor;
        if self.cursor.peek() == Some('}') {
            return Ok(None);
        }
        let low = self.cursor.take_while(usize::MAX, |char| char.is_ascii_digit());
        let high = if self.cursor.eat(",") {
            self.cursor.take_while(usize::MAX, |char| char.is_ascii_digit())
        } else {
            low
        };
        if !self.cursor.eat("}") {
            self.cursor = before;
            return Ok(None);
        }
        let (min, max) = (self.count(low, start)?.unwrap_or(0), self.count(high, start)?);
        if max.is_some_and(|max| max < min) {
            let span = start..self.cursor.pos();
            return refuse_pattern(
                span.clone(),
                format!("`{}` has its least count above its greatest", self.text(&span)),
            );
        }
        Ok(Some((min, max)))
    }

    fn count(&self, digits: &str, start: usize) -> Result1<Option<u32>> {
        if digits.is_empty() {
            return Ok(None);
        }
        let value = digits.trim_start_matches('0');
        let value: u64 = if value.is_empty() { 0 } else { value.parse().unwrap_or(TOO_MANY) };
        if value >= TOO_MANY {
            let span = start..self.cursor.pos();
            let message = format!("`{}` repeats more often than Python can count", self.text(&span));
            return Err(PythonError::new(Kind::Overflow, span, message));
        }
        Ok(u32::try_from(value).ok())
    }

    pub(super) fn unsupported<T>(&self, construct: Construct, start: usize) -> Result1<T> {
        Err(PythonError::unsupported(construct, start..self.cursor.pos()))
    }
}

/// Removes a group without number that was only added so that quantifiers see one node.
fn unwrapped(node: Node) -> Node {
    match node {
        Node::Concat(mut parts) if parts.len() == 1 => parts.pop().unwrap_or(Node::Empty),
        other => other,
    }
}
