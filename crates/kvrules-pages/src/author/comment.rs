//! Descriptions as comments in source code have them: paragraphs, lists with dashes or numbers, indented lines, and of Markdown what
//! most readers know: code between backticks, strong words, links, headings and fenced lines. Addresses of web pages are links.
//! Everything else is text.

mod inline;
mod list;

use self::list::{ListReader, is_list_item};
use super::Block;
use crate::prose::Prose;

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
    (line.starts_with(INDENT) || line.starts_with('\t')) && !is_list_item(line)
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
    if let [line] = lines
        && let Some(words) = heading_words(line)
    {
        blocks.push(Block::Paragraph(Prose::default().strong(words)));
        return;
    }
    let mut reader = ListReader::new(blocks);
    for line in lines {
        reader.add_line(line);
    }
    reader.finish();
}

/// The words of a heading with several marks. One mark begins comments too, in YAML and in shells.
fn heading_words(line: &str) -> Option<&str> {
    let words = line.trim_start_matches('#');
    let marks = line.len() - words.len();
    let words = words.strip_prefix(' ').map(str::trim)?;
    ((2..=6).contains(&marks) && !words.is_empty() && !words.contains(['`', '*'])).then_some(words)
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

    /// An item of one paragraph.
    fn item(words: &str) -> Vec<Block> {
        vec![Block::Paragraph(words.into())]
    }

    #[test]
    fn numbers_begin_lists_if_they_count_from_1() {
        let text =
            "In order:\n 1. If a,\n    b:\n   - c\n   - d\n     e\n 2. f\n\n3) g\nNote h.\n\n1. i\n- j\n";
        let inner = Block::List { start: None, items: vec![item("c"), item("d e")] };
        let first = [item("If a, b:"), vec![inner]].concat();
        let wanted = [
            Block::Paragraph("In order:".into()),
            Block::List { start: Some(1), items: vec![first, item("f"), item("g")] },
            Block::Paragraph("Note h.".into()),
            Block::List { start: Some(1), items: vec![item("i")] },
            Block::List { start: None, items: vec![item("j")] },
        ];
        assert_eq!(parse_comment(text), wanted);
        for text in
            ["The year\n2. of three", "2. a", "1.5 is more\nthan 1.", "1. \n", "in version\n1234. x", "1.a"]
        {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(parse_comment(text), item(&words), "{text}");
        }
    }

    #[test]
    fn links_to_web_pages_and_headings_are_read() {
        let blocks = parse_comment(
            "## Some rules\n\nSee [the `rules`](x), [a b](https://a.example/b#c), [`d`](mailto:e@f.example).",
        );
        let prose =
            Prose::from("See [the ").code("rules").text("](x), ").link("a b", "https://a.example/b#c");
        let prose = prose.text(", ").link("d", "mailto:e@f.example").text(".");
        assert_eq!(blocks[0], Block::Paragraph(Prose::default().strong("Some rules")));
        assert_eq!(blocks[1], Block::Paragraph(prose));
        for text in [
            "[a](javascript:alert(1))",
            "[a](data:text/html,x)",
            "[a](//b.example)",
            "[a](b)",
            "[](mailto:)",
            "[a] (b)",
            "[[a](",
            "[a](ftp://b.example)",
            "[a](mailto:b c)",
            "[a",
            "a]",
            "![a](b)",
            "# a",
            "##a",
            "####### a",
            "##",
        ] {
            assert_eq!(parse_comment(text), item(text), "{text}");
        }
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
