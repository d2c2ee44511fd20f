//! Markdown: CommonMark with GitHub's manners, which mdBook shares.

use super::markdown_escape as escape;
use super::{Format, encode_address, hanging_indent, split_blanks};
use crate::author::Block;
use crate::code_language::CodeLanguage;
use crate::prose::{Inline, Prose};

/// Markdown.
pub const MARKDOWN: Format = Format {
    name: "markdown",
    extension: "md",
    templates: built_in_templates!("markdown", "md"),
    inline: render_inline,
    blocks: render_blocks,
    heading: |title, level| format!("{} {title}", "#".repeat(level.clamp(1, 6))),
    verbatim: |text| render_fence(text, CodeLanguage::Text),
    refer: |code, target| format!("[{}]({target})", escape::escape_code(code)),
    target: |code, anchor| format!("<a id=\"{anchor}\"></a>{code}"),
    picture: None,
    list: super::dashed_list,
    code_block: render_fence,
    is_folded: false,
    search: false,
    fact_indent: 2,
};

fn render_inline(prose: &Prose) -> String {
    let mut out = String::new();
    let mut pieces = prose.pieces().iter().peekable();
    while let Some(piece) = pieces.next() {
        let starts = out.is_empty();
        let wording = match piece {
            Inline::Text(text) => escape::escape_text(text, starts),
            Inline::Code(code) => escape::escape_code(code),
            Inline::Emphasis(text) => render_stressed(text, ("*", "em"), &out, pieces.peek().copied()),
            Inline::Strong(text) => render_stressed(text, ("**", "strong"), &out, pieces.peek().copied()),
            Inline::Link { text, url } => {
                let (before, words, after) = split_blanks(text);
                format!("{before}[{}]({}){after}", escape::escape_text(&words, false), encode_address(url))
            }
        };
        out.push_str(&wording);
    }
    out.trim().to_owned()
}

/// Words with stress. Stars mark it where they can be read as nothing else, as CommonMark has it; else a tag does.
fn render_stressed(text: &str, (mark, tag): (&str, &str), written: &str, next: Option<&Inline>) -> String {
    let (before, words, after) = split_blanks(text);
    let is_plain = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_apart = |c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')');
    let opens = match written.chars().next_back().filter(|_| before.is_empty()) {
        Some('*') => false,
        Some(last) => last.is_whitespace() || is_plain(words.chars().next()),
        None => true,
    };
    let closes = match next.filter(|_| after.is_empty()) {
        Some(Inline::Text(text)) => text.starts_with(is_apart) || is_plain(words.chars().next_back()),
        Some(Inline::Emphasis(_) | Inline::Strong(_)) => false,
        Some(_) => is_plain(words.chars().next_back()),
        None => true,
    };
    let words = escape::escape_text(&words, false);
    match (words.is_empty(), opens && closes) {
        (true, _) => " ".to_owned(),
        (false, true) => format!("{before}{mark}{words}{mark}{after}"),
        (false, false) => format!("{before}<{tag}>{words}</{tag}>{after}"),
    }
}

fn render_blocks(blocks: &[Block]) -> String {
    let wording = blocks.iter().map(render_block).filter(|wording| !wording.is_empty());
    wording.collect::<Vec<_>>().join("\n\n")
}

fn render_block(block: &Block) -> String {
    match block {
        Block::Paragraph(prose) => render_inline(prose),
        Block::List { start, items } => {
            let item = |(index, item): (usize, &Vec<Block>)| {
                let number = start.map(|start| start.saturating_add(index as u64) % 1_000_000_000);
                let mark = number.map_or("- ".to_owned(), |number| format!("{number}. "));
                format!("{mark}{}", hanging_indent(&render_blocks(item), mark.len()))
            };
            items.iter().enumerate().map(item).collect::<Vec<_>>().join("\n")
        }
        Block::Code(code) => render_fence(code, CodeLanguage::Text),
        Block::Table(rows) => render_table(rows),
        Block::Quote(body) => render_quote(&render_blocks(body)),
        Block::Admonition { kind, body } => {
            let title = format!("**{}**", capitalize_word(kind));
            render_quote(&format!("{title}\n\n{}", render_blocks(body)))
        }
    }
}

fn capitalize_word(word: &str) -> String {
    Prose::from(word).to_capitalised().to_plain()
}

fn render_quote(text: &str) -> String {
    text.split('\n').map(|line| format!("> {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn render_table(rows: &[Vec<Prose>]) -> String {
    let Some((head, body)) = rows.split_first() else { return String::new() };
    // A bar ends a cell even inside code.
    let cell = |cell: &Prose| render_inline(cell).replace("\\|", "&#124;").replace('|', "\\|");
    let row = |row: &Vec<Prose>| format!("| {} |", row.iter().map(cell).collect::<Vec<_>>().join(" | "));
    let rule = format!("|{}", "---|".repeat(head.len()));
    [row(head), rule].into_iter().chain(body.iter().map(row)).collect::<Vec<_>>().join("\n")
}

/// A fenced block. What others read before Markdown does is split by an entity, for which the block is HTML.
fn render_fence(code: &str, language: CodeLanguage) -> String {
    let code = &*crate::prose::show_marks(code);
    if escape::is_read_by_others(code) {
        let lines: Vec<String> = code.split('\n').map(escape::encode_entities).collect();
        // A blank line would end the HTML.
        return format!("<pre><code>{}</code></pre>", lines.join("&#10;"));
    }
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{}\n{code}\n{fence}", language.name())
}
