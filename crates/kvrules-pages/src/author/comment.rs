//! Descriptions as comments in source code have them: paragraphs, lists with dashes, indented lines, and of Markdown what most
//! readers know: code between backticks, strong words and fenced lines. Addresses of web pages are links. Everything else is text.

use super::{Block, is_harmless};
use crate::prose::{Prose, one_line};

/// A line with this indentation, or with a tab, is shown as it is.
// The convention of Go, from whose comments most schemas are generated.
const INDENT: &str = "    ";

/// A description as blocks.
pub(crate) fn parse_comment(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut rest = lines.as_slice();
    while let Some(fence) = find_fence(rest) {
        add_blocks(rest.get(..fence.start).unwrap_or_default(), &mut blocks);
        let code = rest.get(fence.start + 1..fence.end).unwrap_or_default();
        blocks.push(Block::Code(without_indent(code)));
        rest = rest.get(fence.end + 1..).unwrap_or_default();
    }
    add_blocks(rest, &mut blocks);
    blocks
}

/// The lines of the first fence and of the one that closes it.
fn find_fence(lines: &[&str]) -> Option<std::ops::Range<usize>> {
    let is_open = |line: &&str| {
        let name = line.trim().strip_prefix("```");
        name.is_some_and(|name| name.chars().all(|char| char.is_ascii_alphanumeric()))
    };
    let start = lines.iter().position(is_open)?;
    let below = lines.get(start + 1..)?;
    let end = below.iter().position(|line| line.trim() == "```")?;
    let has_words = below.iter().take(end).any(|line| !line.trim().is_empty());
    has_words.then_some(start..start + 1 + end)
}

/// Adds lines without fences.
fn add_blocks(lines: &[&str], blocks: &mut Vec<Block>) {
    for paragraph in lines.split(|line| line.trim().is_empty()).filter(|lines| !lines.is_empty()) {
        let follows_list = matches!(blocks.last(), Some(Block::List { .. }));
        if !follows_list && paragraph.iter().all(|line| is_indented(line)) {
            add_code(paragraph, blocks);
        } else {
            add_paragraph(paragraph, blocks);
        }
    }
}

fn is_indented(line: &str) -> bool {
    (line.starts_with(INDENT) || line.starts_with('\t')) && list_item(line).is_none()
}

/// Lines without the indentation that all of them have.
fn without_indent(lines: &[&str]) -> String {
    let width = |line: &&str| line.len() - line.trim_start().len();
    let indent = lines.iter().filter(|line| !line.trim().is_empty()).map(width).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or_default()).collect();
    lines.join("\n")
}

fn add_code(lines: &[&str], blocks: &mut Vec<Block>) {
    let code = without_indent(lines);
    match blocks.last_mut() {
        Some(Block::Code(before)) => {
            before.push_str("\n\n");
            before.push_str(&code);
        }
        _ => blocks.push(Block::Code(code)),
    }
}

fn add_paragraph(lines: &[&str], blocks: &mut Vec<Block>) {
    let (mut words, mut items): (Vec<&str>, Vec<Vec<&str>>) = (Vec::new(), Vec::new());
    for line in lines {
        match (list_item(line), items.last_mut()) {
            (Some(item), _) => items.push(vec![item]),
            (None, Some(item)) => item.push(line.trim()),
            (None, None) => words.push(line.trim()),
        }
    }
    let paragraph = |words: Vec<&str>| Block::Paragraph(inline_prose(&words.join(" ")));
    if !words.is_empty() {
        blocks.push(paragraph(words));
    }
    let more = items.into_iter().map(|words| vec![paragraph(words)]);
    match blocks.last_mut() {
        Some(Block::List { items, .. }) => items.extend(more),
        _ if more.len() > 0 => blocks.push(Block::List { start: None, items: more.collect() }),
        _ => {}
    }
}

/// Running text, with code between backticks and words between two stars.
fn inline_prose(text: &str) -> Prose {
    let mut prose = Prose::default();
    let mut rest = text;
    while let Some(start) = rest.find(['`', '*']) {
        let (before, marked) = rest.split_at(start);
        let char = if marked.starts_with('*') { '*' } else { '`' };
        let mark = marked.get(..marked.len() - marked.trim_start_matches(char).len()).unwrap_or_default();
        let found = marked_words(marked, mark);
        prose = add_words(prose, before);
        prose = match found {
            Some((words, _)) if mark == "**" => prose.strong(words),
            Some((code, _)) => prose.code(one_line(code)),
            None => prose.text(mark),
        };
        rest = found.map_or_else(|| marked.get(mark.len()..).unwrap_or_default(), |(_, rest)| rest);
    }
    add_words(prose, rest)
}

