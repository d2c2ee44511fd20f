//! Positions as the protocol counts them: lines and units of an encoding from 0, against offsets in bytes.

use gen_lsp_types::{Position, Range};
use kvrules_diagnostics::Span;

/// The unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, of which characters beyond the first 65,536 have two.
    #[default]
    Utf16,
}

/// Number of bytes between two counts of units.
const STRIDE: usize = 1024;

/// The lines of a text, and the units in it.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// Offset of the first byte of each line.
    starts: Vec<u32>,
    /// Units of UTF-16 before each [`STRIDE`]th byte; empty if all characters are ASCII.
    units: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of a text. The protocol ends them with `\n`, `\r\n` or `\r`.
    ///
    /// ```
    /// use kvrules_server::{LineIndex, PositionEncoding::{Utf8, Utf16}};
    ///
    /// let text = "a\r\n𝒳: é\n";
    /// let lines = LineIndex::from_text(text);
    /// let after = text.find(':').unwrap();
    /// let position = |encoding| lines.position_at(text, after, encoding);
    /// assert_eq!((position(Utf8).line, position(Utf8).character), (1, 4));
    /// assert_eq!((position(Utf16).line, position(Utf16).character), (1, 2));
    /// ```
    pub fn from_text(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends_line = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends_line {
                starts.push(to_u32(at + 1));
            }
        }
        let mut units = Vec::new();
        if !text.is_ascii() {
            let mut sum = 0;
            for chunk in bytes.chunks(STRIDE) {
                units.push(to_u32(sum));
                sum += count_units(chunk);
            }
        }
        Self { starts, units }
    }

    /// Returns the position of a byte offset; offsets past the end are at the end.
    pub fn position_at(&self, text: &str, offset: usize, encoding: PositionEncoding) -> Position {
        let offset = floor_boundary(text, offset);
        let line = self.starts.partition_point(|start| *start as usize <= offset).max(1) - 1;
        let start = self.starts.get(line).copied().unwrap_or(0) as usize;
        let character = match encoding {
            PositionEncoding::Utf8 => offset - start,
            PositionEncoding::Utf16 => self.units_before(text, offset) - self.units_before(text, start),
        };
        Position { line: to_u32(line), character: to_u32(character) }
    }

    /// Returns the byte offset of a position. One behind the end of its line is at the end of the line, before its break; one within a
    /// character is before it; a line behind the last is at the end of the text.
    ///
    /// ```
    /// use kvrules_server::{LineIndex, PositionEncoding::Utf16};
    ///
    /// let text = "a\r\nb\n";
    /// let offset = |line, character| {
    ///     LineIndex::from_text(text).offset_at(text, gen_lsp_types::Position { line, character }, Utf16)
    /// };
    /// assert_eq!([offset(0, 0), offset(0, 9), offset(1, 1), offset(9, 0)], [0, 1, 4, 5]);
    /// ```
    pub fn offset_at(&self, text: &str, position: Position, encoding: PositionEncoding) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).map(|start| *start as usize) else { return text.len() };
        let next = self.starts.get(line + 1).map_or(text.len(), |next| *next as usize);
        let whole = text.get(start..next).unwrap_or_default();
        let end = start + whole.trim_end_matches(['\r', '\n']).len();
        let wanted = position.character as usize;
        match encoding {
            PositionEncoding::Utf8 => floor_boundary(text, start.saturating_add(wanted).min(end)),
            PositionEncoding::Utf16 if self.units.is_empty() => start.saturating_add(wanted).min(end),
            PositionEncoding::Utf16 => {
                self.offset_of_unit(text, self.units_before(text, start) + wanted, start, end)
            }
        }
    }

    /// Returns the range of a span.
    pub fn range_of(&self, text: &str, span: Span, encoding: PositionEncoding) -> Range {
        let position = |offset: u32| self.position_at(text, offset as usize, encoding);
        Range { start: position(span.start), end: position(span.end) }
    }

    /// Returns the byte offset of a unit of the text, between two offsets in its line.
    fn offset_of_unit(&self, text: &str, unit: usize, start: usize, end: usize) -> usize {
        let stride = self.units.partition_point(|units| *units as usize <= unit).max(1) - 1;
        let mut at = floor_boundary(text, (stride * STRIDE).clamp(start, end));
        let mut units = self.units_before(text, at);
        for char in text.get(at..end).unwrap_or_default().chars() {
            units += char.len_utf16();
            if units > unit {
                break;
            }
            at += char.len_utf8();
        }
        at
    }

    /// Returns the number of units before a byte offset.
    fn units_before(&self, text: &str, offset: usize) -> usize {
        if self.units.is_empty() {
            return offset;
        }
        let stride = (offset / STRIDE).min(self.units.len() - 1);
        let rest = text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default();
        self.units.get(stride).map_or(0, |units| *units as usize) + count_units(rest)
    }
}

/// The number of units of UTF-16 of the characters that begin in some bytes of UTF-8.
fn count_units(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| usize::from(byte & 0xc0 != 0x80) + usize::from(*byte >= 0xf0)).sum()
}

/// The greatest character boundary at or before an offset.
fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::PositionEncoding::{Utf8, Utf16};
    use super::*;

    #[test]
    fn positions_and_offsets_are_inverse_far_into_a_long_line() {
        let text = format!("k: x\r\n{}\rlast 𝒳é", "aé𝒳".repeat(2000));
        let lines = LineIndex::from_text(&text);
        for (offset, _) in text.char_indices().filter(|(_, char)| *char != '\n') {
            for encoding in [Utf8, Utf16] {
                let position = lines.position_at(&text, offset, encoding);
                assert_eq!(lines.offset_at(&text, position, encoding), offset, "{position:?} {encoding:?}");
            }
        }
    }

    #[test]
    fn positions_within_a_character_are_before_it() {
        let text = "a𝒳b";
        let lines = LineIndex::from_text(text);
        let offset = |character, encoding| lines.offset_at(text, Position { line: 0, character }, encoding);
        assert_eq!([0, 1, 2, 3, 4].map(|at| offset(at, Utf16)), [0, 1, 1, 5, 6]);
        assert_eq!([0, 1, 2, 4, 5].map(|at| offset(at, Utf8)), [0, 1, 1, 1, 5]);
        assert_eq!(offset(u32::MAX, Utf16), 6);
    }
}
