//! What authors write for readers, read as blocks: as Markdown where it is declared to be, else as plain words.

use pulldown_cmark::{BlockQuoteKind, Event, Options, Parser, Tag, TagEnd};

use crate::prose::Prose;

/// How authors write messages and descriptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// As words without markup, which is what an API server shows.
    #[default]
    Plain,
    /// As Markdown: CommonMark with tables, strikethrough and GitHub's alerts. HTML in it is text.
    Markdown,
}

/// A block of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Running text.
    Paragraph(Prose),
    /// Items, numbered from here or with bullets.
    List { start: Option<u64>, items: Vec<Vec<Block>> },
    /// Code over several lines.
    Code(String),
    /// Rows of cells, the first of them the head.
    Table(Vec<Vec<Prose>>),
    /// What somebody else said.
    Quote(Vec<Block>),
    /// What a reader should mind: `note`, `tip`, `important`, `warning`, `caution`.
    Admonition { kind: &'static str, body: Vec<Block> },
}

/// An author's text as blocks.
pub(crate) fn blocks(text: &str, notation: Notation) -> Vec<Block> {
    match notation {
        Notation::Markdown if !is_too_deep(text) => Reader::default().blocks(&mut parser(text)),
        _ => vec![Block::Paragraph(text.into())],
    }
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_GFM)
}

/// Whether blocks stand in blocks deeper than a person writes them. Reading them takes a stack as deep.
fn is_too_deep(text: &str) -> bool {
    const DEEPEST: usize = 40;
    let mut depth = 0_usize;
    parser(text).any(|event| {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

/// Blocks without markup.
pub(crate) fn plain(blocks: &[Block]) -> String {
    let said = blocks.iter().map(|block| match block {
        Block::Paragraph(prose) => prose.to_plain(),
        Block::List { items, .. } => {
            items.iter().map(|item| format!("- {}", plain(item))).collect::<Vec<_>>().join("\n")
        }
        Block::Code(code) => code.clone(),
        Block::Table(rows) => {
            let row = |row: &Vec<Prose>| row.iter().map(Prose::to_plain).collect::<Vec<_>>().join(" | ");
            rows.iter().map(row).collect::<Vec<_>>().join("\n")
        }
        Block::Quote(body) | Block::Admonition { body, .. } => plain(body),
    });
    said.collect::<Vec<_>>().join("\n\n")
}

/// Whether there is anything to read in a block.
pub(crate) fn has_words(block: &Block) -> bool {
    let is_said = |text: &str| !crate::prose::one_line(text).trim().is_empty();
    match block {
        Block::Paragraph(prose) => is_said(&prose.to_plain()),
        Block::List { items, .. } => items.iter().flatten().any(has_words),
        Block::Code(code) => is_said(code),
        Block::Table(rows) => rows.iter().flatten().any(|cell| is_said(&cell.to_plain())),
        Block::Quote(body) | Block::Admonition { body, .. } => body.iter().any(has_words),
    }
}

/// Puts blocks together from the events of a parser. What has no place in them becomes text, so that nothing is lost.
#[derive(Default)]
struct Reader {
    /// The text that is being read.
    line: Prose,
    emphasis: usize,
    strong: usize,
    links: Vec<String>,
}

impl Reader {
    /// Everything up to the end of the block around.
    fn blocks(mut self, events: &mut Parser<'_>) -> Vec<Block> {
        let mut blocks = Vec::new();
        while let Some(event) = events.next() {
            match event {
                Event::Start(tag) if opens_block(&tag) => {
                    self.flush(&mut blocks);
                    blocks.extend(block(&tag, events));
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

fn block(tag: &Tag<'_>, events: &mut Parser<'_>) -> Option<Block> {
    match tag {
        // A page has headings of its own.
        Tag::Heading { .. } => {
            Some(Block::Paragraph(Reader { strong: 1, ..Reader::default() }.running(events)))
        }
        Tag::BlockQuote(kind) => {
            let body = Reader::default().blocks(events);
            Some(match kind {
                Some(kind) => Block::Admonition { kind: word(*kind), body },
                None => Block::Quote(body),
            })
        }
        Tag::CodeBlock(_) => Some(Block::Code(code(events))),
        Tag::List(start) => Some(Block::List { start: *start, items: items(events) }),
        Tag::Table(_) => Some(Block::Table(rows(events))),
        _ => Some(Reader::default().running(events)).filter(|prose| !prose.is_empty()).map(Block::Paragraph),
    }
}

fn word(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "note",
        BlockQuoteKind::Tip => "tip",
        BlockQuoteKind::Important => "important",
        BlockQuoteKind::Warning => "warning",
        BlockQuoteKind::Caution => "caution",
    }
}

fn code(events: &mut Parser<'_>) -> String {
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

fn items(events: &mut Parser<'_>) -> Vec<Vec<Block>> {
    let mut items = Vec::new();
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::Item) => items.push(Reader::default().blocks(events)),
            Event::End(TagEnd::List(_)) => break,
            _ => {}
        }
    }
    items
}

fn rows(events: &mut Parser<'_>) -> Vec<Vec<Prose>> {
    let mut rows: Vec<Vec<Prose>> = Vec::new();
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => {
                let cell = Reader::default().running(events);
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

/// Whether a link leads to a page and runs nothing.
fn is_harmless(url: &str) -> bool {
    let scheme =
        url.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| !scheme.contains(['/', '?', '#']));
    let is_known =
        |scheme: &str| ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    !url.is_empty()
        && !url.contains(|c: char| c.is_control() || c.is_whitespace())
        && scheme.is_none_or(is_known)
}
