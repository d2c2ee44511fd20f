//! Directives: admonitions, code and tables made of lists. Every other is text.

use super::RestReader;
use super::lines::{dedent_lines, indented_end, is_blank, join_code};
use crate::author::Block;
use crate::prose::Prose;

/// Parses a construct that begins with two dots, if the lines do.
pub(super) fn read_explicit_markup(reader: RestReader<'_>, lines: &[String]) -> Option<(Block, usize)> {
    let first = lines.first()?;
    let rest = first.strip_prefix("..").filter(|rest| rest.is_empty() || rest.starts_with(' '))?;
    let end = 1 + indented_end(lines.get(1..).unwrap_or_default(), 0);
    let whole = lines.get(..end)?;
    let known = rest.trim_start().split_once("::").and_then(|(name, argument)| {
        let body = dedent_lines(whole.get(1..).unwrap_or_default());
        read_known_directive(reader, name, argument.trim(), &body)
    });
    Some((known.unwrap_or_else(|| as_text(whole)), end))
}

/// Returns unknown markup as it is written. Its indentation is significant.
fn as_text(lines: &[String]) -> Block {
    match lines {
        [line] => Block::Paragraph(line.as_str().into()),
        lines => Block::Code(join_code(lines)),
    }
}

fn read_known_directive(
    reader: RestReader<'_>,
    name: &str,
    argument: &str,
    body: &[String],
) -> Option<Block> {
    let (options, content) = split_options(body);
    match name {
        "code" | "code-block" | "sourcecode" => Some(Block::Code(join_code(&dedent_lines(content)))),
        "list-table" => list_table(reader, argument, &options, content),
        name => {
            let kind = admonition_title(name)?;
            // The text may begin behind the name.
            let words = (!argument.is_empty()).then(|| argument.to_owned());
            let lines: Vec<String> = words.into_iter().chain(content.iter().cloned()).collect();
            let body = reader.inner(&lines);
            (!body.is_empty()).then_some(Block::Admonition { kind, body })
        }
    }
}

/// The options that a body begins with, and the rest of it.
fn split_options(body: &[String]) -> (Vec<(&str, &str)>, &[String]) {
    let option = |line: &String| -> bool { split_option(line).is_some() };
    let count = body.iter().take_while(|line| option(line)).count();
    let options = body.iter().take(count).filter_map(|line| split_option(line)).collect();
    (options, body.get(count..).unwrap_or_default())
}

fn split_option(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (is_name && (value.is_empty() || value.starts_with(' '))).then(|| (name, value.trim()))
}

fn admonition_title(name: &str) -> Option<&'static str> {
    Some(match name {
        "note" | "seealso" => "note",
        "tip" | "hint" => "tip",
        "important" | "attention" => "important",
        "warning" | "error" => "warning",
        "caution" | "danger" => "caution",
        _ => return None,
    })
}

/// A table of which each row is a list.
fn list_table(
    reader: RestReader<'_>,
    title: &str,
    options: &[(&str, &str)],
    content: &[String],
) -> Option<Block> {
    let blocks = reader.inner(content);
    let [Block::List { items, .. }] = blocks.as_slice() else { return None };
    let mut rows = Vec::new();
    for item in items {
        let [Block::List { items: cells, .. }] = item.as_slice() else { return None };
        let cell = |blocks: &Vec<Block>| match blocks.as_slice() {
            [] => Some(Prose::default()),
            [Block::Paragraph(prose)] => Some(prose.clone()),
            _ => None,
        };
        rows.push(cells.iter().map(cell).collect::<Option<Vec<_>>>()?);
    }
    let has_head = options.iter().any(|(name, value)| *name == "header-rows" && *value != "0");
    let columns = rows.iter().map(Vec::len).max()?;
    if !has_head {
        rows.insert(0, vec![Prose::default(); columns]);
    }
    let is_plain = title.is_empty() && !content.iter().all(|line| is_blank(line));
    is_plain.then_some(Block::Table(rows))
}
