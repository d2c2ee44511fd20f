//! The parts of reStructuredText that occur in descriptions and messages: paragraphs, lists, literal blocks,
//! quotes, admonitions, tables, headings, and within them emphasis, literals and links.
//!
//! Any other markup (substitutions, footnotes, other directives and roles) is text as it is written, so that nothing is
//! lost and a reader sees what was not understood.

mod directive;
mod inline;
mod lines;
mod list;
mod table;

use super::Block;
use crate::prose::Prose;
use inline::{LinkTargets, parse_inline};
use lines::{dedent_lines, indent_of, indented_end, is_blank};

/// Blocks deeper than this are text. Reading them takes a stack as deep.
const DEEPEST: usize = 20;

/// An author's text as blocks.
pub(super) fn parse_blocks(text: &str) -> Vec<Block> {
    let lines = lines::split_lines(text);
    let targets = LinkTargets::of(&lines);
    RestReader { targets: &targets, depth: 0 }.read_blocks(&lines)
}

/// Reads lines whose common indentation is taken away.
#[derive(Clone, Copy)]
pub(super) struct RestReader<'a> {
    targets: &'a LinkTargets,
    depth: usize,
}

impl RestReader<'_> {
    /// Parses nested lines.
    fn inner(self, lines: &[String]) -> Vec<Block> {
        let inner = RestReader { depth: self.depth + 1, ..self };
        if inner.depth > DEEPEST {
            vec![Block::Paragraph(lines.join(" ").as_str().into())]
        } else {
            inner.read_blocks(lines)
        }
    }

    fn prose(self, text: &str) -> Prose {
        parse_inline(text, self.targets)
    }

    fn read_blocks(self, lines: &[String]) -> Vec<Block> {
        let mut found = Vec::new();
        let mut rest = lines;
        while let Some(first) = rest.first() {
            if is_blank(first) || LinkTargets::is_target(first) {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let (blocks, used) = self.next(rest);
            found.extend(blocks);
            rest = rest.get(used.max(1)..).unwrap_or_default();
        }
        found
    }

    /// Parses the blocks that the lines begin with; returns them and the number of lines.
    fn next(self, lines: &[String]) -> (Vec<Block>, usize) {
        let first = lines.first().map(String::as_str).unwrap_or_default();
        if indent_of(first) > 0 {
            let end = indented_end(lines, 0);
            let body = dedent_lines(lines.get(..end).unwrap_or_default());
            return (vec![Block::Quote(self.inner(&body))], end);
        }
        let block = directive::read_explicit_markup(self, lines)
            .or_else(|| list::read_list(self, lines))
            .or_else(|| table::read_table(self.targets, lines))
            .or_else(|| read_doctest(lines))
            .or_else(|| self.heading(lines));
        block.map_or_else(|| self.paragraph(lines), |(block, used)| (vec![block], used))
    }

    /// A heading is strong text, since a page has headings of its own.
    fn heading(self, lines: &[String]) -> Option<(Block, usize)> {
        let (title, under) = (lines.first()?, lines.get(1)?);
        let is_heading = lines::is_rule(under) && under.chars().count() >= title.chars().count().min(4);
        let plain = self.prose(title).to_plain();
        (is_heading && !lines::is_rule(title)).then(|| (Block::Paragraph(Prose::default().strong(&plain)), 2))
    }

    /// Lines up to a blank one, with the literal block that `::` at their end announces.
    fn paragraph(self, lines: &[String]) -> (Vec<Block>, usize) {
        let end = lines.iter().position(|line| is_blank(line)).unwrap_or(lines.len());
        let own = lines.get(..end).unwrap_or_default();
        let is_term = own.len() > 1 && own.iter().skip(1).all(|line| indent_of(line) > 0);
        if is_term {
            return self.definition(lines);
        }
        let words: Vec<&str> = own.iter().map(|line| line.trim()).collect();
        let text = words.join(" ");
        let Some(before) = text.strip_suffix("::").filter(|before| !before.ends_with('\\')) else {
            return (vec![Block::Paragraph(self.prose(&text))], end);
        };
        let body_end = end + indented_end(lines.get(end..).unwrap_or_default(), 0);
        let body = dedent_lines(lines.get(end..body_end).unwrap_or_default());
        if body.iter().all(|line| is_blank(line)) {
            return (vec![Block::Paragraph(self.prose(&text))], end);
        }
        let wording = if before.is_empty() || before.ends_with(' ') {
            before.trim_end().to_owned()
        } else {
            format!("{before}:")
        };
        let wording = (!wording.is_empty()).then(|| Block::Paragraph(self.prose(&wording)));
        (wording.into_iter().chain([Block::Code(lines::join_code(&body))]).collect(), body_end)
    }

    /// A term, and what it means below it.
    fn definition(self, lines: &[String]) -> (Vec<Block>, usize) {
        let end = 1 + indented_end(lines.get(1..).unwrap_or_default(), 0);
        let term = lines.first().map(String::as_str).unwrap_or_default();
        let body = dedent_lines(lines.get(1..end).unwrap_or_default());
        (vec![Block::Paragraph(self.prose(term)), Block::Quote(self.inner(&body))], end)
    }
}

/// Python at its prompt.
fn read_doctest(lines: &[String]) -> Option<(Block, usize)> {
    lines.first().filter(|line| line.starts_with(">>> "))?;
    let end = lines.iter().position(|line| is_blank(line)).unwrap_or(lines.len());
    Some((Block::Code(lines::join_code(lines.get(..end)?)), end))
}
