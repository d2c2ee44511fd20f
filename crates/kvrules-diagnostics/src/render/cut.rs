//! Long lines, cut to what matters on them.
//!
//! A JSON document of a megabyte on one line is common in annotations. Only some columns around each label are
//! kept, `...` stands for what is left out, and offsets in the line can be carried over to the cut line. The
//! work is bounded by the width, not by the line.

use std::ops::Range;

/// Mark for the part left out.
const GAP: &str = "...";
/// The least number of columns that a label gets, however many share the line.
const LEAST: usize = 16;

/// A line after cutting.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CutLine {
    /// Text to show.
    pub(super) text: String,
    /// Each kept range of the line and where it begins in `text`.
    kept: Vec<(Range<usize>, usize)>,
}

impl CutLine {
    /// Carries an offset in the line over to the cut line; one that was left out goes to the nearest before it.
    pub(super) fn carry_offset(&self, offset: usize) -> usize {
        let before = self.kept.iter().rev().find(|(kept, _)| kept.start <= offset);
        before.map_or(0, |(kept, at)| at + offset.min(kept.end) - kept.start)
    }
}

/// Cuts `line` to about `width` columns around the ranges in `focus`, which lie on character boundaries.
///
/// Both ends of each range are kept; the middle of a long one may go.
pub(super) fn cut_line(line: &str, focus: &[Range<usize>], width: usize) -> CutLine {
    let (end, _) = advance(line, 0, width);
    if end == line.len() {
        return join_pieces(line, std::iter::once(0..end));
    }
    let share = (width / focus.len().max(1)).max(LEAST);
    let mut pieces: Vec<_> = focus.iter().flat_map(|range| split_ends(line, range, share)).collect();
    if pieces.is_empty() {
        pieces.push(0..0);
    }
    // Labels near each other share their surroundings, which leaves columns for a second round.
    let once = widen_pieces(line, &merge_pieces(pieces), width);
    join_pieces(line, widen_pieces(line, &once, width))
}

/// The pieces widened until together they take about `width` columns.
fn widen_pieces(line: &str, pieces: &[Range<usize>], width: usize) -> Vec<Range<usize>> {
    let used: usize = pieces.iter().map(|piece| width_of(line, piece)).sum();
    let extra = width.saturating_sub(used) / pieces.len().max(1);
    merge_pieces(pieces.iter().map(|piece| widen_piece(line, piece, extra)).collect())
}

/// The range itself when it is short, else its beginning and its end.
fn split_ends(line: &str, range: &Range<usize>, share: usize) -> Vec<Range<usize>> {
    let (head, _) = advance(line, range.start, share / 2);
    let (tail, _) = retreat(line, range.end, share / 6);
    if head >= tail { vec![range.clone()] } else { vec![range.start..head, tail..range.end] }
}

/// `piece` with `extra` more columns about it, as many before as after unless the line ends sooner.
fn widen_piece(line: &str, piece: &Range<usize>, extra: usize) -> Range<usize> {
    let (start, before) = retreat(line, piece.start, extra / 2);
    let (end, after) = advance(line, piece.end, extra - before);
    let (start, _) = retreat(line, start, (extra - before).saturating_sub(after));
    start..end
}

/// Pieces in order, those that touch or almost touch made one.
fn merge_pieces(mut pieces: Vec<Range<usize>>) -> Vec<Range<usize>> {
    pieces.sort_by_key(|piece| (piece.start, piece.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if piece.start <= last.end + GAP.len() => last.end = last.end.max(piece.end),
            _ => merged.push(piece),
        }
    }
    merged
}

/// The cut line made of `pieces`, which are in order and apart.
fn join_pieces(line: &str, pieces: impl IntoIterator<Item = Range<usize>>) -> CutLine {
    let mut text = String::new();
    let mut kept = Vec::new();
    let mut end = 0;
    for piece in pieces {
        if piece.start > end {
            text.push_str(GAP);
        }
        end = piece.end;
        let at = text.len();
        text.push_str(line.get(piece.clone()).unwrap_or_default());
        kept.push((piece, at));
    }
    if end < line.len() {
        text.push_str(GAP);
    }
    CutLine { text, kept }
}

