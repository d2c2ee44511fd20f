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
    /// Number of bytes of the run in the file; an escape takes more than it yields.
    pub len: u32,
}

/// A map from text to file.
#[derive(Clone, Debug)]
pub(crate) enum ScalarMap {
    /// Segments that ascend in text and file.
    Exact(Vec<Segment>),
    /// Fallback if no closer location is known: the whole scalar, from its start to its end in the file.
    Coarse(u32, u32),
}

impl ScalarMap {
    /// The map of a text that is in the file unchanged, from offset `base`.
    pub(crate) fn with_base(base: u32) -> Self {
        Self::Exact(vec![Segment { text: 0, file: base, len: u32::MAX }])
    }

    /// The file offset of the character at `offset`.
    pub(crate) fn to_file(&self, offset: u32) -> u32 {
        match self {
            Self::Exact(segments) => {
                locate_offset(segments, segments.partition_point(|segment| segment.text <= offset), offset)
            }
            Self::Coarse(start, _) => *start,
        }
    }

    /// The file offset just past the character that ends at `offset`.
    pub(crate) fn end_to_file(&self, offset: u32) -> u32 {
        match self {
            Self::Exact(segments) => {
                let at = segments.partition_point(|segment| segment.text < offset);
                let next_begins = segments.get(at).is_some_and(|next| next.text == offset);
                let before = at.checked_sub(1).and_then(|at| segments.get(at)).filter(|_| next_begins);
                before
                    .map_or_else(|| locate_offset(segments, at, offset), |segment| segment.file + segment.len)
            }
            Self::Coarse(_, end) => *end,
        }
    }
}

/// Places an offset by the segment before index `at`.
fn locate_offset(segments: &[Segment], at: usize, offset: u32) -> u32 {
    let Some(segment) = segments.get(at.saturating_sub(1)) else { return 0 };
    segment.file.saturating_add(offset.saturating_sub(segment.text).min(segment.len))
}
