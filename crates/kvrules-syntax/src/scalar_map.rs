//! From offsets in a scalar's text to offsets in the file, through quoting, escapes, indentation and folding.

mod align;

pub(crate) use align::map_scalar;

/// A run of text and where it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Offset in the text.
    pub text: u32,
    /// Offset in the file.
    pub file: u32,
    /// How many bytes of the file the run takes; an escape takes more than it yields.
    pub len: u32,
}

/// A map from text to file, made of segments that ascend in both.
#[derive(Clone, Debug)]
pub(crate) struct ScalarMap {
    segments: Vec<Segment>,
}

impl ScalarMap {
    /// The map of a text that stands in the file as it is, from offset `base`.
    pub(crate) fn shifted(base: u32) -> Self {
        Self { segments: vec![Segment { text: 0, file: base, len: u32::MAX }] }
    }

    pub(crate) fn new(segments: Vec<Segment>) -> Self {
        Self { segments }
    }

    /// The file offset of the character at `offset`.
    pub(crate) fn to_file(&self, offset: u32) -> u32 {
        let at = self.segments.partition_point(|segment| segment.text <= offset);
        self.place(at, offset)
    }

    /// The file offset just past the character that ends at `offset`.
    pub(crate) fn end_to_file(&self, offset: u32) -> u32 {
        let at = self.segments.partition_point(|segment| segment.text < offset);
        if at > 0 && self.segments.get(at).is_some_and(|next| next.text == offset) {
            return self.segments.get(at - 1).map_or(0, |segment| segment.file + segment.len);
        }
        self.place(at, offset)
    }

    /// Places an offset by the segment before index `at`.
    fn place(&self, at: usize, offset: u32) -> u32 {
        let Some(segment) = self.segments.get(at.saturating_sub(1)) else { return 0 };
        segment.file.saturating_add(offset.saturating_sub(segment.text).min(segment.len))
    }
}