/// The offset up to `width` columns after `from`, and the columns walked.
fn advance(line: &str, from: usize, width: usize) -> (usize, usize) {
    let (bytes, walked) = walk(line.get(from..).unwrap_or_default().chars(), width);
    (from + bytes, walked)
}

/// The offset up to `width` columns before `from`, and the columns walked.
fn retreat(line: &str, from: usize, width: usize) -> (usize, usize) {
    let (bytes, walked) = walk(line.get(..from).unwrap_or_default().chars().rev(), width);
    (from - bytes, walked)
}

/// The columns of `piece`.
fn width_of(line: &str, piece: &Range<usize>) -> usize {
    line.get(piece.clone()).unwrap_or_default().chars().map(columns).sum()
}

fn walk(characters: impl Iterator<Item = char>, width: usize) -> (usize, usize) {
    let mut walked = (0, 0);
    for character in characters {
        let columns = walked.1 + columns(character);
        if columns > width {
            break;
        }
        walked = (walked.0 + character.len_utf8(), columns);
    }
    walked
}

/// Returns the number of columns of a character, near enough to decide where to cut.
fn columns(character: char) -> usize {
    match character {
        '\t' => 4,
        '\u{1100}'.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_fits_is_kept() {
        let cut = cut_line("abc", std::slice::from_ref(&(1..2)), 10);
        assert_eq!((cut.text.as_str(), cut.carry_offset(1), cut.carry_offset(3)), ("abc", 1, 3));
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides_of_the_label() {
        let line = format!("{}MARK{}", "a".repeat(1000), "b".repeat(1000));
        let cut = cut_line(&line, std::slice::from_ref(&(1000..1004)), 20);
        assert_eq!(cut.text, "...aaaaaaaaMARKbbbbbbbb...");
        assert_eq!((cut.carry_offset(1000), cut.carry_offset(1004)), (11, 15));
    }

    #[test]
    fn columns_not_needed_before_a_label_go_after_it() {
        let cut = cut_line(&"x".repeat(1000), std::slice::from_ref(&(2..4)), 20);
        assert_eq!(cut.text, format!("{}...", "x".repeat(20)));
    }

    #[test]
    fn columns_not_needed_after_a_label_go_before_it() {
        let cut = cut_line(&"x".repeat(1000), std::slice::from_ref(&(998..1000)), 20);
        assert_eq!(cut.text, format!("...{}", "x".repeat(20)));
        assert_eq!(cut.carry_offset(1000), 23);
    }

    #[test]
    fn the_middle_of_a_long_label_goes() {
        let line = format!("<{}>", "y".repeat(1_000_000));
        let cut = cut_line(&line, std::slice::from_ref(&(0..line.len())), 60);
        assert!(cut.text.len() < 80, "{}", cut.text);
        assert!(cut.text.starts_with("<yy") && cut.text.ends_with("yy>") && cut.text.contains("y...y"));
        assert_eq!((cut.carry_offset(0), cut.carry_offset(line.len())), (0, cut.text.len()));
    }

    #[test]
    fn two_far_labels_are_both_kept() {
        let line = format!("one{}two{}", "-".repeat(500), "-".repeat(500));
        let cut = cut_line(&line, &[0..3, 503..506], 60);
        assert!(cut.text.starts_with("one") && cut.text.contains("-...-") && cut.text.ends_with("-..."));
        assert_eq!(cut.text.get(cut.carry_offset(503)..cut.carry_offset(506)), Some("two"));
    }

    #[test]
    fn wide_characters_are_never_split() {
        let line = "名".repeat(500);
        let cut = cut_line(&line, std::slice::from_ref(&(300..303)), 21);
        assert_eq!(cut.text.chars().filter(|character| *character == '名').count(), 10);
    }
}
