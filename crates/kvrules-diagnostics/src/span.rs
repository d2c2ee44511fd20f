//! Byte ranges in source files.

/// Names one file of a [`Sources`](crate::Sources).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A range of bytes in one file, `start` up to but without `end`.
///
/// Offsets are 32 bits wide: a source file may have at most 4 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// A span over `start..end` of `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end: end.max(start) }
    }

    /// The first byte of this one, for what may be long.
    #[must_use]
    pub fn first_byte(self) -> Self {
        Self { end: self.end.min(self.start + 1), ..self }
    }

    /// The empty span at the start of this one.
    #[must_use]
    pub fn at_start(self) -> Self {
        Self { end: self.start, ..self }
    }

    /// The empty span just past the end of this one.
    #[must_use]
    pub fn at_end(self) -> Self {
        Self { start: self.end, ..self }
    }

    /// The smallest span that covers this one and `other` (of the same file).
    #[must_use]
    pub fn cover_with(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
    }

    /// The range as `usize`s, for slicing a text.
    pub fn to_range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}
