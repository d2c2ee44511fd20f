//! HTML: one file a page, which stands by itself.

use std::cell::RefCell;
use std::collections::HashMap;

use super::html_cel::highlight_cel;
use super::html_escape::{add_escaped, escape_html};
use super::{Format, encode_address};
use crate::author::Block;
use crate::code_language::CodeLanguage;
use crate::fact_picture::FactPicture;
use crate::prose::{Inline, Prose, one_line};

/// HTML.
pub const HTML: Format = Format {
    name: "html",
    extension: "html",
    templates: built_in_templates!("html", "html", "_page", "_style", "_script"),
    inline: render_inline,
    blocks: render_blocks,
    heading: |title, level| {
        let level = level.clamp(1, 6);
        format!("<h{level}>{title}</h{level}>")
    },
    verbatim: render_code,
    refer: |code, target| {
        format!("<a href=\"{}\"><code>{}</code></a>", escape_html(target), escape_html(code))
    },
    target: |code, anchor| format!("<span id=\"{anchor}\">{code}</span>"),
    picture: Some(render_picture),
    list: |items| format!("<ul>\n{}</ul>", render_each(items, |item| format!("<li>{item}</li>\n"))),
    code_block: |code, language| match language {
        CodeLanguage::Cel => highlight_cel(code),
        _ => render_code(code),
    },
    is_folded: true,
    search: true,
    fact_indent: 0,
};

fn render_code(text: &str) -> String {
    format!("<pre><code>{}</code></pre>", escape_html(text))
}

/// A picture in the page. Diagrams of patterns are folded, since definitions repeat the same patterns.
fn render_picture(data: &FactPicture) -> String {
    let draw = || data.draw().map(|picture| picture.to_scrolling()).unwrap_or_default();
    let FactPicture::Pattern { source } = data else { return draw() };
    DIAGRAMS.with_borrow_mut(|diagrams| {
        if let Some(known) = diagrams.get(source) {
            return known.clone();
        }
        let element = draw();
        let diagram = match element.as_str() {
            "" => element,
            element => format!("<details><summary>Diagram</summary>{element}</details>"),
        };
        if diagrams.len() < MOST_DIAGRAMS {
            diagrams.insert(source.clone(), diagram.clone());
        }
        diagram
    })
}

/// Number of diagrams that are kept on a thread.
const MOST_DIAGRAMS: usize = 256;

thread_local! {
    /// The diagrams of patterns. Definitions have the same pattern at hundreds of fields, and drawing takes many times longer than
    /// copying.
    static DIAGRAMS: RefCell<HashMap<String, String>> = RefCell::default();
}

fn render_inline(prose: &Prose) -> String {
    let mut out = String::new();
    for piece in prose.pieces() {
        match piece {
            Inline::Text(text) => add_escaped(&mut out, &one_line(text)),
            Inline::Code(code) => add_element(&mut out, "code", code),
            Inline::Emphasis(text) => add_element(&mut out, "em", text),
            Inline::Strong(text) => add_element(&mut out, "strong", text),
            Inline::Link { text, url } => {
                out.extend(["<a href=\"", &escape_html(&encode_address(url)), "\">"]);
                add_escaped(&mut out, text);
                out.push_str("</a>");
            }
        }
    }
    match out.trim() {
        trimmed if trimmed.len() == out.len() => out,
        trimmed => trimmed.to_owned(),
    }
}

/// Adds an element with a text.
fn add_element(out: &mut String, name: &str, text: &str) {
    out.extend(["<", name, ">"]);
    add_escaped(out, text);
    out.extend(["</", name, ">"]);
}

fn render_blocks(blocks: &[Block]) -> String {
    match blocks {
        // `<bdi>` keeps the direction of this text from affecting the text around it.
        [Block::Paragraph(prose)] => format!("<bdi>{}</bdi>", render_inline(prose)),
        blocks => blocks.iter().map(render_block).collect::<Vec<_>>().join("\n"),
    }
}

fn render_block(block: &Block) -> String {
    match block {
        Block::Paragraph(prose) => format!("<p dir=\"auto\">{}</p>", render_inline(prose)),
        Block::List { start, items } => {
            let items = render_each(items, |item| format!("<li>{}</li>", render_blocks(item)));
            match start {
                Some(start) => format!("<ol start=\"{start}\">{items}</ol>"),
                None => format!("<ul>{items}</ul>"),
            }
        }
        Block::Code(code) => format!("<pre><code>{}</code></pre>", escape_html(code)),
        Block::Table(rows) => {
            let row = |(index, row): (usize, &Vec<Prose>)| {
                let tag = if index == 0 { "th" } else { "td" };
                let cells = render_each(row, |cell| format!("<{tag}>{}</{tag}>", render_inline(cell)));
                format!("<tr>{cells}</tr>")
            };
            format!("<table>{}</table>", rows.iter().enumerate().map(row).collect::<String>())
        }
        Block::Quote(body) => format!("<blockquote>{}</blockquote>", render_blocks(body)),
        Block::Admonition { kind, body } => {
            let title = Prose::from(*kind).to_capitalised().to_plain();
            format!("<aside class=\"{kind}\"><p><strong>{title}</strong></p>{}</aside>", render_blocks(body))
        }
    }
}

/// All parts in a row.
fn render_each<T>(parts: &[T], wording: impl Fn(&T) -> String) -> String {
    parts.iter().map(wording).collect()
}
