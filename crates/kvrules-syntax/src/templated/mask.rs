//! Overwrites tags so that YAML can be read around them, without moving a byte.

use std::ops::Range;

use super::{
    Region, RegionKind,
    blocks::BlockArms,
    lexer::{Tag, TagRole},
    scan::{BlockScan, ScanContext},
};

/// A tag, or a condition on one line.
#[derive(Clone, Debug)]
struct MaskedPiece {
    range: Range<usize>,
    what: MaskKind,
    /// Start of the part that it ends, or one of whose alternatives it ends.
    ends: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MaskKind {
    /// A text, of which nothing is known.
    Output,
    /// Nothing itself; what is around it is open.
    Control,
    /// Nothing at all.
    Silent,
}

/// The shortest placeholder.
const SHORTEST: usize = "${_}".len();

/// The text with all tags overwritten, and what was there. It has the same length, and every line begins where it did.
pub(crate) fn mask_tags(text: &str, tags: &[Tag], blocks: &BlockArms) -> Option<(String, Vec<Region>)> {
    let pieces = tag_pieces(text, tags, blocks);
    let mut masker =
        Masker { text, masked: text.as_bytes().to_vec(), scan: BlockScan::default(), regions: Vec::new() };
    let (mut at, mut next) = (0, 0);
    while at < text.len() {
        let mut end = line_end(text, at);
        let first = next;
        // A tag that spans several lines joins them into one.
        while let Some(piece) = pieces.get(next).filter(|piece| piece.range.start < end) {
            next += 1;
            if piece.range.end > end {
                end = line_end(text, piece.range.end);
            }
        }
        masker.line(at..end, pieces.get(first..next).unwrap_or_default());
        at = end + 1;
    }
    let Masker { masked, mut regions, .. } = masker;
    find_blanks(&masked, &mut regions);
    Some((String::from_utf8(masked).ok()?, regions))
}

/// The text with the tags in its scalars overwritten, and what was there. Only values are replaced by placeholders; other tags
/// become blanks.
pub(crate) fn mask_in_place(
    text: &str,
    tags: &[Tag],
    blocks: &BlockArms,
    scalar_at: impl Fn(usize) -> Option<Range<usize>>,
) -> Option<(String, Vec<Region>)> {
    let begins_scalar = |at: usize| {
        let start = scalar_at(at).map_or(at, |scalar| scalar.start);
        text.get(start..at).is_none_or(|before| before.trim().is_empty())
    };
    let mut masker =
        Masker { text, masked: text.as_bytes().to_vec(), scan: BlockScan::default(), regions: Vec::new() };
    for piece in tag_pieces(text, tags, blocks) {
        let start = text.get(..piece.range.start)?.rfind('\n').map_or(0, |at| at + 1);
        let line = start..line_end(text, piece.range.end);
        let alone = is_alone(text, &line, std::slice::from_ref(&piece));
        let kind = match piece.what {
            MaskKind::Silent => masker.blank(&piece.range, RegionKind::Nothing),
            MaskKind::Control => masker.blank(&piece.range, RegionKind::Structure),
            // A line of its own may become any number of lines.
            MaskKind::Output if alone && !begins_scalar(piece.range.start) => {
                masker.blank(&piece.range, RegionKind::Structure)
            }
            MaskKind::Output => masker.mask_value(&piece.range),
        };
        masker.region(&piece, kind, &line);
    }
    let Masker { masked, mut regions, .. } = masker;
    find_blanks(&masked, &mut regions);
    Some((String::from_utf8(masked).ok()?, regions))
}

fn line_end(text: &str, from: usize) -> usize {
    text.get(from..).and_then(|rest| rest.find('\n')).map_or(text.len(), |len| from + len)
}

/// The tags, with a condition that begins and ends on one line as one piece.
fn tag_pieces(text: &str, tags: &[Tag], blocks: &BlockArms) -> Vec<MaskedPiece> {
    let mut closing = vec![None; tags.len()];
    for (open, close) in &blocks.pairs {
        if let Some(place) = closing.get_mut(*open) {
            *place = tags.get(*close).map(|tag| (*close, tag.range.end));
        }
    }
    let mut pieces = Vec::new();
    let (mut next, mut end) = (0, 0);
    while let Some(tag) = tags.get(next) {
        if tag.range.start >= end {
            end = line_end(text, tag.range.start);
        }
        let close = closing.get(next).copied().flatten().filter(|(_, close)| *close <= end);
        let (last, range) =
            close.map_or((next, tag.range.clone()), |(last, end)| (last, tag.range.start..end));
        let what =
            if last > next { condition_mask_kind(text, tags.get(next..=last)) } else { mask_kind(tag.role) };
        let opening = blocks.endings.binary_search_by_key(&next, |(ending, _)| *ending).ok();
        let opening =
            opening.and_then(|at| blocks.endings.get(at)).and_then(|(_, opening)| tags.get(*opening));
        pieces.push(MaskedPiece { range, what, ends: opening.map(|tag| tag.range.start) });
        next = last + 1;
    }
    pieces
}

fn mask_kind(role: TagRole) -> MaskKind {
    match role {
        TagRole::Output => MaskKind::Output,
        TagRole::Silent => MaskKind::Silent,
        TagRole::Open | TagRole::Middle | TagRole::Close | TagRole::Unclosed => MaskKind::Control,
    }
}

/// A condition on one line chooses between values, unless what it holds separates values.
fn condition_mask_kind(text: &str, tags: Option<&[Tag]>) -> MaskKind {
    let mut between = tags.unwrap_or_default().windows(2).filter_map(|pair| match pair {
        [one, other] => text.get(one.range.end..other.range.start),
        _ => None,
    });
    if between.any(|text| text.contains(',') || text.contains(": ")) {
        MaskKind::Control
    } else {
        MaskKind::Output
    }
}

struct Masker<'t> {
    text: &'t str,
    masked: Vec<u8>,
    scan: BlockScan,
    regions: Vec<Region>,
}

