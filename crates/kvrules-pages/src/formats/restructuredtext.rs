//! reStructuredText for Sphinx and docutils.

use super::restructuredtext_escape as escape;
use super::{Format, encode_address, hanging_indent, split_blanks};
use crate::author::Block;
use crate::prose::{Inline, Prose};

/// reStructuredText.
pub const RESTRUCTUREDTEXT: Format = Format {
    name: "restructuredtext",
    extension: "rst",
    templates: built_in_templates!("restructuredtext", "rst"),
    inline: render_inline,
    blocks: render_blocks,
    heading: render_heading,
    verbatim: literal_block,
    refer: |code, target| format!(":ref:`{} <{target}>`", escape::escape_inside(code)),
    target: |code, _| code.to_owned(),
    picture: None,
    list: super::dashed_list,
    code_block: |code, _| literal_block(code),
    is_folded: false,
    search: false,
    fact_indent: 3,
};

/// The marks below headings, the highest level first.
const MARKS: [&str; 6] = ["=", "-", "~", "^", "\"", "'"];

/// A heading and the line below it, as wide as the heading and never narrower: characters from the Hangul block on may take
/// two columns.
fn render_heading(title: &str, level: usize) -> String {
    let width: usize = title.chars().map(|c| if c >= '\u{1100}' { 2 } else { 1 }).sum();
    let mark = MARKS.get(level.saturating_sub(1)).unwrap_or(&"'");
    format!("{title}\n{}", mark.repeat(width.max(1)))
}

fn render_inline(prose: &Prose) -> String {
    let mut out = String::new();
    let mut after_markup = false;
    for piece in prose.pieces() {
        let (before, wording, after) = match piece {
            Inline::Text(text) => {
                let wording = escape::escape_text(text, out.is_empty());
                if after_markup && !escape::may_follow_code(&wording) {
                    out.push_str("\\ ");
                }
                out.push_str(&wording);
                after_markup = after_markup && wording.is_empty();
                continue;
            }
            Inline::Code(code) => ("", escape::escape_code(code), ""),
            Inline::Emphasis(text) => render_marked(text, "*", "*"),
            Inline::Strong(text) => render_marked(text, "**", "**"),
            Inline::Link { text, url } => {
                let (before, words, after) = split_blanks(text);
                let words = escape::escape_inside(&words);
                let words = if words.is_empty() { escape::escape_inside(url) } else { words };
                (before, format!("`{words} <{}>`__", encode_address(url)), after)
            }
        };
        out.push_str(before);
        if wording.is_empty() {
            continue;
        }
        if !escape::may_precede_code(&out) {
            out.push_str("\\ ");
        }
        out.push_str(&wording);
        out.push_str(after);
        after_markup = after.is_empty();
    }
    out.trim().to_owned()
}

fn render_marked(text: &str, open: &str, close: &str) -> (&'static str, String, &'static str) {
    let (before, words, after) = split_blanks(text);
    let words = escape::escape_inside(&words);
    if words.is_empty() { (" ", words, "") } else { (before, format!("{open}{words}{close}"), after) }
}

fn render_blocks(blocks: &[Block]) -> String {
    let wording: Vec<String> =
        blocks.iter().map(render_block).filter(|wording| !wording.is_empty()).collect();
    wording.join("\n\n")
}

fn render_block(block: &Block) -> String {
    match block {
        Block::Paragraph(prose) => render_inline(prose),
        Block::List { start, items } => {
            let item = |(index, item): (usize, &Vec<Block>)| {
                let number = start.map(|start| start.saturating_add(index as u64) % 1_000_000_000);
                let mark = number.map_or("- ".to_owned(), |number| format!("{number}. "));
                format!("{mark}{}", hanging_indent(&render_blocks(item), mark.len())).trim_end().to_owned()
            };
            items.iter().enumerate().map(item).collect::<Vec<_>>().join("\n\n")
        }
        Block::Code(code) => literal_block(code),
        Block::Table(rows) => render_table(rows),
        Block::Quote(body) => render_directive("epigraph", &render_blocks(body)),
        Block::Admonition { kind, body } => render_directive(kind, &render_blocks(body)),
    }
}

fn render_directive(name: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new(); // a directive without a body is an error
    }
    format!(".. {name}::\n\n   {}", hanging_indent(body, 3))
}

/// Cells are added where a row has fewer than the head.
fn render_table(rows: &[Vec<Prose>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    if columns == 0 {
        return String::new();
    }
    let cell = |(row, at): (&Vec<Prose>, usize)| {
        let wording = row.get(at).map(render_inline).unwrap_or_default();
        format!("{} {wording}", if at == 0 { "   * -" } else { "     -" }).trim_end().to_owned()
    };
    let row = |row: &Vec<Prose>| (0..columns).map(|at| cell((row, at))).collect::<Vec<_>>().join("\n");
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!(".. list-table::\n   :header-rows: 1\n\n{}", rows.join("\n"))
}

/// A literal block.
fn literal_block(code: &str) -> String {
    let code = indent_code(code);
    if code.is_empty() { code } else { format!("::\n\n   {}", hanging_indent(&code, 3)) }
}

/// The lines with their indentation, and without controls, at some of which Python would end a line.
fn indent_code(code: &str) -> String {
    let line = |line: &str| {
        let words = line.trim_start_matches(' ');
        let indent = " ".repeat(line.len() - words.len());
        format!("{indent}{}", crate::prose::one_line(words).trim()).trim_end().to_owned()
    };
    let lines: Vec<String> = crate::prose::show_marks(code).split('\n').map(line).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
