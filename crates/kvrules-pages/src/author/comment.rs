//! Descriptions without markup, as comments in source code have them: paragraphs, lists with dashes, and indented lines.

use super::Block;

/// A line with this indentation, or with a tab, is shown as it is.
// The convention of Go, from whose comments most schemas are generated.
const INDENT: &str = "    ";

/// A description as blocks.
pub(crate) fn parse_comment(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for paragraph in lines.split(|line| line.trim().is_empty()).filter(|lines| !lines.is_empty()) {
        let follows_list = matches!(blocks.last(), Some(Block::List { .. }));
        if !follows_list && paragraph.iter().all(|line| is_indented(line)) {
            add_code(paragraph, &mut blocks);
        } else {
            add_paragraph(paragraph, &mut blocks);
        }
    }
    blocks
}

fn is_indented(line: &str) -> bool {
    (line.starts_with(INDENT) || line.starts_with('\t')) && list_item(line).is_none()
}

fn add_code(lines: &[&str], blocks: &mut Vec<Block>) {
    let width = |line: &&str| line.len() - line.trim_start().len();
    let indent = lines.iter().map(width).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().filter_map(|line| line.get(indent..)).collect();
    let code = lines.join("\n");
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
    let paragraph = |words: Vec<&str>| Block::Paragraph(words.join(" ").as_str().into());
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
}
