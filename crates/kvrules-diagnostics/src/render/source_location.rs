//! Location of a span: the file's name, and both ends as people count them.

use crate::{Position, SourceFile, Sources, Span};

/// One end of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineColumn {
    /// Line and column.
    pub(super) position: Position,
    /// Byte offset, never past the end of the text.
    pub(super) offset: usize,
}

/// A span that lies in a known file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceLocation<'a> {
    /// The file's name as shown to the user.
    pub(super) file: &'a str,
    /// The first character.
    pub(super) start: LineColumn,
    /// Just past the last character.
    pub(super) end: LineColumn,
}

impl<'a> SourceLocation<'a> {
    /// The place of `span`, unless its file is unknown.
    pub(super) fn from_span(span: Span, sources: &'a Sources) -> Option<Self> {
        let file = sources.get(span.file)?;
        let range = fit_span(span, file);
        let point = |offset| LineColumn { position: position_at(file, offset), offset };
        Some(Self { file: file.name(), start: point(range.start), end: point(range.end) })
    }
}

/// The range of `span` moved, where need be, onto character boundaries inside the text.
pub(super) fn fit_span(span: Span, file: &SourceFile) -> std::ops::Range<usize> {
    let text = file.text();
    let floor = |offset: u32| {
        let offset = (offset as usize).min(text.len());
        // A character has at most four bytes, and 0 is always a boundary.
        (offset.saturating_sub(3)..=offset).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    };
    let start = floor(span.start);
    start..floor(span.end).max(start)
}

/// Line and column of an offset that `fit_span` gave.
pub(super) fn position_at(file: &SourceFile, offset: usize) -> Position {
    file.position_at(u32::try_from(offset).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[test]
    fn a_span_outside_the_text_is_moved_to_its_end() {
        let mut sources = Sources::default();
        let file = sources.add_file("a", "é\n");
        let place = SourceLocation::from_span(Span::new(file, 1, 99), &sources).unwrap();
        assert_eq!((place.start.offset, place.end.offset), (0, 3));
        assert_eq!(place.end.position, Position { line: 2, column: 1 });
    }

    #[test]
    fn a_span_written_backwards_is_empty() {
        let mut sources = Sources::default();
        let file = sources.add_file("a", "abc");
        let place = SourceLocation::from_span(Span { file, start: 2, end: 1 }, &sources).unwrap();
        assert_eq!((place.start.offset, place.end.offset), (2, 2));
    }

    #[test]
    fn an_unknown_file_has_no_place() {
        assert_eq!(SourceLocation::from_span(Span::new(FileId(3), 0, 0), &Sources::default()), None);
    }
}