impl Masker<'_> {
    /// Masks the pieces of one line, or of the lines that a tag joins.
    fn line(&mut self, line: Range<usize>, pieces: &[MaskedPiece]) {
        let Some(text) = self.text.get(line.clone()) else { return };
        if pieces.is_empty() {
            self.scan.begin_line(text);
            self.scan.text(text);
            self.scan.end_line(text);
        } else if is_alone(self.text, &line, pieces) {
            self.mask_lone_tags(&line, pieces);
        } else {
            self.mask_inline_tags(&line, pieces);
        }
    }

    /// Masks a line that holds tags and nothing else.
    fn mask_lone_tags(&mut self, line: &Range<usize>, pieces: &[MaskedPiece]) {
        let puts_text = pieces.iter().any(|piece| piece.what == MaskKind::Output);
        let column = pieces.first().map_or(0, |piece| piece.range.start - line.start);
        if puts_text && self.scan.begins_content(column) {
            return self.mask_inline_tags(line, pieces);
        }
        self.fill(line.clone(), b'\n');
        let shifted = if puts_text { self.mask_indented_block(line) } else { false };
        for piece in pieces {
            let kind = match piece.what {
                MaskKind::Silent => RegionKind::Nothing,
                MaskKind::Output if shifted => RegionKind::Value,
                MaskKind::Output | MaskKind::Control => RegionKind::Structure,
            };
            self.region(piece, kind, line);
        }
    }

    /// Puts a placeholder where a block scalar begins whose content an expression indents by itself.
    fn mask_indented_block(&mut self, line: &Range<usize>) -> bool {
        let Some(indent) = self.scan.indent_of_new_block() else { return false };
        let end = line_end(self.text, line.start).min(line.end);
        if end < line.start + indent + SHORTEST {
            return false;
        }
        for byte in self.masked.get_mut(line.start..line.start + indent).into_iter().flatten() {
            *byte = b' ';
        }
        self.placeholder(line.start + indent..end, [b"${", b"}"]);
        self.scan.content(indent);
        true
    }

    /// Masks tags that have other text on their line.
    fn mask_inline_tags(&mut self, line: &Range<usize>, pieces: &[MaskedPiece]) {
        let Some(text) = self.text.get(line.clone()) else { return };
        self.scan.begin_line(text);
        let mut at = line.start;
        for piece in pieces {
            self.scan.text(self.text.get(at..piece.range.start).unwrap_or_default());
            let kind = match piece.what {
                MaskKind::Output => self.mask_value(&piece.range),
                MaskKind::Control => self.blank(&piece.range, RegionKind::Structure),
                MaskKind::Silent => self.blank(&piece.range, RegionKind::Nothing),
            };
            self.region(piece, kind, line);
            at = piece.range.end;
        }
        self.scan.text(self.text.get(at..line.end).unwrap_or_default());
        self.scan.end_line(text);
    }

    /// Puts a placeholder in the place of an expression.
    fn mask_value(&mut self, range: &Range<usize>) -> RegionKind {
        let first = self.first_line_end(range);
        if first < range.start + SHORTEST {
            return self.blank(range, RegionKind::Structure);
        }
        self.blank(range, RegionKind::Value);
        let context = self.scan.value();
        // In flow style, the bracket of `${…}` would end the value around it.
        let (marks, kind) = match context {
            ScanContext::Flow => ([b"\"".as_slice(), b"\""], RegionKind::Structure),
            ScanContext::Text => ([b"${".as_slice(), b"}"], RegionKind::Value),
        };
        self.placeholder(range.start..first, marks);
        kind
    }

    fn placeholder(&mut self, range: Range<usize>, [open, close]: [&[u8]; 2]) {
        let names = range.len().saturating_sub(open.len() + close.len());
        let filled = open.iter().chain(std::iter::repeat_n(&b'_', names)).chain(close);
        for (byte, filled) in self.masked.get_mut(range).into_iter().flatten().zip(filled) {
            *byte = *filled;
        }
    }

    /// Blanks a tag; the lines inside it become empty ones.
    fn blank(&mut self, range: &Range<usize>, kind: RegionKind) -> RegionKind {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let last = text.rfind('\n').map_or(range.start, |at| range.start + at + 1);
        let first = self.first_line_end(range);
        self.fill(range.start..first, b' ');
        self.fill(first..last, b'\n');
        self.fill(last..range.end, b' ');
        kind
    }

    /// Returns the end of the first line of a tag.
    fn first_line_end(&self, range: &Range<usize>) -> usize {
        let text = self.text.get(range.clone()).unwrap_or_default();
        range.start + text.find('\n').unwrap_or(text.len())
    }

    fn fill(&mut self, range: Range<usize>, with: u8) {
        for byte in self.masked.get_mut(range).into_iter().flatten().filter(|byte| **byte != b'\n') {
            *byte = with;
        }
    }

    fn region(&mut self, piece: &MaskedPiece, kind: RegionKind, line: &Range<usize>) {
        let MaskedPiece { range, ends, .. } = piece.clone();
        self.regions.push(Region { from: range.start, range, kind, ends, lines: line.clone(), scope: None });
    }
}

fn is_alone(text: &str, line: &Range<usize>, pieces: &[MaskedPiece]) -> bool {
    let blank = |range: Range<usize>| text.get(range).is_none_or(|text| text.trim().is_empty());
    let starts = std::iter::once(line.start).chain(pieces.iter().map(|piece| piece.range.end));
    let ends = pieces.iter().map(|piece| piece.range.start).chain(std::iter::once(line.end));
    starts.zip(ends).all(|(start, end)| blank(start..end))
}

/// Notes for each region where the blank bytes before it begin.
fn find_blanks(masked: &[u8], regions: &mut [Region]) {
    let (mut at, mut from) = (0, 0);
    for region in regions {
        while at < region.range.start {
            let byte = masked.get(at).copied().unwrap_or(b' ');
            at += 1;
            if !byte.is_ascii_whitespace() {
                from = at;
            }
        }
        region.from = from;
    }
}
