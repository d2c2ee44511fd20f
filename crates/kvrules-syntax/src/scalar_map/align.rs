//! Lines up a scalar's text with how it is written.
//!
//! The YAML parser gives the text and the place of a scalar, but not which byte came from where. Here the source
//! is cut into pieces, line by line, of which each yields a known bit of text; then the pieces are laid against
//! the text that the parser gave. Only line breaks and the blanks of folding may lie between them. If anything
//! else does, the map is coarse: every place inside is then the whole scalar, and none is wrong.

use super::{ScalarMap, Segment};
use crate::{NodeStyle, offset::to_offset};

/// A bit of source that yields a bit of text.
struct SourcePiece<'t> {
    at: usize,
    len: usize,
    text: PieceText<'t>,
}

enum PieceText<'t> {
    Same(&'t str),
    Char(char),
}

/// The map of a scalar whose source is `source`, which begins at `base` in the file and yields `text`.
///
/// `source` holds the quotation marks of a quoted scalar, and whole lines of a block scalar, without its header.
pub(crate) fn map_scalar(source: &str, base: u32, style: NodeStyle, text: &str) -> ScalarMap {
    let segments = match style {
        NodeStyle::Literal => align_literal(source, text),
        NodeStyle::Plain => align_lines(lines(source, 0, 0).map(|line| vec![trimmed(line)]), text),
        NodeStyle::Folded => align_lines(lines(source, 0, indentation(source)).map(|line| vec![line]), text),
        NodeStyle::Single => {
            align_lines(lines(inside(source), 1, 0).map(|line| quotes(&trimmed(line))), text)
        }
        NodeStyle::Double => align_lines(double_quoted(inside(source)).into_iter(), text),
    };
    let Some(mut segments) = segments else { return ScalarMap::Coarse(base, base + to_offset(source.len())) };
    for segment in &mut segments {
        segment.file += base;
    }
    ScalarMap::Exact(segments)
}

/// Each line of a literal block ends with the line of text that it yields.
fn align_literal(source: &str, text: &str) -> Option<Vec<Segment>> {
    let mut segments = Vec::new();
    let mut source_at = 0;
    let mut text_at = 0;
    let mut source_lines = split_lines(source);
    for line in text.split_inclusive('\n') {
        let Some(written) = source_lines.next() else {
            // The span of the scalar does not include the line breaks that `+` keeps after the last line.
            let kept = text.get(text_at..)?;
            return (!segments.is_empty() && kept.trim_matches('\n').is_empty()).then_some(segments);
        };
        let (content, bare) = (line.trim_end_matches('\n'), written.trim_end_matches(['\n', '\r']));
        let skip = bare.strip_suffix(content)?.len();
        segments.push(Segment {
            text: to_offset(text_at),
            file: to_offset(source_at + skip),
            len: to_offset(written.len() - skip),
        });
        source_at += written.len();
        text_at += line.len();
    }
    (!segments.is_empty()).then_some(segments)
}

/// Lays the pieces of each line against the text.
fn align_lines<'t>(lines: impl Iterator<Item = Vec<SourcePiece<'t>>>, text: &str) -> Option<Vec<Segment>> {
    let mut segments = Vec::new();
    let mut at = 0;
    for line in lines {
        let mut line_begins = true;
        let mut escape_end = None;
        for piece in &line {
            let mut buffer = [0; 4];
            let wanted = match piece.text {
                PieceText::Same(same) => same,
                PieceText::Char(c) => c.encode_utf8(&mut buffer),
            };
            if wanted.is_empty() {
                continue;
            }
            while line_begins && !text.get(at..)?.starts_with(wanted) {
                at += text.get(at..)?.starts_with([' ', '\n']).then_some(1)?;
            }
            line_begins = false;
            text.get(at..)?.strip_prefix(wanted)?;
            segments.push(Segment {
                text: to_offset(at),
                file: to_offset(piece.at),
                len: to_offset(piece.len),
            });
            at += wanted.len();
            escape_end = matches!(piece.text, PieceText::Char(_)).then_some(piece.at + piece.len);
        }
        // An escape is longer than its result, so its end needs a segment if nothing follows on the line.
        segments.extend(escape_end.map(|end| Segment { text: to_offset(at), file: to_offset(end), len: 0 }));
    }
    let rest = text.get(at..)?;
    (!segments.is_empty() && rest.trim_matches([' ', '\n']).is_empty()).then_some(segments)
}

