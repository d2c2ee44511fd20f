//! Fenced examples in Markdown, parsed in place.

use std::{borrow::Cow, ops::Range};

use kvrules_diagnostics::FileId;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::{DocumentStream, offset::to_offset, stream::parse_part};

/// A fenced block of a Markdown text, or an example in reStructuredText.
#[derive(Clone, Debug)]
pub struct FencedBlock<'s> {
    /// The first word behind the fence, such as `yaml`; empty if missing.
    pub language: &'s str,
    /// The bytes of the content in the file, from the start of its first line.
    pub range: Range<usize>,
    /// The content. Where the block is indented or quoted, what stands before its lines is blanked, so that no
    /// byte moves.
    pub(crate) text: Cow<'s, str>,
}

impl FencedBlock<'_> {
    /// Reads the block; all positions are the file's own.
    pub fn parse(&self, file: FileId) -> DocumentStream<'_> {
        parse_part(file, &self.text, to_offset(self.range.start))
    }
}

/// All fenced blocks of a Markdown text in their order.
pub fn find_fenced_blocks(text: &str) -> Vec<FencedBlock<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Vec<Range<usize>>)> = None;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                open = Some((language(text.get(range).unwrap_or_default()), Vec::new()));
            }
            Event::Text(_) => {
                if let Some((_, lines)) = &mut open {
                    lines.push(range);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                blocks.extend(open.take().and_then(|(language, lines)| fenced_block(text, language, &lines)));
            }
            _ => {}
        }
    }
    blocks
}

fn language(fenced: &str) -> &str {
    let first = fenced.lines().next().unwrap_or_default().trim_start_matches(['`', '~', ' ']);
    first.split([' ', ',', '{']).next().unwrap_or_default().trim()
}

fn fenced_block<'s>(text: &'s str, language: &'s str, lines: &[Range<usize>]) -> Option<FencedBlock<'s>> {
    let (first, last) = (lines.first()?, lines.last()?);
    let start = text.get(..first.start)?.rfind('\n').map_or(0, |at| at + 1);
    let range = start..last.end;
    let source = text.get(range.clone())?;
    let gaps = gaps(start, lines);
    let blank = |gap: &Range<usize>| text.get(gap.clone()).is_some_and(|gap| gap.trim().is_empty());
    let text =
        if gaps.iter().all(blank) { Cow::Borrowed(source) } else { mask_gaps(source, start, &gaps).into() };
    Some(FencedBlock { language, range, text })
}

/// Returns the gaps between the lines of a block: the prefixes of quotations and lists.
fn gaps(start: usize, lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut at = start;
    let mut gaps = Vec::new();
    for line in lines {
        if line.start > at {
            gaps.push(at..line.start);
        }
        at = line.end;
    }
    gaps
}

fn mask_gaps(source: &str, start: usize, gaps: &[Range<usize>]) -> String {
    let mut bytes = source.as_bytes().to_vec();
    for gap in gaps {
        let gap = gap.start - start..gap.end - start;
        for byte in bytes.get_mut(gap).into_iter().flatten().filter(|byte| !byte.is_ascii_whitespace()) {
            *byte = b' ';
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| source.to_owned())
}
