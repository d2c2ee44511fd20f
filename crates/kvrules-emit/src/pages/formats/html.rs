//! HTML: one file a page, which stands by itself.

use super::{Format, address};
use crate::pages::author::Block;
use crate::prose::{Inline, Prose, one_line};

/// HTML.
pub const HTML: Format = Format {
    name: "html",
    extension: "html",
    templates: &[
        ("index", include_str!("../../../templates/html/index.html.j2")),
        ("rule_set", include_str!("../../../templates/html/rule_set.html.j2")),
        ("group", include_str!("../../../templates/html/group.html.j2")),
        ("_page", include_str!("../../../templates/html/_page.html.j2")),
        ("_set", include_str!("../../../templates/html/_set.html.j2")),
        ("_rule", include_str!("../../../templates/html/_rule.html.j2")),
        ("_rule_body", include_str!("../../../templates/html/_rule_body.html.j2")),
        ("extra_specs_index", include_str!("../../../templates/html/extra_specs_index.html.j2")),
        ("extra_specs", include_str!("../../../templates/html/extra_specs.html.j2")),
        ("_extra_spec", include_str!("../../../templates/html/_extra_spec.html.j2")),
        ("_extra_spec_body", include_str!("../../../templates/html/_extra_spec_body.html.j2")),
    ],
    inline,
    blocks,
    heading: |title, level| {
        let level = level.clamp(1, 6);
        format!("<h{level}>{title}</h{level}>")
    },
    verbatim: |text| format!("<pre><code>{}</code></pre>", escaped(text)),
    refer: |code, target| format!("<a href=\"{}\"><code>{}</code></a>", escaped(target), escaped(code)),
};

fn inline(prose: &Prose) -> String {
    let piece = |piece: &Inline| match piece {
        Inline::Text(text) => escaped(&one_line(text)),
        Inline::Code(code) => format!("<code>{}</code>", escaped(code)),
        Inline::Emphasis(text) => format!("<em>{}</em>", escaped(text)),
        Inline::Strong(text) => format!("<strong>{}</strong>", escaped(text)),
        Inline::Link { text, url } => format!("<a href=\"{}\">{}</a>", escaped(&address(url)), escaped(text)),
    };
    prose.pieces().iter().map(piece).collect::<String>().trim().to_owned()
}

fn blocks(blocks: &[Block]) -> String {
    match blocks {
        // It stands in a line or paragraph of the page; its own direction must not turn what is around it.
        [Block::Paragraph(prose)] => format!("<bdi>{}</bdi>", inline(prose)),
        blocks => blocks.iter().map(block).collect::<Vec<_>>().join("\n"),
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Paragraph(prose) => format!("<p dir=\"auto\">{}</p>", inline(prose)),
        Block::List { start, items } => {
            let items = render_each(items, |item| format!("<li>{}</li>", blocks(item)));
            match start {
                Some(start) => format!("<ol start=\"{start}\">{items}</ol>"),
                None => format!("<ul>{items}</ul>"),
            }
        }
        Block::Code(code) => format!("<pre><code>{}</code></pre>", escaped(code)),
        Block::Table(rows) => {
            let row = |(index, row): (usize, &Vec<Prose>)| {
                let tag = if index == 0 { "th" } else { "td" };
                let cells = render_each(row, |cell| format!("<{tag}>{}</{tag}>", inline(cell)));
                format!("<tr>{cells}</tr>")
            };
            format!("<table>{}</table>", rows.iter().enumerate().map(row).collect::<String>())
        }
        Block::Quote(body) => format!("<blockquote>{}</blockquote>", blocks(body)),
        Block::Admonition { kind, body } => {
            let title = Prose::from(*kind).to_capitalised().to_plain();
            format!("<aside class=\"{kind}\"><p><strong>{title}</strong></p>{}</aside>", blocks(body))
        }
    }
}

/// All parts in a row.
fn render_each<T>(parts: &[T], said: impl Fn(&T) -> String) -> String {
    parts.iter().map(said).collect()
}

/// Text in HTML. Controls, which have no place there, become blanks.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        out
    })
}