/// Lines with their breaks, which in YAML are LF, CR LF, and CR.
fn split_lines(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = source;
    std::iter::from_fn(move || {
        let at = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let breaks = if rest.get(at..)?.starts_with("\r\n") { 2 } else { 1 };
        let (line, after) = rest.split_at_checked((at + breaks).min(rest.len()))?;
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

/// Returns the text between the quotation marks.
fn inside(source: &str) -> &str {
    source.get(1..source.len().saturating_sub(1)).unwrap_or_default()
}

/// The lines of a source, the first of which is at `at`, as pieces without their line breaks and indentation.
fn lines(source: &str, mut at: usize, indent: usize) -> impl Iterator<Item = SourcePiece<'_>> {
    split_lines(source).map(move |line| {
        let bare = line.trim_end_matches(['\n', '\r']);
        let skip = leading_blanks(bare).min(indent);
        let content = bare.get(skip..).unwrap_or_default();
        let piece = SourcePiece { at: at + skip, len: content.len(), text: PieceText::Same(content) };
        at += line.len();
        piece
    })
}

/// The indentation of a folded block: the least of any line with content.
fn indentation(source: &str) -> usize {
    let lines = split_lines(source).filter(|line| !line.trim().is_empty());
    lines.map(leading_blanks).min().unwrap_or(0)
}

fn leading_blanks(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn trimmed(piece: SourcePiece<'_>) -> SourcePiece<'_> {
    let PieceText::Same(text) = piece.text else { return piece };
    let rest = text.trim_start_matches([' ', '\t']);
    let at = piece.at + text.len() - rest.len();
    let rest = rest.trim_end_matches([' ', '\t']);
    SourcePiece { at, len: rest.len(), text: PieceText::Same(rest) }
}

/// Cuts a line of a single-quoted scalar at each `''`.
fn quotes<'t>(piece: &SourcePiece<'t>) -> Vec<SourcePiece<'t>> {
    let PieceText::Same(text) = piece.text else { return Vec::new() };
    let mut pieces = Vec::new();
    let mut at = piece.at;
    for (number, part) in text.split("''").enumerate() {
        if number > 0 {
            pieces.push(SourcePiece { at, len: 2, text: PieceText::Char('\'') });
            at += 2;
        }
        pieces.push(SourcePiece { at, len: part.len(), text: PieceText::Same(part) });
        at += part.len();
    }
    pieces
}

/// Cuts a double-quoted scalar into lines of plain runs and escapes.
fn double_quoted(source: &str) -> Vec<Vec<SourcePiece<'_>>> {
    let mut all = Vec::new();
    let mut at = 1;
    for line in split_lines(source) {
        all.push(escapes(line.trim_end_matches(['\n', '\r']), at));
        at += line.len();
    }
    all
}

fn escapes(line: &str, at: usize) -> Vec<SourcePiece<'_>> {
    let start = line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut pieces = Vec::new();
    let mut from = start;
    let mut next = start;
    while let Some(found) = line.get(next..).and_then(|rest| rest.find('\\')) {
        let escape = next + found;
        let Some((c, len)) = escape_at(line.get(escape + 1..).unwrap_or_default()) else { break };
        let run = line.get(from..escape).unwrap_or_default();
        pieces.push(SourcePiece { at: at + from, len: run.len(), text: PieceText::Same(run) });
        pieces.push(SourcePiece { at: at + escape, len: 1 + len, text: PieceText::Char(c) });
        (from, next) = (escape + 1 + len, escape + 1 + len);
    }
    // A backslash at the end of the line joins it to the next and yields nothing.
    let rest = line.get(from..).unwrap_or_default();
    let rest = rest.strip_suffix('\\').unwrap_or_else(|| rest.trim_end_matches([' ', '\t']));
    pieces.push(SourcePiece { at: at + from, len: rest.len(), text: PieceText::Same(rest) });
    pieces
}

/// The character that an escape yields, and how many bytes follow its backslash.
fn escape_at(rest: &str) -> Option<(char, usize)> {
    let letter = rest.chars().next()?;
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let code = u32::from_str_radix(rest.get(1..=digits)?, 16).ok()?;
        return match char::from_u32(code) {
            Some(c) => Some((c, 1 + digits)),
            None => surrogate_pair(code, rest.get(5..)?),
        };
    }
    let c = match letter {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        ' ' | '"' | '/' | '\\' => letter,
        _ => return None,
    };
    Some((c, letter.len_utf8()))
}

/// The character of a UTF-16 pair, as JSON writes those beyond the basic plane.
fn surrogate_pair(high: u32, rest: &str) -> Option<(char, usize)> {
    let low = u32::from_str_radix(rest.strip_prefix("\\u")?.get(..4)?, 16).ok()?;
    let units = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    let c = char::decode_utf16(units).next()?.ok()?;
    Some((c, 11))
}
