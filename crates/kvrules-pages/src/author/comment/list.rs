//! Lists of descriptions: with dashes or stars, and with numbers, of which an item may have a list with dashes.

use super::super::Block;
use super::inline::inline_prose;

/// A line that begins an item.
struct ItemLine<'t> {
    /// Its number; unset behind a dash or a star.
    number: Option<u64>,
    words: &'t str,
}

impl<'t> ItemLine<'t> {
    fn of_line(line: &'t str) -> Option<Self> {
        let line = line.trim_start();
        if let Some(words) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
            return Some(Self { number: None, words: words.trim() });
        }
        let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
        let digits = line.get(..line.len() - rest.len()).filter(|digits| digits.len() <= 3)?;
        let words = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))?.trim();
        (!words.is_empty()).then_some(Self { number: Some(digits.parse().ok()?), words })
    }
}

/// True if a line begins an item of a list.
pub(super) fn is_list_item(line: &str) -> bool {
    ItemLine::of_line(line).is_some()
}

/// An item of a list: its words, and the items of the list in it.
struct Item<'t> {
    words: Vec<&'t str>,
    inner: Vec<Vec<&'t str>>,
}

impl Item<'_> {
    fn to_blocks(&self) -> Vec<Block> {
        let mut blocks = vec![paragraph(&self.words)];
        if !self.inner.is_empty() {
            let items = self.inner.iter().map(|words| vec![paragraph(words)]).collect();
            blocks.push(Block::List { start: None, items });
        }
        blocks
    }
}

fn paragraph(words: &[&str]) -> Block {
    Block::Paragraph(inline_prose(&words.join(" ")))
}

/// Reads the lines of a paragraph as words and lists. A list continues that of the paragraph before.
pub(super) struct ListReader<'b, 't> {
    blocks: &'b mut Vec<Block>,
    words: Vec<&'t str>,
    items: Vec<Item<'t>>,
    /// The number of the first item, if the list is numbered.
    first: Option<u64>,
    /// The indentation of the first item.
    indent: usize,
}

impl<'b, 't> ListReader<'b, 't> {
    /// Starts a paragraph behind blocks.
    pub(super) fn new(blocks: &'b mut Vec<Block>) -> Self {
        Self { blocks, words: Vec::new(), items: Vec::new(), first: None, indent: 0 }
    }

    /// Reads a line.
    pub(super) fn add_line(&mut self, line: &'t str) {
        let indent = line.len() - line.trim_start().len();
        if let Some(item) = ItemLine::of_line(line)
            && self.add_item(&item, indent)
        {
            return;
        }
        let words = line.trim();
        let ends_list =
            self.first.is_some() && indent <= self.indent && words.starts_with(char::is_uppercase);
        if ends_list {
            self.flush();
        }
        match self.items.last_mut() {
            Some(Item { inner, words: own }) => inner.last_mut().unwrap_or(own).push(words),
            None => self.words.push(words),
        }
    }

    /// Adds an item; false if the line only looks like one.
    fn add_item(&mut self, line: &ItemLine<'t>, indent: usize) -> bool {
        let (next, behind) = (self.next_number(), self.number_behind());
        match (line.number, self.items.last_mut()) {
            (None, Some(item)) if self.first.is_some() && indent > self.indent => {
                item.inner.push(vec![line.words]);
                return true;
            }
            (None, Some(_)) if self.first.is_some() => self.flush(),
            (Some(number), Some(_)) if Some(number) != next => return false,
            // Other numbers are those of a sentence, unless they continue a list.
            (Some(number), None) if number != 1 && Some(number) != behind => return false,
            _ => {}
        }
        if self.items.is_empty() {
            (self.first, self.indent) = (line.number, indent);
        }
        self.items.push(Item { words: vec![line.words], inner: Vec::new() });
        true
    }

    /// The number of the next item of this list, if it is numbered.
    fn next_number(&self) -> Option<u64> {
        Some(self.first? + self.items.len() as u64)
    }

    /// The number of an item that continues the list of the paragraph before.
    fn number_behind(&self) -> Option<u64> {
        match self.blocks.last() {
            Some(Block::List { start: Some(start), items }) if self.words.is_empty() => {
                Some(start + items.len() as u64)
            }
            _ => None,
        }
    }

    /// Adds everything that was read to the blocks.
    pub(super) fn finish(mut self) {
        self.flush();
    }

    fn flush(&mut self) {
        let continues = self.words.is_empty();
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            self.blocks.push(paragraph(&words));
        }
        let first = self.first.take();
        let behind = self.number_behind();
        let more: Vec<_> = std::mem::take(&mut self.items).iter().map(Item::to_blocks).collect();
        match self.blocks.last_mut() {
            _ if more.is_empty() => {}
            Some(Block::List { start, items })
                if continues
                    && start.is_some() == first.is_some()
                    && (first.is_none() || first == behind) =>
            {
                items.extend(more);
            }
            _ => self.blocks.push(Block::List { start: first, items: more }),
        }
    }
}
