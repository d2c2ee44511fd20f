//! Gaps between two members of an object or a list.

use kvrules_diagnostics::Span;

use crate::Notation;

/// Content of a gap between two members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GapContent {
    /// White space alone.
    Blank,
    /// One of this character, and white space around it.
    Mark(char),
    /// Anything else: a comment, or something that does not belong there.
    Other,
}

/// Looks at a stretch of source between the members of a document in this notation.
pub(super) fn classify_gap(source: &str, notation: Notation) -> GapContent {
    let mut found = GapContent::Blank;
    let mut line_begins = false;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        let blank = match c {
            '\n' => {
                line_begins = true;
                true
            }
            ' ' | '\t' | '\r' => true,
            // Prefix of a Markdown quotation around an example.
            '>' if line_begins => true,
            '\\' if notation.escapes_blanks() => {
                matches!(chars.next(), Some('n' | 't' | 'r' | ' ' | '\n' | '\r'))
            }
            _ => false,
        };
        if blank {
            continue;
        }
        found = match (found, c) {
            (GapContent::Blank, ',' | ':') => GapContent::Mark(c),
            _ => return GapContent::Other,
        };
    }
    found
}

/// Returns the span between two places.
pub(super) fn span_between(one: Span, other: Span) -> Span {
    Span { start: one.end, end: other.start.max(one.end), ..one }
}
