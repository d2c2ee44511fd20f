//! From the character counts of the YAML parser to bytes.

/// A cursor that turns character indices into byte offsets; cheap while they hardly move backwards.
pub(crate) struct CharCursor<'t> {
    text: &'t str,
    ascii: bool,
    chars: usize,
    bytes: usize,
}

impl<'t> CharCursor<'t> {
    /// A cursor at the start of a text; `ascii` where that is known of it.
    pub(crate) fn new(text: &'t str, ascii: bool) -> Self {
        Self { text, ascii, chars: 0, bytes: 0 }
    }

    /// The byte offset of the character with this index; the end of the text for any index past it.
    #[inline]
    pub(crate) fn byte(&mut self, index: usize) -> usize {
        if self.ascii {
            return index.min(self.text.len());
        }
        if index < self.chars {
            self.back(self.chars - index);
        } else {
            self.forth(index - self.chars);
        }
        self.bytes
    }

    fn back(&mut self, count: usize) {
        let before = self.text.get(..self.bytes).unwrap_or_default();
        self.bytes = before.char_indices().rev().nth(count - 1).map_or(0, |(at, _)| at);
        self.chars -= count;
    }

    fn forth(&mut self, count: usize) {
        // Most texts that are not ASCII have a few characters that are not.
        let next = self.text.as_bytes().get(self.bytes..self.bytes.saturating_add(count));
        if next.is_some_and(<[u8]>::is_ascii) {
            self.chars += count;
            self.bytes += count;
            return;
        }
        let mut rest = self.text.get(self.bytes..).unwrap_or_default().chars();
        for _ in 0..count {
            if rest.next().is_none() {
                break;
            }
            self.chars += 1;
        }
        self.bytes = self.text.len() - rest.as_str().len();
    }
}

#[cfg(test)]
mod tests {
    use super::CharCursor;

    #[test]
    fn the_cursor_goes_both_ways() {
        let mut cursor = CharCursor::new("aé😀b", false);
        assert_eq!([3, 1, 0, 4, 2, 99].map(|index| cursor.byte(index)), [7, 1, 0, 8, 3, 8]);
    }
}
