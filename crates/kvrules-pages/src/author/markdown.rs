//! Markdown: CommonMark with tables, strikethrough and GitHub's alerts.

use pulldown_cmark::{BlockQuoteKind, Event, Options, Parser, Tag, TagEnd};

use super::{Block, is_harmless};
use crate::prose::Prose;

/// An author's text as blocks.
pub(super) fn parse_blocks(text: &str) -> Vec<Block> {
    if is_too_deep(text) {
        return vec![Block::Paragraph(text.into())];
    }
    MarkdownReader::default().read_blocks(&mut markdown_parser(text))
}

fn markdown_parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_GFM)
}

/// True if blocks stand in blocks deeper than a person writes them. Reading them takes a stack as deep.
fn is_too_deep(text: &str) -> bool {
    const DEEPEST: usize = 40;
    let mut depth = 0_usize;
    markdown_parser(text).any(|event| {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

/// Puts blocks together from the events of a parser. What has no place in them becomes text, so that nothing is lost.
#[derive(Default)]
struct MarkdownReader {
    /// The text that is being read.
    line: Prose,
    emphasis: usize,
    strong: usize,
    links: Vec<String>,
}

impl MarkdownReader {
    /// Everything up to the end of the block around.
    fn read_blocks(mut self, events: &mut Parser<'_>) -> Vec<Block> {
        let mut blocks = Vec::new();
        while let Some(event) = events.next() {
            match event {
                Event::Start(tag) if opens_block(&tag) => {
                    self.flush(&mut blocks);
                    blocks.extend(read_block(&tag, events));
                }
                Event::End(end) if closes_block(end) => break,
                event => self.inline(event),
            }
        }
        self.flush(&mut blocks);
        blocks
    }

    fn flush(&mut self, blocks: &mut Vec<Block>) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            blocks.push(Block::Paragraph(line));
        }
    }

    fn inline(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::Emphasis) => self.emphasis += 1,
            Event::End(TagEnd::Emphasis) => self.emphasis = self.emphasis.saturating_sub(1),
            Event::Start(Tag::Strong) => self.strong += 1,
            Event::End(TagEnd::Strong) => self.strong = self.strong.saturating_sub(1),
            Event::Start(Tag::Link { dest_url, .. }) => self.links.push(dest_url.into_string()),
            Event::End(TagEnd::Link) => _ = self.links.pop(),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(code) => self.line = std::mem::take(&mut self.line).code(code.into_string()),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let line = std::mem::take(&mut self.line);
        self.line = match self.links.last() {
            Some(url) if is_harmless(url) => line.link(text, url),
            _ if self.strong > 0 => line.strong(text),
            _ if self.emphasis > 0 => line.emphasis(text),
            _ => line.text(text),
        };
    }

    /// Running text up to the end of what holds it.
    fn running(mut self, events: &mut Parser<'_>) -> Prose {
        for event in events {
            match event {
                Event::End(
                    TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::TableCell | TagEnd::HtmlBlock,
                ) => break,
                event => self.inline(event),
            }
        }
        self.line
    }
}

fn opens_block(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Paragraph
            | Tag::Heading { .. }
            | Tag::BlockQuote(_)
            | Tag::CodeBlock(_)
            | Tag::HtmlBlock
            | Tag::List(_)
            | Tag::Table(_)
    )
}

fn closes_block(end: TagEnd) -> bool {
    matches!(end, TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::List(_))
}

fn read_block(tag: &Tag<'_>, events: &mut Parser<'_>) -> Option<Block> {
    match tag {
        // A page has headings of its own.
        Tag::Heading { .. } => {
            Some(Block::Paragraph(MarkdownReader { strong: 1, ..MarkdownReader::default() }.running(events)))
        }
        Tag::BlockQuote(kind) => {
            let body = MarkdownReader::default().read_blocks(events);
            Some(match kind {
                Some(kind) => Block::Admonition { kind: admonition_title(*kind), body },
                None => Block::Quote(body),
            })
        }
        Tag::CodeBlock(_) => Some(Block::Code(read_code(events))),
        Tag::List(start) => Some(Block::List { start: *start, items: read_items(events) }),
        Tag::Table(_) => Some(Block::Table(read_rows(events))),
        _ => Some(MarkdownReader::default().running(events))
            .filter(|prose| !prose.is_empty())
            .map(Block::Paragraph),
    }
}

fn admonition_title(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "note",
        BlockQuoteKind::Tip => "tip",
        BlockQuoteKind::Important => "important",
        BlockQuoteKind::Warning => "warning",
        BlockQuoteKind::Caution => "caution",
    }
}

fn read_code(events: &mut Parser<'_>) -> String {
    let mut code = String::new();
    for event in events {
        match event {
            Event::Text(text) => code.push_str(&text),
            Event::End(TagEnd::CodeBlock) => break,
            _ => {}
        }
    }
    code.trim_end_matches('\n').to_owned()
}

fn read_items(events: &mut Parser<'_>) -> Vec<Vec<Block>> {
    let mut items = Vec::new();
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::Item) => items.push(MarkdownReader::default().read_blocks(events)),
            Event::End(TagEnd::List(_)) => break,
            _ => {}
        }
    }
    items
}

fn read_rows(events: &mut Parser<'_>) -> Vec<Vec<Prose>> {
    let mut rows: Vec<Vec<Prose>> = Vec::new();
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => {
                let cell = MarkdownReader::default().running(events);
                if let Some(row) = rows.last_mut() {
                    row.push(cell);
                }
            }
            Event::End(TagEnd::Table) => break,
            _ => {}
        }
    }
    rows
}
