//! Texts of authors for readers, parsed as blocks: Markdown or reStructuredText if declared, else plain words.

mod comment;
mod markdown;
mod restructuredtext;

pub(crate) use comment::parse_comment;

use crate::prose::Prose;

/// Markup of messages and descriptions by authors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthorNotation {
    /// As words without markup, which is what an API server shows.
    #[default]
    Plain,
    /// As Markdown: CommonMark with tables, strikethrough and GitHub's alerts. HTML in it is text.
    Markdown,
    /// As reStructuredText: emphasis, literals, links, lists, tables, code, quotes and admonitions. What needs more is text, as
    /// it is written.
    ReStructuredText,
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
    /// A quotation.
    Quote(Vec<Block>),
    /// An admonition for the reader: `note`, `tip`, `important`, `warning`, `caution`.
    Admonition { kind: &'static str, body: Vec<Block> },
}

/// An author's text as blocks.
pub(crate) fn parse_blocks(text: &str, notation: AuthorNotation) -> Vec<Block> {
    match notation {
        AuthorNotation::Markdown => markdown::parse_blocks(text),
        AuthorNotation::ReStructuredText => restructuredtext::parse_blocks(text),
        AuthorNotation::Plain => vec![Block::Paragraph(text.into())],
    }
}

/// Blocks without markup.
pub(crate) fn to_plain_text(blocks: &[Block]) -> String {
    let wording = blocks.iter().map(|block| match block {
        Block::Paragraph(prose) => prose.to_plain(),
        Block::List { items, .. } => {
            items.iter().map(|item| format!("- {}", to_plain_text(item))).collect::<Vec<_>>().join("\n")
        }
        Block::Code(code) => code.clone(),
        Block::Table(rows) => {
            let row = |row: &Vec<Prose>| row.iter().map(Prose::to_plain).collect::<Vec<_>>().join(" | ");
            rows.iter().map(row).collect::<Vec<_>>().join("\n")
        }
        Block::Quote(body) | Block::Admonition { body, .. } => to_plain_text(body),
    });
    wording.collect::<Vec<_>>().join("\n\n")
}

/// True if there is anything to read in a block.
pub(crate) fn has_words(block: &Block) -> bool {
    let is_expressed = |text: &str| !crate::prose::one_line(text).trim().is_empty();
    match block {
        Block::Paragraph(prose) => is_expressed(&prose.to_plain()),
        Block::List { items, .. } => items.iter().flatten().any(has_words),
        Block::Code(code) => is_expressed(code),
        Block::Table(rows) => rows.iter().flatten().any(|cell| is_expressed(&cell.to_plain())),
        Block::Quote(body) | Block::Admonition { body, .. } => body.iter().any(has_words),
    }
}

/// True if a link leads to a page and runs nothing.
fn is_harmless(url: &str) -> bool {
    let scheme =
        url.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| !scheme.contains(['/', '?', '#']));
    let is_known =
        |scheme: &str| ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    !url.is_empty()
        && !url.contains(|c: char| c.is_control() || c.is_whitespace())
        && scheme.is_none_or(is_known)
}