/// Adds words, in which addresses of web pages are links.
fn add_words(mut prose: Prose, text: &str) -> Prose {
    let mut rest = text;
    while let Some((before, address, after)) = split_at_address(rest) {
        prose = prose.text(before).link(address, address);
        rest = after;
    }
    prose.text(rest)
}

/// The first address of a web page, and what is before and after it.
fn split_at_address(text: &str) -> Option<(&str, &str, &str)> {
    let starts = text.match_indices("http").map(|(start, _)| start);
    let is_word = |text: &str| text.chars().next_back().is_some_and(char::is_alphanumeric);
    let parts = starts.filter_map(|start| text.split_at_checked(start));
    parts.filter(|(before, _)| !is_word(before)).find_map(|(before, rest)| {
        let host = rest.strip_prefix("https://").or_else(|| rest.strip_prefix("http://"))?;
        let is_part = |char: char| char.is_ascii_graphic() && !"<>\"'`()[]{}|\\^*".contains(char);
        let end = host.find(|char| !is_part(char)).unwrap_or(host.len());
        // A full stop behind an address ends the sentence.
        let host = host.get(..end)?.trim_end_matches(['.', ',', ';', ':', '!', '?', '_']);
        let (address, after) = rest.split_at_checked(rest.find("://")? + 3 + host.len())?;
        (!host.is_empty() && is_harmless(address)).then_some((before, address, after))
    })
}

/// The words between a mark and the next one that is equal, and what follows that; `None` if they are neither code nor strong.
fn marked_words<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    if !matches!(mark, "`" | "``" | "**") {
        return None;
    }
    let inner = text.get(mark.len()..)?;
    let (words, rest) = inner.split_once(mark)?;
    let is_whole = !mark.chars().next().is_some_and(|char| rest.starts_with(char))
        && (mark != "**" || !words.contains('`'));
    let words = if mark == "**" { words } else { words.trim() };
    let is_tight = !words.is_empty() && words.trim() == words;
    (is_whole && is_tight).then_some((words, rest))
}

/// The text of a line of a list.
fn list_item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::super::to_plain_text;
    use super::*;

    #[test]
    fn paragraphs_lists_and_indented_lines_are_kept_apart() {
        let text = "One\ntwo.\n\nThree:\n- a\n  b\n* c\n\n- d\n\nLast:\n\n\tx: 1\n\t  y: 2\n\n\tz\n";
        let blocks = parse_comment(text);
        assert!(matches!(blocks[2], Block::List { ref items, .. } if items.len() == 3), "{blocks:?}");
        let plain = "One two.\n\nThree:\n\n- a b\n- c\n- d\n\nLast:\n\nx: 1\n  y: 2\n\nz";
        assert_eq!(to_plain_text(&blocks), plain);
        assert!(parse_comment(" \n\n").is_empty());
    }

    #[test]
    fn addresses_of_web_pages_are_links() {
        let blocks = parse_comment(
            "See https://a.example/b#c. Or (http://d.example), not xhttps://e or https:// or ftp://f.",
        );
        let (first, second) = ("https://a.example/b#c", "http://d.example");
        let prose = Prose::from("See ").link(first, first).text(". Or (").link(second, second);
        assert_eq!(blocks, [Block::Paragraph(prose.text("), not xhttps://e or https:// or ftp://f."))]);
    }

    #[test]
    fn code_strong_words_and_fences_are_read_and_other_marks_are_text() {
        let blocks = parse_comment(
            "Use `a` or ``b c``, **any** of *.x:\n\n```yaml\n  - a:\n\n      b: 1\n```\nLast `one.",
        );
        let prose =
            Prose::from("Use ").code("a").text(" or ").code("b c").text(", ").strong("any").text(" of *.x:");
        assert_eq!(blocks[0], Block::Paragraph(prose));
        assert_eq!(blocks[1], Block::Code("- a:\n\n    b: 1".to_owned()));
        assert_eq!(blocks[2], Block::Paragraph("Last `one.".into()));
        for text in ["** a **", "``` x", "2 ** 3 ** 4", "a `` b", "***x***", "` `", "```\n```"] {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(parse_comment(text), [Block::Paragraph(words.as_str().into())], "{text}");
        }
    }
}
