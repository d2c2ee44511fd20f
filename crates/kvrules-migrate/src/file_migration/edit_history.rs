//! From places in a text on the way back to places in the file as it was.

use kvrules_diagnostics::{Diagnostic, Edit, Span};
use similar::{DiffTag, TextDiff};

/// The edits that led to the text, step by step.
#[derive(Debug, Default)]
pub(super) struct EditHistory {
    steps: Vec<Vec<ReplacedStretch>>,
}

/// A stretch and what took its place, in bytes.
#[derive(Clone, Copy, Debug)]
struct ReplacedStretch {
    start: usize,
    old: usize,
    new: usize,
}

impl EditHistory {
    pub(super) fn push_edits(&mut self, edits: &[Edit]) {
        let mut moved: Vec<_> = edits
            .iter()
            .map(|edit| ReplacedStretch {
                start: edit.span.start as usize,
                old: edit.span.to_range().len(),
                new: edit.replacement.len(),
            })
            .collect();
        moved.sort_by_key(|moved| moved.start);
        self.steps.push(moved);
    }

    /// A step of which only the texts are known: lines that both have did not move.
    pub(super) fn push_difference(&mut self, old: &str, new: &str) {
        // Split here, because the library may split lines at other characters as well.
        let before: Vec<&str> = old.split_inclusive('\n').collect();
        let after: Vec<&str> = new.split_inclusive('\n').collect();
        let sum = |lines: &[&str], range: std::ops::Range<usize>| {
            lines.get(range).unwrap_or_default().iter().map(|line| line.len()).sum()
        };
        let difference = TextDiff::from_slices(&before, &after);
        let changed = difference.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
        let moved = changed.map(|op| ReplacedStretch {
            start: sum(&before, 0..op.old_range().start),
            old: sum(&before, op.old_range()),
            new: sum(&after, op.new_range()),
        });
        self.steps.push(moved.collect());
    }

    /// The place in the file as it was; the start of a stretch for all that came into it.
    pub(super) fn original_offset(&self, at: u32) -> u32 {
        let at = self.steps.iter().rev().fold(at as usize, |at, step| undo_step(step, at));
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    pub(super) fn original_diagnostic(&self, mut found: Diagnostic) -> Diagnostic {
        found.primary.span = self.span(found.primary.span);
        found.secondary.iter_mut().for_each(|label| label.span = self.span(label.span));
        found.fix = None;
        found
    }

    fn span(&self, span: Span) -> Span {
        let start = self.original_offset(span.start);
        Span { start, end: self.original_offset(span.end).max(start), ..span }
    }
}

fn undo_step(step: &[ReplacedStretch], at: usize) -> usize {
    let (mut grown, mut shrunk) = (0, 0);
    for moved in step {
        let start = moved.start + grown - shrunk;
        if at < start {
            break;
        }
        if at < start + moved.new {
            return moved.start;
        }
        grown += moved.new;
        shrunk += moved.old;
    }
    at + shrunk - grown
}

#[cfg(test)]
mod tests {
    use super::*;
    use kvrules_diagnostics::FileId;

    #[test]
    fn places_behind_edits_are_found_again() {
        let edit = |start, end, text: &str| Edit {
            span: Span::new(FileId(0), start, end),
            replacement: text.to_owned(),
        };
        let mut back = EditHistory::default();
        back.push_edits(&[edit(2, 4, ""), edit(6, 6, "xyz")]);
        // 0123456789 becomes 01 45 xyz 6789.
        let places: Vec<_> = [0, 2, 3, 4, 6, 7, 8].map(|at| back.original_offset(at)).into();
        assert_eq!(places, [0, 4, 5, 6, 6, 6, 7]);
    }

    #[test]
    fn lines_that_two_texts_share_keep_their_places() {
        let mut back = EditHistory::default();
        back.push_difference("one\ntwo\nthree\n", "one\nzwei und mehr\nthree\n");
        assert_eq!([0, 4, 6, 18, 20].map(|at| back.original_offset(at)), [0, 4, 4, 8, 10]);
        let mut back = EditHistory::default();
        back.push_difference("a\r\rb\nc\n", "a\r\rb, b\nc\n");
        assert_eq!(back.original_offset(8), 5);
    }
}
