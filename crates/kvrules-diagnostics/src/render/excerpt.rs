//! The few lines of a source that a finding's labels are on.
//!
//! A label becomes a [`ExcerptMark`]; marks of one file that stand near each other share an [`Excerpt`], whose text is
//! small whatever the size of the file. Offsets are carried over to that text.

use std::ops::Range;

use super::cut::{CutLine, cut_line};
use super::source_location::{fit_span, position_at};
use crate::{Diagnostic, FileId, Label, Position, SourceFile, Sources};

/// Marks that are more lines apart get an excerpt each.
const FAR: usize = 100;
/// A label over more lines is shown on its first line alone.
const TALL: usize = 100;

/// Some consecutive lines of one file, and what to mark on them.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    /// The file's name.
    pub(super) file: &'a str,
    /// Position of the first mark in the file; for the primary label's excerpt, that of the label.
    pub(super) position: Position,
    /// The number of the first line, counted from 1.
    pub(super) first_line: usize,
    /// The lines, each ending with a line break.
    pub(super) text: String,
    /// Ranges to mark.
    pub(super) marks: Vec<ExcerptMark<'a>>,
}

impl Excerpt<'_> {
    fn has_primary(&self) -> bool {
        self.marks.iter().any(|mark| mark.primary)
    }
}

/// A label, as bytes of a text.
#[derive(Clone, Debug)]
pub(super) struct ExcerptMark<'a> {
    /// The words to say.
    pub(super) label: &'a str,
    /// True if this is where the finding is.
    pub(super) primary: bool,
    /// Marked range: of the file's text at first, of the excerpt's at last.
    pub(super) range: Range<usize>,
    file: FileId,
    /// First and last line touched.
    lines: (usize, usize),
}

/// The excerpts for one finding, the one with its primary label first.
pub(super) fn build_excerpts<'a>(
    diagnostic: &'a Diagnostic,
    sources: &'a Sources,
    width: usize,
) -> Vec<Excerpt<'a>> {
    let primary = label_mark(&diagnostic.primary, true, sources);
    let secondary = diagnostic.secondary.iter().filter_map(|label| label_mark(label, false, sources));
    let mut marks: Vec<_> = primary.into_iter().chain(secondary).collect();
    marks.sort_by_key(|mark| (mark.file, mark.range.start));
    let near = |left: &ExcerptMark<'_>, right: &ExcerptMark<'_>| {
        left.file == right.file && right.lines.0.saturating_sub(left.lines.1) <= FAR
    };
    let groups = marks.chunk_by(near);
    let mut excerpts: Vec<_> = groups.filter_map(|marks| build_excerpt(marks, sources, width)).collect();
    excerpts.sort_by_key(|excerpt| !excerpt.has_primary());
    excerpts
}

/// The mark for `label`, unless its file is unknown.
fn label_mark<'a>(label: &'a Label, primary: bool, sources: &'a Sources) -> Option<ExcerptMark<'a>> {
    let file = sources.get(label.span.file)?;
    let Range { start, end } = fit_span(label.span, file);
    let mut shown = without_last_break(file.text().get(start..end).unwrap_or_default());
    let mut breaks = shown.bytes().filter(|byte| *byte == b'\n').take(TALL + 1).count();
    if breaks > TALL {
        shown = shown.lines().next().unwrap_or_default();
        breaks = 0;
    }
    let line = position_at(file, start).line as usize;
    let range = start..start + shown.len();
    Some(ExcerptMark { label: &label.text, primary, range, file: file.id(), lines: (line, line + breaks) })
}

/// `marked` without the line break at its end and the blanks about it.
///
/// A block scalar ends after its last line break; carets under the next line would mislead.
fn without_last_break(marked: &str) -> &str {
    let trimmed = marked.trim_end_matches(['\n', '\r', ' ']);
    let has_break = marked.get(trimmed.len()..).is_some_and(|tail| tail.contains('\n'));
    match (has_break, trimmed.is_empty()) {
        (false, _) => marked,
        (true, false) => trimmed,
        (true, true) => marked.lines().next().unwrap_or_default(),
    }
}

/// The excerpt for `marks`, which are of one file and in order.
fn build_excerpt<'a>(marks: &[ExcerptMark<'a>], sources: &'a Sources, width: usize) -> Option<Excerpt<'a>> {
    let first = marks.first()?;
    let file = sources.get(first.file)?;
    let last_line = marks.iter().map(|mark| mark.lines.1).max()?;
    let lead = marks.iter().find(|mark| mark.primary).unwrap_or(first);
    let position = position_at(file, lead.range.start);
    let (text, marks) = cut_lines(file, marks, first.lines.0..=last_line, width);
    Some(Excerpt { file: file.name(), position, first_line: first.lines.0, text, marks })
}

/// The text of the lines in `numbers`, each cut, and the marks carried over to it.
fn cut_lines<'a>(
    file: &SourceFile,
    marks: &[ExcerptMark<'a>],
    numbers: std::ops::RangeInclusive<usize>,
    width: usize,
) -> (String, Vec<ExcerptMark<'a>>) {
    let mut carried = marks.to_vec();
    let mut text = String::new();
    let mut start = marks.first().map_or(0, |mark| line_start(file.text(), mark.range.start));
    for number in numbers {
        let rest = file.text().get(start..).unwrap_or_default();
        let whole = rest.split('\n').next().unwrap_or_default();
        let line = ExcerptLine::new(number, start, whole);
        let cut = cut_line(line.text, &line.focus(marks), width);
        for (mark, carried) in marks.iter().zip(&mut carried) {
            line.carry(mark, &cut, text.len(), &mut carried.range);
        }
        text.push_str(&cut.text);
        text.push('\n');
        start += whole.len() + 1;
    }
    (text, carried)
}

/// One line of the file.
struct ExcerptLine<'a> {
    number: usize,
    /// Start of `text` in the file.
    start: usize,
    /// The line without its break, and without a byte-order mark, which is not part of it to a reader.
    text: &'a str,
}

impl<'a> ExcerptLine<'a> {
    fn new(number: usize, start: usize, whole: &'a str) -> Self {
        let text = if start == 0 { whole.trim_start_matches('\u{feff}') } else { whole };
        let start = start + whole.len() - text.len();
        Self { number, start, text: text.trim_end_matches('\r') }
    }

    /// An offset in the file as an offset in this line.
    fn within(&self, offset: usize) -> usize {
        offset.saturating_sub(self.start).min(self.text.len())
    }

    /// Returns the ranges that must stay visible: marks on this line, and the ends of those that begin or end here.
    fn focus(&self, marks: &[ExcerptMark<'_>]) -> Vec<Range<usize>> {
        let touching = marks.iter().filter_map(|mark| {
            let (start, end) = (self.within(mark.range.start), self.within(mark.range.end));
            match (mark.lines.0 == self.number, mark.lines.1 == self.number) {
                (true, true) => Some(start..end),
                (true, false) => Some(start..start),
                (false, true) => Some(end..end),
                (false, false) => None,
            }
        });
        touching.collect()
    }

    /// Sets the ends of `carried` that `mark` has on this line, which begins at `base` in the new text.
    fn carry(&self, mark: &ExcerptMark<'_>, cut: &CutLine, base: usize, carried: &mut Range<usize>) {
        if mark.lines.0 == self.number {
            carried.start = base + cut.carry_offset(self.within(mark.range.start));
        }
        if mark.lines.1 == self.number {
            carried.end = base + cut.carry_offset(self.within(mark.range.end));
        }
    }
}

/// Returns the start of the line that contains `offset`.
fn line_start(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or_default().rfind('\n').map_or(0, |at| at + 1)
}
